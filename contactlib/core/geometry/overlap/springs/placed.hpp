// The springs of contacts in one list, so that several definitions of the same contacts can be weighted.
#pragma once

#include <cstddef>
#include <vector>

#include "geometry/overlap/section/scratch.hpp"
#include "springs.hpp"

namespace contactlib::geometry {

using PlacedSprings = std::vector<PlacedSpring>;

// Adds the springs of a contact that push.
void place(const PatchContact& contact, const Springs& springs, PlacedSprings& out) noexcept;

// What the springs from `first` on store, and their greatest depth.
struct Stored {
  double energy = 0.0, depth = 0.0;  // m2, m
};
Stored stored(const PlacedSprings& springs, std::size_t first) noexcept;

// Multiplies the load shares from `first` on, or those before `end`.
void scale_load_share(PlacedSprings& springs, std::size_t first, double part) noexcept;
void scale_load_share(PlacedSprings& springs, std::size_t first, double part, std::size_t end) noexcept;

// No depth from `first` on exceeds `most`, with the same force.
void limit_depth(PlacedSprings& springs, std::size_t first, double most) noexcept;

// Adds a force, about the origin, to the springs from `first` on, within a smooth limit. None becomes deeper by it.
void add_force(PlacedSprings& springs, std::size_t first, const Decrease& more) noexcept;

// Changes the depths from `first` on, with the same forces, so that the springs store `wanted.energy`: as far as that is
// possible with no depth more than 15 % above `wanted.depth`.
void set_energy(PlacedSprings& springs, std::size_t first, const Stored& wanted) noexcept;

}  // namespace contactlib::geometry

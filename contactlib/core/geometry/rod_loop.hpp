#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// Many pairs, also of segments: the bits of the kernels.
void capsule_plane_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                        ManifoldPoint* points, PairContacts* found) noexcept;
void capsule_capsule_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                          ManifoldPoint* points, PairContacts* found) noexcept;

}  // namespace contactlib::geometry

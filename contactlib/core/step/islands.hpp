// Islands: sets of bodies that exchange energy within a step, through contacts, elements, or a body that the caller
// moves. Bodies that only touch the same fixed body are not joined.
#pragma once

#include <algorithm>

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::CouplingScratch, state::Data, state::IslandSums, state::Islands;

// Whether a body joins what touches it. Fixed bodies and the world do not.
bool joins(const Model& model, std::int32_t body) noexcept;

// Each body alone, but for those that an element joins.
void begin_islands(const Model& model, Islands& islands) noexcept;

// Joins the bodies of the contacts that `data` has now.
void join_contacts(const Model& model, const Data& data, Islands& islands) noexcept;

// One body stands for its island.
std::size_t island_of(const Islands& islands, std::size_t body) noexcept;

// Writes to scratch.sums what `add(sums, i)` adds for each body i that joins what touches it.
template <class Add>
void sum_islands(const Model& model, CouplingScratch& scratch, const Add& add) noexcept {
  std::fill(scratch.sums.begin(), scratch.sums.end(), IslandSums{});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!joins(model, static_cast<std::int32_t>(i))) continue;
    IslandSums& sums = scratch.sums[island_of(scratch.islands, i)];
    sums.count += 1.0;
    add(sums, i);
  }
}

}  // namespace contactlib::step

// Narrow phase and contact forces: candidate pairs -> manifolds -> contacts.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data;

// The candidates are divided into as many chunks as there are pools. collide() evaluates one chunk and writes only into
// its own pool, so that chunks may run in parallel. The pools are then read in order, so that their number changes no
// result.
void collide(const Model& model, Data& data, std::size_t chunk, std::size_t count) noexcept;
void collide_serially(const Model& model, Data& data, std::size_t count) noexcept;

// Candidates of one row of the pair table that go through its loop of pairs together, at most. More would not stay in the
// first cache.
inline constexpr std::size_t most_together = 32;

// Writes all contacts of the present states, with their forces, to data.contacts. h: s, time since the memory was
// written.
Status find_contacts(const Model& model, Data& data, double h) noexcept;

}  // namespace contactlib::step

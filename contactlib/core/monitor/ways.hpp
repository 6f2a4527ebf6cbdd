// Fast bodies of a scene with many pairs: all pairs of bodies of which one is fast, without a loop over all pairs.
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using model::BodyState, model::Model;
using state::Data;

// The motions of all bodies over h (s) from the states `from` on; moved: m, of each origin, in Data::near.
struct Ways {
  const BodyState* from;
  double h;
  double part;  // of its own thickness, by which a fast body moves at least
};

// Fills NearPairs::swept with the bodies by the start of their ways along the first axis, and `leavers` with the fast ones
// of them. Of every two bodies that move relative to each other by more than a part of what both are thick, one moves by
// more than this part of what it is thick; motions are seen from their mean.
struct Sorted {
  std::size_t bodies, fast;
};
Sorted sort_ways(const Model& model, Data& data, const Ways& ways) noexcept;

// Calls found(i, k) for all bodies of which one is fast and whose ways overlap along the first axis. The caller has
// written how far each body moves to NearPairs::moved.
template <class Found>
void visit_fast(const Model& model, Data& data, const Ways& ways, const Found& found) noexcept {
  const Sorted count = sort_ways(model, data, ways);
  const state::NearPairs& near = data.near;
  const std::int32_t *const bodies = near.swept.data(), *const fast = near.leavers.data();
  std::size_t next = 0;  // the first fast body after body k
  for (std::size_t k = 0; k < count.bodies && count.fast > 0; ++k) {
    const std::int32_t i = bodies[k];
    const bool is_fast = next < count.fast && fast[next] == i;
    next += is_fast;
    const std::int32_t* other = is_fast ? bodies + k + 1 : fast + next;
    const std::int32_t* const end = is_fast ? bodies + count.bodies : fast + count.fast;
    for (; other != end && near.starts[*other] <= near.ends[i]; ++other) found(i, *other);
  }
}

}  // namespace contactlib::monitor

// Expanding polytope: finds out whether some direction has a smaller overlap than a given minimum, or separates.
#pragma once

#include "descent.hpp"

namespace contactlib::geometry {

// Searches directions n with overlap(n) < `bound` that a descent did not reach, and descends from them. Replaces
// `best`, a minimum, by better ones. Returns false if some direction separates the two.
bool expand_polytope(const MinkowskiDifference& D, double bound, Minimum& best) noexcept;

}  // namespace contactlib::geometry

// is there an overlap less than that of a minimum found, or none at all?
#pragma once

#include "descent.hpp"

namespace contactlib {

// looks for directions n with overlap(n) < `bound` that lie beyond the reach of a descent, and descends from them.
// `best` is a minimum, and gets better. false if some direction parts the two.
bool expand_polytope(const MinkowskiDifference& D, double bound, Minimum& best) noexcept;

}  // namespace contactlib

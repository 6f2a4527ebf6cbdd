// The least translation that separates two convex solids.
#pragma once

#include "descent.hpp"

namespace contactlib::geometry {

// The minimum of the overlap nearest to the direction `hint_A` (A's axes), or the global minimum if that is zero.
// Returns false if the two do not overlap.
bool least_overlap(const MinkowskiDifference& D, const Vec3& hint_A, Minimum& out) noexcept;

struct Translation {
  double depth;       // m, > 0
  Vec3 n_AB_W;  // unit, from A to B: B moved by depth n_AB is in contact with A without overlap
  Vec3 p_AP_W, p_AQ_W;  // m, the deepest points of A and of B from A's origin
};

Translation translation(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum) noexcept;

}  // namespace contactlib::geometry

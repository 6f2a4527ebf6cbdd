// Feature numbers of the contacts of solids with a mesh, and the removal of duplicates.
#pragma once

#include "geometry/manifold/load_share.hpp"

namespace contactlib::geometry {

// Relative to the smaller body's size: points within this distance are one point, and a point no further outside counts
// as inside.
inline constexpr double same_place = 1e-9;
// Relative to the same size: depths up to this are rounding. Sides of boxes that are flush have no contact.
inline constexpr double rounded = 1e-14;

// The feature number of the n-th pair of features of two shapes, from `roaming` on. Beyond the range of int32 the
// numbers start again.
inline int feature_number(std::int64_t n) noexcept {
  return roaming + static_cast<int>(n % (std::int64_t{INT32_MAX} - roaming));
}

// Adds a contact unless there is one at the same point, as of two corners at one place.
inline void add_once(Manifold& out, const ManifoldPoint& point, double apart) noexcept {
  for (int i = 0; i < out.count; ++i)
    if ((out.points[i].p_AC_W - point.p_AC_W).squaredNorm() <= apart * apart) return;
  add(out, point);
}

}  // namespace contactlib::geometry

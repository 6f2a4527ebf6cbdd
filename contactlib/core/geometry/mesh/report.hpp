// how the contacts of solids with a mesh are numbered and counted once.
#pragma once

#include "geometry/manifold/load_share.hpp"

namespace contactlib {

// of the smaller body's size: places that are no further apart are one, and what is no further outside is inside.
inline constexpr double same_place = 1e-9;
// and what is no deeper than that does not touch: sides of boxes that stand flush do not, whatever rounding says.
inline constexpr double rounded = 1e-14;

// the n-th thing that two shapes can touch with, from `roaming` on. beyond an int32, after two thousand million, the
// numbers begin again.
inline int feature_number(std::int64_t n) noexcept {
  return roaming + static_cast<int>(n % (std::int64_t{INT32_MAX} - roaming));
}

// a contact where there is one already, as of two corners that stand on each other, is not another.
inline void add_once(Manifold& out, const ManifoldPoint& point, double apart) noexcept {
  for (int i = 0; i < out.count; ++i)
    if ((out.points[i].p_AC_W - point.p_AC_W).squaredNorm() <= apart * apart) return;
  add(out, point);
}

}  // namespace contactlib

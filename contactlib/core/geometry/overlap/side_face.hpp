// A face of a convex solid as the side of a cylinder sees it.
#pragma once

#include <cmath>

#include "base/vectors.hpp"

namespace contactlib::geometry {

// A face of the field over the side, at the angle a and the height z:  e = A + B_1 cos a + B_2 sin a + C z
struct SideFace {
  double A, B_1, B_2, C;
  Vec3 n;  // unit

  double at(double cosine, double sine) const noexcept { return A + B_1 * cosine + B_2 * sine; }
  double reach() const noexcept { return std::sqrt(B_1 * B_1 + B_2 * B_2); }
};

}  // namespace contactlib::geometry

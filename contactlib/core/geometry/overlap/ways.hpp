// Which of two solids has the extent field of their contact.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// Whether it is A. It is the thicker one: its way out is right as far as its middle, and it is never inside the other
// solid, so that an overlap always has a part of the other surface inside it. Of equally thick solids it is the larger
// one, and of equal solids A.
inline bool has_field(const Shape& A, const Shape& B) noexcept {
  constexpr double rounding = 1e-9;
  const auto differ = [](double a, double b) noexcept { return std::abs(a - b) > 2.0 * rounding * std::min(a, b); };
  if (differ(A.thickness, B.thickness)) return A.thickness > B.thickness;
  return !differ(A.volume, B.volume) || A.volume > B.volume;
}

}  // namespace contactlib::geometry

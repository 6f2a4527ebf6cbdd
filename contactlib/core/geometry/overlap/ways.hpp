// Which of two solids gives the extent field of their contact, and which one the surface.
#pragma once

#include <cmath>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// The weights of the fields of A and of B.
struct Ways {
  double field_a, field_b;
};

// The field is that of the thicker solid: its way out is right as far as its middle, and it is never inside the other
// one, so that an overlap always has a part of the other surface inside it. Of equally thick solids the larger one
// counts, and of equal solids both, so that it makes no difference which one is A.
inline Ways ways_of(const Shape& A, const Shape& B) noexcept {
  constexpr double rounding = 1e-9;
  const auto differ = [](double a, double b) noexcept { return std::abs(a - b) > rounding * (a + b); };
  if (!(A.thickness > 0.0)) return {0.0, 1.0};  // a sheet has no inside
  if (!(B.thickness > 0.0)) return {1.0, 0.0};
  if (differ(A.thickness, B.thickness)) return A.thickness > B.thickness ? Ways{1.0, 0.0} : Ways{0.0, 1.0};
  if (differ(A.volume, B.volume)) return A.volume > B.volume ? Ways{1.0, 0.0} : Ways{0.0, 1.0};
  return {0.5, 0.5};
}

}  // namespace contactlib::geometry

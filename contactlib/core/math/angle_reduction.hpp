// Reduction of an angle by multiples of pi/2.
#pragma once

#include "math/double_double.hpp"

namespace contactlib::math {

inline constexpr double pi_over_4 = 0x1.921fb54442d18p-1;  // rounded to nearest

struct ReducedAngle {
  DoubleDouble rest;  // |rest| <= pi/4, to rounding
  int quadrant;       // n mod 4
};

// x = n pi/2 + rest, for a finite x with |x| > pi/4
ReducedAngle reduced_angle(double x) noexcept;

}  // namespace contactlib::math

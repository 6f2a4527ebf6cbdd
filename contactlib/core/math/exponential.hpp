// exp and log of double-doubles, from which the public functions are made.
#pragma once

#include "math/double_double.hpp"

namespace contactlib::math {

// 2^exponent (1 + rest)
struct Exponential {
  DoubleDouble rest;
  int exponent;
};

// exp(a) for |a| < 2000; the relative error of `rest` is 2^-59, that of 1 + rest 2^-61
Exponential exponential(const DoubleDouble& a) noexcept;

// 2^exponent (1 + rest), rounded once, also to a subnormal number
double rounded(const Exponential& e) noexcept;

// log(x + y) for a normal x > 0 and |y| < ulp(x); the relative error is 2^-65
DoubleDouble logarithm(double x, double y) noexcept;

// log(x) for a finite x > 0, also a subnormal one
DoubleDouble logarithm(double x) noexcept;

}  // namespace contactlib::math

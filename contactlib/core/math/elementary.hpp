// Elementary functions of the core. They use + - * / and square roots, which IEEE 754 rounds in one way, and integers.
// So each of them has the same bits on every processor, with every compiler and C library. Functions of libm have not:
// some C libraries choose variants with other instructions when they are loaded.
// Worst errors are below 0.8 ulp (tests/core/test_elementary.py). Special values are those of C99, annex F; the
// functions set neither errno nor a rounding mode. They need rounding to nearest.
#pragma once

#include <cstdint>

#include "math/bits.hpp"

namespace contactlib::math {

struct SinCos {
  double sin, cos;
};

// Angles in rad.
double sin(double x) noexcept;
double cos(double x) noexcept;
double tan(double x) noexcept;
SinCos sin_cos(double x) noexcept;

double asin(double x) noexcept;
double acos(double x) noexcept;
double atan(double x) noexcept;
double atan2(double y, double x) noexcept;

double exp(double x) noexcept;
double expm1(double x) noexcept;  // exp(x) - 1
double log(double x) noexcept;
double log1p(double x) noexcept;  // log(1 + x)
double pow(double x, double y) noexcept;

double cbrt(double x) noexcept;
double hypot(double x, double y) noexcept;  // sqrt(x^2 + y^2), without overflow on the way

double fmod(double x, double y) noexcept;       // exact: x - n y with the sign of x, n = trunc(x/y)
double remainder(double x, double y) noexcept;  // exact: x - n y, n the integer nearest to x/y, even if two are
double nextafter(double x, double y) noexcept;

// Every double of 2^52 or more is an integer.
inline double trunc(double x) noexcept {
  if (!(magnitude(x) < 0x1p52)) return x;
  return with_sign(static_cast<double>(static_cast<std::int64_t>(x)), x);  // the sign of -0.5 stays: -0
}

inline double floor(double x) noexcept {
  const double whole = trunc(x);
  return whole > x ? whole - 1.0 : whole;
}

inline double ceil(double x) noexcept {
  const double whole = trunc(x);
  return whole < x ? with_sign(whole + 1.0, x) : whole;
}

// The larger number; a nan counts as missing, and -0 as less than +0.
inline double fmax(double x, double y) noexcept {
  if (x == y) return negative(x) ? y : x;
  return x > y || is_nan(y) ? x : y;
}

inline double fmin(double x, double y) noexcept {
  if (x == y) return negative(x) ? x : y;
  return x < y || is_nan(y) ? x : y;
}

}  // namespace contactlib::math

// Unevaluated sums of two doubles, about 106 bits. All functions need rounding to nearest.
// T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971) 224-242;
// D. E. Knuth, "The Art of Computer Programming", vol. 2, section 4.2.2, theorems B and C.
#pragma once

namespace contactlib::math {

struct DoubleDouble {
  double high, low;
};

// a + b = high + low, exactly; |a| >= |b|, or a = 0
inline DoubleDouble fast_two_sum(double a, double b) noexcept {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a + b = high + low, exactly
inline DoubleDouble two_sum(double a, double b) noexcept {
  const double sum = a + b, b_part = sum - a, a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// Dekker's split, a = high + low with 26 bits each: exact below 2^996.
inline DoubleDouble split(double a) noexcept {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

// a * b = high + low, exactly where neither overflows and the low part does not underflow
inline DoubleDouble two_product(double a, double b) noexcept {
  const double product = a * b;
  const DoubleDouble u = split(a), v = split(b);
  return {product, ((u.high * v.high - product) + u.high * v.low + u.low * v.high) + u.low * v.low};
}

inline DoubleDouble two_square(double a) noexcept {
  const double square = a * a;
  const DoubleDouble u = split(a);
  return {square, ((u.high * u.high - square) + 2.0 * (u.high * u.low)) + u.low * u.low};
}

inline DoubleDouble sum(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const DoubleDouble high = two_sum(a.high, b.high);
  return fast_two_sum(high.high, high.low + (a.low + b.low));
}

inline DoubleDouble product(const DoubleDouble& a, double b) noexcept {
  const DoubleDouble high = two_product(a.high, b);
  return fast_two_sum(high.high, high.low + a.low * b);
}

inline DoubleDouble product(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const DoubleDouble high = two_product(a.high, b.high);
  return fast_two_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

// Relative error about 2^-100: q = a/b, then one step of Newton on the remainder.
inline DoubleDouble quotient(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const double q = a.high / b.high;
  const DoubleDouble back = two_product(q, b.high);
  return fast_two_sum(q, (((a.high - back.high) - back.low) + (a.low - q * b.low)) / b.high);
}

}  // namespace contactlib::math

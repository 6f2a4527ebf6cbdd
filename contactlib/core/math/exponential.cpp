#include "math/exponential.hpp"

#include "math/bits.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {
namespace {

constexpr double one_over_log_2 = 0x1.71547652b82fep+0;
// log(2); the first part has 42 bits, so that k times it is exact
constexpr double log_2_high = 0x1.62e42fefa3800p-1, log_2_low = 0x1.ef35793c76730p-45;
constexpr double to_integer = 0x1.8p52;  // a sum with it is rounded to an integer
constexpr double largest = 0x1.62e42fefa39efp+9;  // exp() of more overflows
constexpr double smallest = -746.0;                // exp() of less is below half the smallest double

// (exp(r) - 1 - r - r^2/2)/r^3 for |r| <= log(2)/2: least relative error of exp(r) by Remez's algorithm, 2^-64
double exp_polynomial(double r) noexcept {
  const double rr = r * r, r4 = rr * rr;
  const double a = 0x1.555555555555bp-3 + r * 0x1.555555555555ap-5;
  const double b = 0x1.111111110ebd9p-7 + r * 0x1.6c16c16c1411ap-10;
  const double c = 0x1.a01a01b3b1858p-13 + r * 0x1.a01a01b20f632p-16;
  const double d = 0x1.71ddefa2b2e57p-19 + r * 0x1.27e4c29e56b63p-22;
  const double e = 0x1.af6cbe65015fdp-26 + r * 0x1.1f99effe464f5p-29;
  return (a + rr * b) + r4 * ((c + rr * d) + r4 * e);
}

}  // namespace

// W. J. Cody, W. Waite, "Software manual for the elementary functions", 1980:
//   a = k log(2) + r,   exp(a) = 2^k exp(r),   exp(r) - 1 = r + r^2/2 + r^3 P(r)
Exponential exponential(const DoubleDouble& a) noexcept {
  const double k = (a.high * one_over_log_2 + to_integer) - to_integer;
  const DoubleDouble r = two_sum(a.high - k * log_2_high, a.low - k * log_2_low);
  const DoubleDouble square = two_square(r.high);
  const double cube = r.high * square.high * exp_polynomial(r.high);
  const DoubleDouble rest = fast_two_sum(r.high, 0.5 * square.high);
  return {{rest.high, rest.low + (r.low + (0.5 * square.low + r.high * r.low + cube))}, static_cast<int>(k)};
}

// A subnormal result is a multiple of 2^-1074. A sum with 2^52 such units, scaled, is rounded to one.
double rounded(const Exponential& e) noexcept {
  const DoubleDouble one = fast_two_sum(1.0, e.rest.high);
  const double low = one.low + e.rest.low;
  if (e.exponent >= -1021 || (e.exponent == -1022 && one.high >= 1.0)) {
    const double value = one.high + low;
    return e.exponent < 1024 ? value * power_of_two(e.exponent) : value * 2.0 * power_of_two(1023);
  }
  if (e.exponent < -1076) return 0.0;
  const double units = power_of_two(-1022 - e.exponent);
  const DoubleDouble main = two_sum(units, one.high);
  return ((main.high + (main.low + low)) - units) * power_of_two(e.exponent + 100) * 0x1p-100;
}

double exp(double x) noexcept {
  if (!(x <= largest)) return x + infinity;  // or a nan
  if (x < smallest) return 0.0;
  return rounded(exponential({x, 0.0}));
}

// 2^k (1 + rest) - 1 as a sum, with all digits also near 0
double expm1(double x) noexcept {
  if (magnitude(x) < 0x1p-54) return x;
  if (!(x <= largest)) return x + infinity;
  if (x < -40.0) return -1.0;
  const Exponential e = exponential({x, 0.0});
  if (e.exponent == 0) return e.rest.high + e.rest.low;
  if (e.exponent > 60) return rounded(e);
  const double scale = power_of_two(e.exponent);
  const DoubleDouble ones = two_sum(scale, -1.0), main = two_sum(ones.high, scale * e.rest.high);
  return main.high + (main.low + (ones.low + scale * e.rest.low));
}

}  // namespace contactlib::math

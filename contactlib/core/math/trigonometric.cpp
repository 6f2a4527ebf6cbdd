// sin, cos and tan: reduction by multiples of pi/2, then polynomials on [-pi/4, pi/4]. Their coefficients are those of
// least relative error, from Remez's exchange algorithm at 200 bits.
#include "math/angle_reduction.hpp"
#include "math/bits.hpp"
#include "math/double_double.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {
namespace {

constexpr double tiny = 0x1p-27;  // below: sin x = tan x = x and cos x = 1, to less than half an ulp

// (sin(x)/x - 1)/x^2 = a + z P(z) in z = x^2; the error of sin(x)/x is 2^-58
constexpr double a = -0x1.5555555555549p-3;

double sin_polynomial(double z) noexcept {
  const double zz = z * z;
  const double low = 0x1.111111110f87bp-7 + z * -0x1.a01a019c11a34p-13;
  const double middle = 0x1.71de3577bdd72p-19 + z * -0x1.ae5e663f2f6a5p-26;
  return low + zz * (middle + zz * 0x1.5d93020e7894cp-33);
}

// (cos(x) - 1 + x^2/2)/x^4 in z = x^2; the error of cos(x) is 2^-64
double cos_polynomial(double z) noexcept {
  const double zz = z * z;
  const double low = 0x1.555555555554cp-5 + z * -0x1.6c16c16c1517fp-10;
  const double middle = 0x1.a01a019cb1d5bp-16 + z * -0x1.27e4f80a002f1p-22;
  const double high = 0x1.1ee9ebf2d6ee5p-29 + z * -0x1.8faea1193e09ep-37;
  return low + zz * (middle + zz * high);
}

// sin(x + y) = x + x^3 (a + z P(z)) + y (1 - x^2/2),   |y| < ulp(x)
double sin_kernel(const DoubleDouble& x) noexcept {
  const double z = x.high * x.high;
  return x.high + (x.high * z * (a + z * sin_polynomial(z)) + x.low * (1.0 - 0.5 * z));
}

// sin(x + y) as a sum, from x^3 of 106 bits
DoubleDouble sin_parts(const DoubleDouble& x) noexcept {
  const DoubleDouble square = two_square(x.high), cube = product(product(square, x.high), a);
  const double z = square.high, rest = x.high * z * z * sin_polynomial(z) + x.low * (1.0 - 0.5 * z);
  const DoubleDouble main = fast_two_sum(x.high, cube.high);
  return fast_two_sum(main.high, main.low + (cube.low + rest));
}

// cos(x + y) as a sum, |y| < ulp(x). x^2/2 is taken from two parts of x, of which the first has an exact square:
//   1 - h^2/2 - (x - h)(x + h)/2 + x^4 Q(x^2) - x y
DoubleDouble cos_parts(const DoubleDouble& angle) noexcept {
  const double x = angle.high, z = x * x, h = static_cast<double>(static_cast<float>(x));
  const DoubleDouble main = fast_two_sum(1.0, -0.5 * h * h);
  const double rest = z * z * cos_polynomial(z) - 0.5 * (x - h) * (x + h) - x * angle.low;
  return {main.high, main.low + rest};
}

double cos_kernel(const DoubleDouble& x) noexcept {
  const DoubleDouble parts = cos_parts(x);
  return parts.high + parts.low;
}

// x = n pi/2 + rest, also for |x| <= pi/4, where nothing is reduced
ReducedAngle reduced(double x) noexcept {
  return magnitude(x) <= pi_over_4 ? ReducedAngle{{x, 0.0}, 0} : reduced_angle(x);
}

}  // namespace

double sin(double x) noexcept {
  if (magnitude(x) < tiny) return x;
  if (!is_finite(x)) return invalid(x);
  const ReducedAngle a = reduced(x);
  const double out = (a.quadrant & 1) != 0 ? cos_kernel(a.rest) : sin_kernel(a.rest);
  return (a.quadrant & 2) != 0 ? -out : out;
}

double cos(double x) noexcept {
  if (magnitude(x) < tiny) return 1.0;
  if (!is_finite(x)) return invalid(x);
  const ReducedAngle a = reduced(x);
  const double out = (a.quadrant & 1) != 0 ? sin_kernel(a.rest) : cos_kernel(a.rest);
  return ((a.quadrant + 1) & 2) != 0 ? -out : out;
}

SinCos sin_cos(double x) noexcept {
  if (magnitude(x) < tiny) return {x, 1.0};
  if (!is_finite(x)) return {invalid(x), invalid(x)};
  const ReducedAngle a = reduced(x);
  const double s = sin_kernel(a.rest), c = cos_kernel(a.rest);
  switch (a.quadrant) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

// The quotient of sin and cos as double-doubles: tan(n pi/2 + rest) = -cot(rest) for an odd n.
double tan(double x) noexcept {
  if (magnitude(x) < tiny) return x;
  if (!is_finite(x)) return invalid(x);
  const ReducedAngle a = reduced(x);
  const DoubleDouble s = sin_parts(a.rest), parts = cos_parts(a.rest), c = fast_two_sum(parts.high, parts.low);
  if ((a.quadrant & 1) == 0) return quotient(s, c).high;
  return -quotient(c, s).high;
}

}  // namespace contactlib::math

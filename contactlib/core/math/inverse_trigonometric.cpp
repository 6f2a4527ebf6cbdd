// asin, acos, atan and atan2: all are the angle of a point (x, y), which is found with double-doubles.
#include <cmath>

#include "math/bits.hpp"
#include "math/double_double.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {
namespace {

constexpr DoubleDouble pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoubleDouble half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// atan(k/16)
constexpr DoubleDouble arcs[17] = {
    {0.0, 0.0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// (atan(t)/t - 1)/t^2 in z = t^2, |t| < 0.033: least relative error by Remez's algorithm, 2^-73 of atan(t)
double atan_polynomial(double z) noexcept {
  const double low = -0x1.5555555555555p-2 + z * 0x1.9999999999451p-3;
  const double high = -0x1.2492491f1ba1dp-3 + z * (0x1.c71c22eb1b4f2p-4 + z * -0x1.735ac5be1b308p-4);
  return low + z * z * high;
}

// The angle of (x, y) with 0 <= y <= x. With the slope c = k/16 nearest to y/x it is
//   atan(y/x) = atan(c) + atan(t),   t = (y - c x)/(x + c y),   |t| < 1/32
DoubleDouble angle_below_diagonal(const DoubleDouble& y, const DoubleDouble& x) noexcept {
  const int k = static_cast<int>(16.0 * (y.high / x.high) + 0.5);
  if (k == 0) {
    const DoubleDouble t = quotient(y, x);
    const double z = t.high * t.high;
    return {t.high, t.low + t.high * z * atan_polynomial(z)};
  }
  const double c = k * 0.0625;
  const DoubleDouble cx = product(x, c), cy = product(y, c);
  const DoubleDouble t = quotient(sum(y, {-cx.high, -cx.low}), sum(x, cy));
  const double z = t.high * t.high;
  const DoubleDouble main = fast_two_sum(arcs[k].high, t.high);
  return {main.high, main.low + (t.low + arcs[k].low + t.high * z * atan_polynomial(z))};
}

DoubleDouble difference(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const DoubleDouble high = fast_two_sum(a.high, -b.high);
  return {high.high, high.low + (a.low - b.low)};
}

// The angle of (x, y) with y >= 0: from 0 to pi.
double angle(const DoubleDouble& y, const DoubleDouble& x) noexcept {
  const bool left = x.high < 0.0;
  const DoubleDouble across = left ? DoubleDouble{-x.high, -x.low} : x;
  const bool steep = y.high > across.high;
  DoubleDouble out = steep ? difference(half_pi, angle_below_diagonal(across, y)) : angle_below_diagonal(y, across);
  if (left) out = difference(pi, out);
  return out.high + out.low;
}

// 1 - x^2, with all digits also near |x| = 1
DoubleDouble one_minus_square(double x) noexcept {
  const DoubleDouble square = two_square(x), rest = two_sum(1.0, -square.high);
  return fast_two_sum(rest.high, rest.low - square.low);
}

// sqrt(1 - x^2) for |x| < 1
DoubleDouble other_side(double x) noexcept {
  const DoubleDouble square = one_minus_square(x);
  const double root = std::sqrt(square.high);
  const DoubleDouble back = two_square(root);
  return fast_two_sum(root, (((square.high - back.high) - back.low) + square.low) / (2.0 * root));
}

// Angles of the axes, of infinities and of nans, for y >= 0.
double special_angle(double y, double x) noexcept {
  if (is_nan(x) || is_nan(y)) return x + y;
  const bool left = negative(x);
  if (y == 0.0) return left ? pi.high : 0.0;
  if (x == 0.0) return half_pi.high;
  if (!is_finite(x) && !is_finite(y)) return left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;  // 3 pi/4, pi/4
  if (!is_finite(y)) return half_pi.high;
  return left ? pi.high : 0.0;
}

// atan2 for y >= 0. Angles below 2^-60 are y/x; those as close to pi/2 or pi are rounded to them. Others are computed with
// both coordinates scaled by a power of two, so that no product overflows or loses digits.
double upper_angle(double y, double x) noexcept {
  if (!is_finite(x) || !is_finite(y) || x == 0.0 || y == 0.0) return special_angle(y, x);
  const double across = magnitude(x);
  if (y * 0x1p-60 > across) return half_pi.high;
  if (across * 0x1p-60 > y) return negative(x) ? pi.high : y / across;
  const double larger = y > across ? y : across;
  const double scale = larger > 0x1p500 ? 0x1p-500 : larger < 0x1p-300 ? 0x1p500 : 1.0;
  return angle({scale * y, 0.0}, {scale * x, 0.0});
}

}  // namespace

double atan2(double y, double x) noexcept {
  const double angle = upper_angle(magnitude(y), x);
  return is_nan(angle) ? angle : with_sign(angle, y);
}

double atan(double x) noexcept { return atan2(x, 1.0); }

double asin(double x) noexcept {
  const double size = magnitude(x);
  if (size < 0x1p-27) return x;
  if (size < 1.0) return with_sign(angle({size, 0.0}, other_side(size)), x);
  return size == 1.0 ? with_sign(half_pi.high, x) : invalid(x);
}

double acos(double x) noexcept {
  const double size = magnitude(x);
  if (size < 0x1p-60) return half_pi.high;
  if (size < 1.0) return angle(other_side(size), {x, 0.0});
  if (size > 1.0 || is_nan(x)) return invalid(x);
  return x > 0.0 ? 0.0 : pi.high;
}

}  // namespace contactlib::math

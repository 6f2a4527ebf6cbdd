// cbrt and hypot
#include <cmath>

#include "math/bits.hpp"
#include "math/double_double.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {
namespace {

// The cube root to 5 %: a third of the bits is nearly a third of the binary logarithm.
double root_to_five_percent(double x) noexcept { return from_bits(bits_of(x) / 3 + 0x2a9f7893782da1ceu); }

// The cube root of a normal x > 0 whose cube neither overflows nor loses digits. Each step of Halley's method
//   y (y^3 + 2 x)/(2 y^3 + x)
// cubes the error; the last step is Newton's, with y^3 of 106 bits.
double positive_root(double x) noexcept {
  double y = root_to_five_percent(x);
  for (int i = 0; i < 2; ++i) {
    const double cube = y * y * y;
    y *= (cube + 2.0 * x) / (2.0 * cube + x);
  }
  const DoubleDouble square = two_square(y), cube = product(square, y);
  return y + ((x - cube.high) - cube.low) / (3.0 * square.high);
}

}  // namespace

double cbrt(double x) noexcept {
  if (x == 0.0 || !is_finite(x)) return x;
  const double size = magnitude(x);
  if (size > 0x1p900) return with_sign(0x1p100 * positive_root(0x1p-300 * size), x);
  if (size < 0x1p-500) return with_sign(0x1p-200 * positive_root(0x1p600 * size), x);
  return with_sign(positive_root(size), x);
}

// sqrt(a^2 + b^2) with squares of 106 bits, then one step of Newton's method:  h + (a^2 + b^2 - h^2)/(2 h)
double hypot(double x, double y) noexcept {
  double a = magnitude(x), b = magnitude(y);
  if (a == infinity || b == infinity) return infinity;
  if (is_nan(a) || is_nan(b)) return a + b;
  if (a < b) {
    const double other = a;
    a = b;
    b = other;
  }
  if (b <= a * 0x1p-54) return a;  // b adds less than half an ulp; also where both are 0
  double scale = 1.0;
  if (a > 0x1p500) scale = 0x1p600;
  if (b < 0x1p-400) scale = 0x1p-600;
  if (scale != 1.0) a /= scale, b /= scale;
  const DoubleDouble aa = two_square(a), bb = two_square(b), squares = fast_two_sum(aa.high, bb.high);
  const double h = std::sqrt(squares.high);
  const DoubleDouble back = two_square(h);
  const double rest = ((squares.high - back.high) - back.low) + (squares.low + (aa.low + bb.low));
  return scale * (h + rest / (2.0 * h));
}

}  // namespace contactlib::math

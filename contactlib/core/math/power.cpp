// pow:  x^y = exp(y log(x)) with a logarithm of 65 bits or more
#include "math/bits.hpp"
#include "math/elementary.hpp"
#include "math/exponential.hpp"

namespace contactlib::math {
namespace {

bool whole(double y) noexcept { return trunc(y) == y; }

// Doubles from 2^53 on are even.
bool odd(double y) noexcept { return magnitude(y) < 0x1p53 && whole(y) && (static_cast<std::int64_t>(y) & 1) != 0; }

// x^y for a positive and finite x other than 1, and a finite y other than 0
double power_of_positive(double x, double y) noexcept {
  // |log(x)| is 2^-53 or more, and less than 2^10
  if (magnitude(y) > 0x1p64) return (x > 1.0) == (y > 0.0) ? infinity : 0.0;
  if (magnitude(y) < 0x1p-64) return 1.0;
  const DoubleDouble exponent = product(logarithm(x), y);
  if (exponent.high > 710.0) return infinity;
  if (exponent.high < -746.0) return 0.0;
  return rounded(exponential(exponent));
}

// x is 0 or infinite: the result is 0 or infinite too
double power_of_limit(double x, double y) noexcept {
  const double size = (magnitude(x) == 0.0) == (y < 0.0) ? infinity : 0.0;
  return negative(x) && odd(y) ? -size : size;
}

// y is infinite
double power_to_infinity(double x, double y) noexcept {
  const double size = magnitude(x);
  if (size == 1.0) return 1.0;
  return (size > 1.0) == (y > 0.0) ? infinity : 0.0;
}

}  // namespace

double pow(double x, double y) noexcept {
  if (y == 0.0 || x == 1.0) return 1.0;  // also of a nan
  if (is_nan(x) || is_nan(y)) return x + y;
  if (!is_finite(y)) return power_to_infinity(x, y);
  if (x == 0.0 || !is_finite(x)) return power_of_limit(x, y);
  if (x > 0.0) return power_of_positive(x, y);
  if (!whole(y)) return invalid(x);
  const double size = x == -1.0 ? 1.0 : power_of_positive(-x, y);
  return odd(y) ? -size : size;
}

}  // namespace contactlib::math

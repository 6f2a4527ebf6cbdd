#include "math/bits.hpp"
#include "math/elementary.hpp"
#include "math/exponential.hpp"
#include "math/log_table.hpp"

namespace contactlib::math {
namespace {

// log(2); the first part is a multiple of 2^-42, as those in the table are
constexpr double log_2_high = 0x1.62e42fefa3800p-1, log_2_low = 0x1.ef35793c76730p-45;

// (log(1 + z) - z + z^2/2)/z^3 for |z| < 0.0074: least relative error of log(1 + z) by Remez's algorithm, 2^-74
double log_polynomial(double z) noexcept {
  const double zz = z * z;
  const double low = 0x1.5555555555555p-2 + z * -0x1.000000000004ap-2;
  const double middle = 0x1.9999999999b4ep-3 + z * -0x1.55555547df7dfp-3;
  const double high = 0x1.2492490eca325p-3 + z * (-0x1.0005e2d109627p-3 + z * 0x1.c72a00a508566p-4);
  return low + zz * (middle + zz * high);
}

// x = 2^k m with 0.707 < m < 1.414, and m's row of the table
struct Scaled {
  double m;
  int k;
  const LogRow* row;
};

Scaled scaled(double x) noexcept {
  const std::uint64_t bits = bits_of(x), fraction = bits & fraction_bits;
  const int row = static_cast<int>((fraction + (std::uint64_t{1} << 44)) >> 45);  // nearest
  const int half = row >= log_halved ? 1 : 0;
  const double m = from_bits(fraction | (static_cast<std::uint64_t>(1023 - half) << 52));
  return {m, exponent_field(x) - 1023 + half, &log_table[row]};
}

}  // namespace

// After P.-T. P. Tang, "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic", ACM
// TOMS 16 (1990) 378-400:  log(x) = k log(2) + log(c) + log(1 + z),   z = m/c - 1
// 1/c has 9 bits: the products of 32 bits and of 21 bits of m with it are exact, and so is z as a sum.
DoubleDouble logarithm(double x, double y) noexcept {
  const Scaled s = scaled(x);
  const double inverse = s.row->inverse, k = s.k;
  const double m_high = from_bits(bits_of(s.m) & ~std::uint64_t{0x1fffff}), m_low = s.m - m_high;
  DoubleDouble z = two_sum(m_high * inverse - 1.0, m_low * inverse);
  if (y != 0.0) z = fast_two_sum(z.high, z.low + y / x * (s.m * inverse));
  const DoubleDouble square = two_square(z.high);
  const double cube = z.high * square.high * log_polynomial(z.high);
  const DoubleDouble first = two_sum(k * log_2_high + s.row->high, z.high);  // the sum before is exact
  const DoubleDouble second = two_sum(first.high, -0.5 * square.high);
  const double constants = k * log_2_low + s.row->low;
  const double squares = 0.5 * square.low + z.high * z.low;
  return fast_two_sum(second.high, second.low + (first.low + (constants + z.low + (cube - squares))));
}

DoubleDouble logarithm(double x) noexcept {
  if (x >= smallest_normal) return logarithm(x, 0.0);
  return sum(logarithm(0x1p54 * x, 0.0), {-54.0 * log_2_high, -54.0 * log_2_low});
}

double log(double x) noexcept {
  if (x > 0.0 && x < infinity) return logarithm(x).high;
  if (x == 0.0) return -infinity;
  return x < 0.0 ? invalid(x) : x;
}

double log1p(double x) noexcept {
  if (magnitude(x) < 0x1p-54) return x;
  if (x > -1.0 && x < infinity) {
    const DoubleDouble sum = two_sum(1.0, x);
    return logarithm(sum.high, sum.low).high;
  }
  if (x == -1.0) return -infinity;
  return x < -1.0 ? invalid(x) : x;
}

}  // namespace contactlib::math

#include "math/angle_reduction.hpp"

#include <cstdint>

#include "math/bits.hpp"

namespace contactlib::math {
namespace {

// pi/2 as a sum of four parts. The first three have 33 bits, so that n times each is exact for n below 2^20.
constexpr double part_1 = 0x1.921fb544p+0, part_2 = 0x1.0b4611a6p-34, part_3 = 0x1.3198a2ep-69;
constexpr double part_4 = 0x1.b839a252049c1p-104;
constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
constexpr double largest_direct = 0x1p20;
constexpr double to_integer = 0x1.8p52;  // a sum with it is rounded to an integer

// W. J. Cody, W. Waite, "Software manual for the elementary functions", 1980: rest = ((x - n p1) - n p2) - ...
// Doubles below 2^20 are never nearer than 2^-62 to a multiple of pi/2, and the parts reach down to 2^-157.
ReducedAngle subtract_parts(double x) noexcept {
  const double n = (x * two_over_pi + to_integer) - to_integer;
  const double first = x - n * part_1;  // exact
  const DoubleDouble second = two_sum(first, -n * part_2);
  const DoubleDouble third = two_sum(second.high, -n * part_3);
  const double low = (second.low + third.low) - n * part_4;
  return {fast_two_sum(third.high, low), static_cast<int>(static_cast<std::int64_t>(n) & 3)};
}

// 2/pi, 64 bits before and 1280 bits after the point.
constexpr int words = 42, before_point = 2, window = 8;
constexpr std::uint32_t digits_of_two_over_pi[words] = {
    0x00000000u, 0x00000000u,
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};

// A fixed-point number of 256 bits, the first word highest.
struct Fixed {
  std::uint32_t word[window];
};

// The product of an integer and `window` words of 2/pi from `first` on, modulo 2^256.
Fixed product_with_digits(std::uint64_t integer, int first) noexcept {
  const std::uint64_t low = integer & 0xffffffffu, high = integer >> 32;
  Fixed out{};
  std::uint64_t carry = 0, before = 0;
  for (int i = window - 1; i >= 0; --i) {
    const std::uint64_t digit = digits_of_two_over_pi[first + i];
    const std::uint64_t a = digit * low, b = before * high;  // of the same weight; `high` has 21 bits
    const std::uint64_t sum = (a & 0xffffffffu) + (b & 0xffffffffu) + (carry & 0xffffffffu);
    out.word[i] = static_cast<std::uint32_t>(sum);
    carry = (a >> 32) + (b >> 32) + (carry >> 32) + (sum >> 32);
    before = digit;
  }
  return out;
}

void shift_left(Fixed& x, int count) noexcept {  // 0 to 31 bits
  if (count == 0) return;
  for (int i = 0; i < window; ++i) {
    const std::uint32_t next = i + 1 < window ? x.word[i + 1] >> (32 - count) : 0u;
    x.word[i] = (x.word[i] << count) | next;
  }
}

void negate(Fixed& x) noexcept {
  std::uint64_t carry = 1;
  for (int i = window - 1; i >= 0; --i) {
    carry += static_cast<std::uint32_t>(~x.word[i]);
    x.word[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

// The fraction of 256 bits as a double-double.
DoubleDouble fraction(const Fixed& x) noexcept {
  DoubleDouble sum{0.0, 0.0};
  double weight = 0x1p-32;
  for (int i = 0; i < window; ++i, weight *= 0x1p-32) {
    const DoubleDouble next = two_sum(sum.high, x.word[i] * weight);
    sum = fast_two_sum(next.high, next.low + sum.low);
  }
  return sum;
}

// M. H. Payne, R. N. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18 (1983) 19-24.
// x = m 2^e, m an integer of 53 bits. Words of 2/pi whose product with x is a multiple of 4 are left out. Eight words
// from there on give x 2/pi mod 4 to 2^-170; no double is nearer than 2^-62 to a multiple of pi/2.
ReducedAngle multiply_digits(double x) noexcept {
  const int e = exponent_field(x) - 1075;
  const std::uint64_t m = (bits_of(x) & fraction_bits) | (fraction_bits + 1);
  const int first = (e - 2 + 32 * before_point) / 32;  // the first word with e - 32 (first + 1 - before_point) < 2
  Fixed product = product_with_digits(m, first);
  shift_left(product, e - 32 * (first + 1 - before_point) + 30);  // two bits before the point
  int quadrant = static_cast<int>(product.word[0] >> 30);
  shift_left(product, 2);
  const bool above_half = (product.word[0] >> 31) != 0;
  if (above_half) {
    negate(product);
    ++quadrant;
  }
  const DoubleDouble part = fraction(product);
  DoubleDouble rest = contactlib::math::product(part, DoubleDouble{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (above_half != negative(x)) rest = {-rest.high, -rest.low};
  return {rest, (negative(x) ? -quadrant : quadrant) & 3};
}

}  // namespace

ReducedAngle reduced_angle(double x) noexcept {
  return magnitude(x) < largest_direct ? subtract_parts(x) : multiply_digits(x);
}

}  // namespace contactlib::math

// Doubles as their 64 bits (IEEE 754, binary64): sign, 11 bits of the exponent, 52 bits of the fraction.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

namespace contactlib::math {

inline constexpr std::uint64_t sign_bit = 0x8000000000000000u;
inline constexpr std::uint64_t fraction_bits = 0x000fffffffffffffu;
inline constexpr std::uint64_t infinity_bits = 0x7ff0000000000000u;
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double smallest_normal = 0x1p-1022;

inline std::uint64_t bits_of(double x) noexcept {
  std::uint64_t out;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

inline double from_bits(std::uint64_t bits) noexcept {
  double out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

inline double magnitude(double x) noexcept { return from_bits(bits_of(x) & ~sign_bit); }

inline double with_sign(double x, double sign) noexcept {
  return from_bits((bits_of(x) & ~sign_bit) | (bits_of(sign) & sign_bit));
}

inline bool negative(double x) noexcept { return (bits_of(x) & sign_bit) != 0; }  // also of -0 and of a nan

inline bool is_nan(double x) noexcept { return x != x; }

inline bool is_finite(double x) noexcept { return (bits_of(x) & infinity_bits) != infinity_bits; }

// The exponent field: e + 1023 for a normal number 1.f 2^e, 0 for zeros and subnormal numbers.
inline int exponent_field(double x) noexcept { return static_cast<int>((bits_of(x) >> 52) & 0x7ff); }

// 2^k for a normal result: -1022 <= k <= 1023
inline double power_of_two(int k) noexcept { return from_bits(static_cast<std::uint64_t>(k + 1023) << 52); }

// A domain error of the C standard: a nan by an invalid operation.
inline double invalid(double x) noexcept { return (x - x) / (x - x); }

}  // namespace contactlib::math

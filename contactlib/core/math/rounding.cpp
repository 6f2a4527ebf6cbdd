// Remainders and neighbours: all results are exact.
#include "math/bits.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {
namespace {

// x = integer 2^exponent, for a finite x > 0
struct Parts {
  std::uint64_t integer;
  int exponent;
};

Parts parts_of(double x) noexcept {
  const int field = exponent_field(x);
  const std::uint64_t fraction = bits_of(x) & fraction_bits;
  return field == 0 ? Parts{fraction, -1074} : Parts{fraction | (fraction_bits + 1), field - 1075};
}

double joined(const Parts& p) noexcept {  // of at most 53 bits
  const double integer = static_cast<double>(p.integer);
  if (p.exponent > 900) return integer * 0x1p900 * power_of_two(p.exponent - 900);
  return p.exponent < -1000 ? integer * 0x1p-1000 * power_of_two(p.exponent + 1000) : integer * power_of_two(p.exponent);
}

struct Division {
  double rest;
  bool odd;  // whether the integer part of the quotient is odd
};

// Long division of x by y, both positive and finite: a bit of the quotient for each step.
Division divide(double x, double y) noexcept {
  if (x < y) return {x, false};
  const Parts a = parts_of(x), b = parts_of(y);
  std::uint64_t rest = a.integer % b.integer;
  bool odd = (a.integer / b.integer & 1) != 0;
  for (int steps = a.exponent - b.exponent; steps > 0; --steps) {
    rest <<= 1;
    odd = rest >= b.integer;
    if (odd) rest -= b.integer;
  }
  return {joined({rest, b.exponent}), odd};
}

bool undefined(double x, double y) noexcept { return is_nan(x) || is_nan(y) || !is_finite(x) || y == 0.0; }

}  // namespace

double fmod(double x, double y) noexcept {
  if (undefined(x, y)) return invalid(x * y);
  if (x == 0.0 || !is_finite(y)) return x;
  return with_sign(divide(magnitude(x), magnitude(y)).rest, x);
}

double remainder(double x, double y) noexcept {
  if (undefined(x, y)) return invalid(x * y);
  if (x == 0.0 || !is_finite(y)) return x;
  const double size = magnitude(y);
  const Division d = divide(magnitude(x), size);
  const double beyond = size - d.rest;  // how far the next multiple is: exact, a multiple of y's unit
  const bool up = d.rest > beyond || (d.rest == beyond && d.odd);
  const double rest = with_sign(up ? beyond : d.rest, x);
  return up ? -rest : rest;
}

double nextafter(double x, double y) noexcept {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x == y) return y;
  if (x == 0.0) return with_sign(from_bits(1), y);
  const bool away = (y > x) == (x > 0.0);
  return from_bits(away ? bits_of(x) + 1 : bits_of(x) - 1);
}

}  // namespace contactlib::math

#include "normal.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib {

namespace {

// the exponents of a line, a Hertz point and a cone need no pow(), whose last bit differs between C libraries.
double power(double x, double n) noexcept {
  if (n == 1.0) return x;
  if (n == 1.5) return x * std::sqrt(x);
  if (n == 2.0) return x * x;
  return std::pow(x, n);
}

}  // namespace

// f = max(0, k x + c xdot)
NormalForce kelvin_voigt(double depth, double depth_rate, const double* parameters) noexcept {
  const double k = parameters[0], c = parameters[1];
  return {std::max(0.0, k * depth + c * depth_rate), 0.5 * k * depth * depth};
}

// f = max(0, k x^n (1 + lambda xdot)): damping that starts at zero with the depth (Hunt & Crossley 1975).
NormalForce hunt_crossley(double depth, double depth_rate, const double* parameters) noexcept {
  const double k = parameters[0], n = parameters[1], lambda = parameters[2];
  const double spring = k * power(depth, n);
  return {std::max(0.0, spring * (1.0 + lambda * depth_rate)), spring * depth / (n + 1.0)};
}

}  // namespace contactlib

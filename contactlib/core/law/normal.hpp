// the normal laws, inline: press_many() takes them into its loop.
#pragma once

#include <algorithm>
#include <cmath>

#include "laws.hpp"

namespace contactlib::law {

// the exponents of a line, a Hertz point and a cone need no pow(), whose last bit differs between C libraries.
inline double power(double x, double n) noexcept {
  if (n == 1.0) return x;
  if (n == 1.5) return x * std::sqrt(x);
  if (n == 2.0) return x * x;
  return std::pow(x, n);
}

// what is left of a force that would pull is zero; whatever differs from the spring turns into heat.
inline NormalForce pushing(double force, double spring, double depth_rate, double stored) noexcept {
  const double f = std::max(0.0, force);
  return {f, stored, (f - spring) * depth_rate};
}

// damping that starts at zero with the spring's force (Hunt & Crossley 1975).
inline NormalForce damped(double spring, double lambda, double depth_rate, double stored) noexcept {
  return pushing(spring * (1.0 + lambda * depth_rate), spring, depth_rate, stored);
}

// for laws of which a contact model is the whole.
inline NormalForce no_push(const Pressing&, const double*) noexcept { return {0.0, 0.0, 0.0}; }

// f = max(0, k x + c xdot)
inline NormalForce kelvin_voigt(const Pressing& pressing, const double* parameters) noexcept {
  const double k = parameters[0], c = parameters[1], x = pressing.depth;
  return pushing(k * x + c * pressing.depth_rate, k * x, pressing.depth_rate, 0.5 * k * x * x);
}

// f = max(0, k x^n (1 + lambda xdot))
inline NormalForce hunt_crossley(const Pressing& pressing, const double* parameters) noexcept {
  const double k = parameters[0], n = parameters[1], lambda = parameters[2], x = pressing.depth;
  const double spring = k * power(x, n);
  return damped(spring, lambda, pressing.depth_rate, spring * x / (n + 1.0));
}

// f = max(0, 4/3 E* sqrt(R) x^(3/2) (1 + lambda xdot))
inline NormalForce hertz(const Pressing& pressing, const double* parameters) noexcept {
  const double E = parameters[0], R = parameters[1], lambda = parameters[2], x = pressing.depth;
  const double spring = 4.0 / 3.0 * E * x * std::sqrt(R * x);
  return damped(spring, lambda, pressing.depth_rate, 0.4 * spring * x);
}

// f = max(0, F(x) (1 + lambda xdot)), F straight between the points
inline NormalForce curve(const Pressing& pressing, const double* parameters) noexcept {
  const CurvePoint here = curve_at(pressing.curve, pressing.depth);
  return damped(here.force, parameters[0], pressing.depth_rate, here.stored);
}

template <auto law>
void press_many(const PressedBlock& block, const double* parameters, const Curve& curve) noexcept {
  double* __restrict force = block.force, * __restrict stored = block.stored, * __restrict heat = block.heat;
  for (std::size_t i = 0; i < block.count; ++i) {
    const bool touches = block.depth[i] > 0.0;
    const NormalForce found = law({touches ? block.depth[i] : 0.0, block.depth_rate[i], curve}, parameters);
    force[i] = touches ? found.force : 0.0;
    stored[i] = touches ? found.stored : 0.0;
    heat[i] = touches ? found.heat : 0.0;
  }
}

// as the table has it.
template <auto law>
inline constexpr NormalLaw normal_law{law, press_many<law>};

}  // namespace contactlib::law

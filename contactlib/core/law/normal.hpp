// The parts of a normal law that contact models share.
#pragma once

#include <algorithm>

#include "laws.hpp"

namespace contactlib::law {

// A normal force never pulls. Its difference from the spring force is dissipated.
inline NormalForce pushing(double force, double spring, double depth_rate, double stored) noexcept {
  const double f = std::max(0.0, force);
  return {f, stored, (f - spring) * depth_rate};
}

}  // namespace contactlib::law

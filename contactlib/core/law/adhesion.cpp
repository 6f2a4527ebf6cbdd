#include "adhesion.hpp"

#include <algorithm>

namespace contactlib::law {

AdhesionForce no_adhesion(const Pressing&, const double*) noexcept { return {0.0, 0.0}; }

// DMT's constant attraction P beside the normal law, led in over a small depth so that nothing jumps at touch:
//   f = P min(1, x/range),   stored = -(area under f)
// it needs no contact across a gap: clinging bodies rest at a depth, and part where the normal law falls short of P.
AdhesionForce pull_off(const Pressing& pressing, const double* parameters) noexcept {
  const double P = parameters[0], range = parameters[1];
  const double x = std::min(pressing.depth, range), beyond = pressing.depth - x;
  const double force = P * (x / range);
  return {force, -force * (0.5 * x + beyond)};
}

}  // namespace contactlib::law

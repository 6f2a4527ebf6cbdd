// What the derivative of a weight adds to a force.
#pragma once

#include <algorithm>
#include <cmath>

#include "springs.hpp"

namespace contactlib::geometry {

inline double fourth(double x) noexcept { return x * x * (x * x); }

// A force, and by how far the line of action moves.
struct AddedForce {
  Vec3 force, shift;
};

// To a force that acts through x, `more` is added. Both parts are limited smoothly: the force to `most`, the shift to
// `furthest`. Along the sum of both forces a couple cannot be applied by a shift.
inline AddedForce added_force(const Vec3& force, const Vec3& x, const Decrease& more, double most,
                              double furthest) noexcept {
  const Vec3 total = force + more.force;
  const Vec3 shift = total.cross(more.couple - x.cross(more.force)) / total.squaredNorm();
  const double much = std::max(more.force.norm() / most, shift.norm() / furthest);
  const double part = 1.0 / std::sqrt(std::sqrt(1.0 + fourth(much)));
  return {part * more.force, part * shift};
}

}  // namespace contactlib::geometry

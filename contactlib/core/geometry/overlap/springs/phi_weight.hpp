// How much the smooth depth Phi of a patch counts, against the depth that replaces it.
#pragma once

#include "springs.hpp"

namespace contactlib::geometry {

// 1 where Phi is near the greatest thickness and its gradient near a unit vector along u; 0 where it is not, as on a spike
// beside a wide and shallow part; smooth between. Of a branch, whose Phi is limited by the thickness, both may differ more.
double weight_of(const SmoothDepth& peak, double thickness, const Vec3& u, bool is_branch) noexcept;

// The same of a patch whose contact is known, above its level
double weight_of(const SmoothDepth& peak, const PatchContact& patch) noexcept;

// Derivatives of the weight of a patch.
struct WeightSlopes {
  double by_length = 0.0;     // by the length of grad Phi
  double by_part = 0.0;       // by Phi over the thickness
  double by_direction = 0.0;  // by the cosine of the angle between grad Phi and u

  bool any() const noexcept { return by_length != 0.0 || by_part != 0.0 || by_direction != 0.0; }
};

WeightSlopes slopes_of(const SmoothDepth& peak, const PatchContact& patch) noexcept;

// One contact of two: `smooth` with the weight, `plain` with the rest, and the force of the changing weight.
SingleContact mixed(const PatchContact& patch, double weight, const SingleContact& smooth,
                    const SingleContact& plain) noexcept;

}  // namespace contactlib::geometry

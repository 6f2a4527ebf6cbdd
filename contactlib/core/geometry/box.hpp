#pragma once

#include "sweep.hpp"

namespace contactlib {

void sphere_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// the part `p +- half` of B's axes.
struct BoxSolid {
  Vec3 centre_B;
  Vec3 half;
};

Nearest nearest_on_box(const BoxSolid& box, const Vec3& p_B) noexcept;
void add_box_edges(Manifold& out, const Sweep& sweep, const BoxSolid& box) noexcept;

// the stretch of the axis inside the box; false if it misses.
bool clip(const Sweep& sweep, const BoxSolid& box, double& s0, double& s1) noexcept;

}  // namespace contactlib

#pragma once

#include "sweep.hpp"

namespace contactlib::geometry {

void sphere_cylinder(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_cylinder(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// Of the cylinder about the z axis with its middle at the origin.
Nearest nearest_on_cylinder(double radius, double half, const Vec3& p) noexcept;

}  // namespace contactlib::geometry

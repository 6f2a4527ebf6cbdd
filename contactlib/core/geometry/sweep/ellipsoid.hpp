#pragma once

#include "sweep.hpp"

namespace contactlib::geometry {

void sphere_ellipsoid(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_ellipsoid(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// Of the ellipsoid with these semi-axes along x, y, z.
Nearest nearest_on_ellipsoid(const Vec3& semi_axes, const Vec3& p) noexcept;

// The s in [0, length] where the signed distance of Q0 + s d is least; d has unit length.
double deepest_in_ellipsoid(const Vec3& semi_axes, const Vec3& Q0, const Vec3& d, double length) noexcept;

}  // namespace contactlib::geometry

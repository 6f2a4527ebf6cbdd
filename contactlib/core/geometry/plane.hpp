#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void sphere_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void ellipsoid_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void socket_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void sphere_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void triangle_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void ellipsoid_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void box_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void cylinder_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void polyhedron_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void socket_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void mesh_plane(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

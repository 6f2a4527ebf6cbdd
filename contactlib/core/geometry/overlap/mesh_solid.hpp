// Solids against a mesh, by overlap patches.
#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// A: box or polyhedron.
void convex_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

void mesh_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// A is of the kind in the function's name, B is the mesh.
void triangle_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
// A: an ellipsoid.
void curved_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

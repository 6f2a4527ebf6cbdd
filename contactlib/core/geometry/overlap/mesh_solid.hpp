// solids against a mesh, by patches of overlap.
#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

// A: box or polyhedron.
void convex_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

void mesh_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// the shape that names it
void triangle_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
// A: an ellipsoid. a sphere would do as well.
void curved_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

// Round solids against a mesh: the parts of the mesh's surface inside the solid, with the solid's extent field, and where
// the solid is deep in the mesh, its core in the mesh.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::geometry {

// A is of the kind in the function's name, B is the mesh.
void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void ellipsoid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// B is a triangle, a box or a polyhedron.
void capsule_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

void capsule_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void capsule_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// Only the surface of the mesh inside the sphere.
void add_sphere_on_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

// Surface contacts of solids with plane faces.
#pragma once

#include "surface_pieces.hpp"

namespace contactlib::geometry {

// Two of triangle, box, polyhedron.
void polytope_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// A: box, polyhedron, mesh.
void solid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// A: triangle, box, polyhedron.
void polytope_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void mesh_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

// Surface contacts of boxes and polyhedra that may be rounded. Where none is, they are those of faces.hpp.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::geometry {

// Two of triangle, box, polyhedron.
void rounded_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

// A: box, polyhedron.
void rounded_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void rounded_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

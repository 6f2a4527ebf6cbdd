// Cylinders against solids with plane faces.
#pragma once

#include "surface_pieces.hpp"

namespace contactlib::geometry {

// Adds the part of a convex polygon (out.polygon[0], in the cylinder's axes) that is inside a cylinder. Its extents are
//   e = min((r^2 - x^2 - y^2)/(2 r), h - |z|),  h half of its length:
// the distances from its surface up to second order.
void add_in_cylinder(double r, double h, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept;

void triangle_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

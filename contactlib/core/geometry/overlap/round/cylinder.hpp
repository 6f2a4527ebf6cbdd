// Cylinders against solids with plane faces.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::geometry {

// Adds the part of a convex polygon (out.polygon[0], in the cylinder's axes) that is inside a cylinder. Its extents are
//   e = min((r^2 - x^2 - y^2)/(2 r), h - |z|),  h half of its length:
// the distances from its surface up to second order. With `disc` > 0, only the part within this radius about the origin
// of the plane.
void add_in_cylinder(double r, double h, const PolygonPlane& plane, int count, double disc,
                     SurfaceScratch& out) noexcept;

// The square around a disc about the origin of the plane; the extents of its corners are not set. Returns their number.
int square_around(double disc, Corner* out) noexcept;

void triangle_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;
void cylinder_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

// The extent field of a rounded box or polyhedron outside of its core: the rounding less the distance to the core.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::geometry {

// Of the core's size: where the field of the rounding ends, inside the core. It is more than rounding of a double.
inline constexpr double border_width = 1e-12;

// Adds what the rounding r of the core has of the polygon in out.polygon[0]. The polygon, without extents, is cut to where
// it is within r of the planes of all faces; returns its number of corners, 0 if none is left.
int add_around_core(const Surface& core, double r, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept;

// Adds to each extent the rounding.
struct AddRaised {
  double r;

  void operator()(const PolygonPlane& plane, Corner* cell, int count, const Slope& extent, const Vec3& n,
                  SurfaceScratch& out) const noexcept {
    for (Corner* x = cell; x < cell + count; ++x) x->e = r + extent.at(*x);
    add_piece(plane, cell, count, n, out);
  }
};

// From the core of the solid whose surface counts to its surface, which is r nearer to the solid with the field. After
// integrate().
void move_to_rounding(double r, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

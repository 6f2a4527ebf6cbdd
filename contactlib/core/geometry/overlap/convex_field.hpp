// The extent field of a convex solid with plane faces: the distance of an inner point to the nearest of its faces. On a
// polygon inside the solid it is linear on each cell, the part where one face is the nearest.
#pragma once

#include "geometry/surface/surface.hpp"
#include "surface_points.hpp"

namespace contactlib::geometry {

// The faces of a convex solid.
struct ConvexField {
  const Face* faces;
  int count;
};

// How points in the axes of the field's solid become those of a contact.
struct FieldPlacement {
  Mat3 R_AF;      // from the axes of the field's solid to those of A
  Vec3 p_AF_A;    // m
  double sign;    // 1: the field is that of A, -1: of B
  double weight;  // of the surface
  bool sheet;     // the surface has two sides
};

// Adds the part of the polygon out.polygon[0] with `count` corners and the unit normal n_S that is inside the solid. The
// polygon is in the axes of the solid. It is changed.
void add_polygon(const ConvexField& field, int count, const Vec3& n_S, const FieldPlacement& placement,
                 SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

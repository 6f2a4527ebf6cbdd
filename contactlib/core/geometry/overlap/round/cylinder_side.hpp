// The side of a cylinder in a convex solid with plane faces. Along a straight line of the side, the extents are linear on
// each cell; so the side is a family of lines, each integrated in closed form, over the angle.
#pragma once

#include "geometry/overlap/side_face.hpp"

namespace contactlib::geometry {

struct SurfaceScratch;

// In the axes of the field.
struct CylinderSide {
  Vec3 centre, t_1, t_2, axis;  // m; unit
  double r, h;  // m, h half of the length

  Vec3 radial(double cosine, double sine) const noexcept { return cosine * t_1 + sine * t_2; }
};

// Adds the part of the side inside the faces in out.side_faces[0 .. count). They are reordered.
void add_side(const CylinderSide& side, int count, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

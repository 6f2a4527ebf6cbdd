// The side of a cylinder in a convex solid with plane faces. Along a straight line of the side, the extents are linear on
// each cell; so the side is a family of lines, each integrated in closed form, over the angle.
#pragma once

#include <cmath>

#include "base/vectors.hpp"

namespace contactlib::geometry {

struct SurfaceScratch;

// In the axes of the field.
struct CylinderSide {
  Vec3 centre, t_1, t_2, axis;  // m; unit
  double r, h;  // m, h half of the length

  Vec3 radial(double cosine, double sine) const noexcept { return cosine * t_1 + sine * t_2; }
};

// A face of the field over the side, at the angle a and the height z:  e = A + B_1 cos a + B_2 sin a + C z
struct SideFace {
  double A, B_1, B_2, C;
  Vec3 n;  // unit

  double at(double cosine, double sine) const noexcept { return A + B_1 * cosine + B_2 * sine; }
  double reach() const noexcept { return std::sqrt(B_1 * B_1 + B_2 * B_2); }
};

// Adds the part of the side inside the faces in out.side_faces[0 .. count). They are reordered.
void add_side(const CylinderSide& side, int count, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

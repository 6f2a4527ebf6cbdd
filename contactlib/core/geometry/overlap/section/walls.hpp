// The faces of the solid A against which a patch is measured: a polytope's own, or those of a polytope around a curved
// solid, fine near the patch.
#pragma once

#include "geometry/surface/boxes.hpp"
#include "scratch.hpp"

namespace contactlib::geometry {

// The part of a cylinder that needs fine walls.
struct Zone {
  double middle;  // rad, around A's axis: a strip is tangent to the side there
  double width;   // rad, half the angle around the axis that is fine; pi or more: all around, fine nowhere
};

// A prism around a cylinder, fine in all zones.
struct CylinderWalls {
  static constexpr int max_zones = 16, max_strips = 192;  // strips: on either side of the narrowest zone
  static constexpr double all_around = 10.0;  // rad, of a zone

  Zone zones[max_zones];
  int count = 0;         // at least one when walls are written
  bool crowded = false;  // more zones than the capacity: all strips are equal, as narrow as the capacity allows
  bool holds = true;  // the cylinder is inside; false: its side is as far off the axis as the prism's on the average

  void add(const Zone& zone) noexcept {
    if (count < max_zones)
      zones[count++] = zone;
    else
      crowded = true;
  }

  // Writes the walls of A. X: A's axes to B's.
  void write(const Shape& A, const Axes& X, OverlapScratch& out) const noexcept;
  // How much A extends beyond its walls where it lies on a flat face with normal n, m.
  double deeper(const Shape& A, const Axes& X, const Vec3& n) const noexcept;
};

inline constexpr int cylinder_walls = 2 * CylinderWalls::max_strips + 2;

// Writes the walls of A. X: A's axes to B's.
void polytope_walls(const Surface& a, const Axes& X, OverlapScratch& out) noexcept;
// The prism over a triangle, from `low` to `high` along its normal, m.
void prism_walls(const Vec3* corners_A, double low, double high, const Axes& X, OverlapScratch& out) noexcept;

inline void forget_walls(OverlapScratch& out) noexcept {
  out.walls.clear();
  out.sheet.there = false;
  out.corners.clear();
}

// Whether a point of B inside A, in A's axes, is near the side; one near the axis needs no fine walls.
inline bool near_side(const Shape& A, const Vec3& x_A) noexcept {
  return x_A.head<2>().squaredNorm() >= 0.25 * A.size[0] * A.size[0];
}
// The angle from one direction around the axis to another, rad, 0 to pi.
double angle_between(double one, double other) noexcept;

}  // namespace contactlib::geometry

// the faces of the solid A that a patch is measured against: of a polytope its own, of a curved solid those of a
// polytope around it, fine where the patch is.
#pragma once

#include "geometry/surface/boxes.hpp"
#include "scratch.hpp"

namespace contactlib {

// where a cylinder is to be fine.
struct Zone {
  Vec3 n;        // unit, out of B, in B's axes: the solid is fine where its outward normal is near -n
  double width;  // rad, half the angle around the axis that is fine; pi or more: all around, fine nowhere
};

// a prism around a cylinder, fine in all zones.
struct CylinderWalls {
  static constexpr int most_zones = 16, most_strips = 192;  // strips: on either side of the narrowest zone
  static constexpr double all_around = 10.0;  // rad, of a zone

  Zone zones[most_zones];
  int count = 0;         // at least one when walls are written
  bool crowded = false;  // there are more zones than that: all strips are equal, as narrow as there is room for
  bool holds = true;  // the cylinder is inside; false: its side is as far off the axis as the prism's on the average

  void add(const Zone& zone) noexcept {
    if (count < most_zones)
      zones[count++] = zone;
    else
      crowded = true;
  }

  // writes the walls of A. X: A's axes to B's.
  void write(const Shape& A, const Axes& X, OverlapScratch& out) const noexcept;
  // how much deeper than the walls A reaches where it lies on something flat whose normal is n, m
  double deeper(const Shape& A, const Axes& X, const Vec3& n) const noexcept;
};

inline constexpr int cylinder_walls = 2 * CylinderWalls::most_strips + 2;

// writes the walls of A. X: A's axes to B's.
void polytope_walls(const Surface& a, const Axes& X, OverlapScratch& out) noexcept;
// the prism over a triangle, from `low` to `high` along its normal, m.
void prism_walls(const Vec3* corners_A, double low, double high, const Axes& X, OverlapScratch& out) noexcept;

inline void forget_walls(OverlapScratch& out) noexcept {
  out.walls.clear();
  out.corners.clear();
}

// half the angle that a point of B inside A, in A's axes, is off the middle of the zone.
double cylinder_angle(const Shape& A, const Vec3& n_A, const Vec3& x_A) noexcept;

}  // namespace contactlib

// the faces of the solid A that a patch is measured against: of a polytope its own, of a curved solid those of a
// polytope around it, fine where the patch is.
#pragma once

#include "../mesh_boxes.hpp"
#include "scratch.hpp"

namespace contactlib {

// where a curved solid is to be fine.
struct Zone {
  Vec3 n;        // unit, out of B, in B's axes: the solid is fine where its outward normal is near -n
  double width;  // rad, half the angle, as seen from the solid's middle, that is fine; pi or more: fine nowhere
  bool holds;    // the walls hold the solid everywhere in the zone; false: they touch it in the middle
};

inline constexpr int cylinder_walls = 98;

// writes the walls of A and the box around it, in A's axes. X: A's axes to B's. false: A is no such solid.
void polytope_walls(const Surface& a, const Axes& X, OverlapScratch& out) noexcept;
// the prism over a triangle, from `low` to `high` along its normal, m.
void prism_walls(const Vec3* corners_A, double low, double high, const Axes& X, OverlapScratch& out) noexcept;
// and return how much deeper the solid itself reaches in the middle of the zone, where it lies on something flat, m.
double cylinder_walls_of(const Shape& A, const Axes& X, const Zone& zone, OverlapScratch& out) noexcept;

inline void forget_walls(OverlapScratch& out) noexcept {
  out.walls.clear();
  out.corners.clear();
}

// half the angle that a point of B inside A, in A's axes, is off the middle of the zone.
double cylinder_angle(const Shape& A, const Vec3& n_A, const Vec3& x_A) noexcept;

}  // namespace contactlib

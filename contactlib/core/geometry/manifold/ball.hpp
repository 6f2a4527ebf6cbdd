// Every contact of these tables is made by a ball about a point of A: a sphere, a point of a capsule's axis, or a
// corner as a ball of radius zero. This file makes a contact from a ball and a surface.
#pragma once

#include <cmath>

#include "manifold.hpp"

namespace contactlib::geometry {

// Whether n has unit length to 0.3. Placements that are no rotations produce normals of any length, also zero.
inline bool is_unit(const Vec3& n) noexcept { return std::abs(n.squaredNorm() - 1.0) < 0.5; }

inline void Manifold::add(const Vec3& p_AC_W, const Vec3& n_AB_W, double depth, int feature) noexcept {
  if (!is_unit(n_AB_W)) return;
  ++needed;
  if (capacity == 0) return;
  int slot = count;
  if (count == capacity) {  // full: replaces the shallowest
    slot = 0;
    for (int i = 1; i < capacity; ++i)
      if (points[i].depth < points[slot].depth) slot = i;
    if (points[slot].depth >= depth) return;
  } else {
    ++count;
  }
  points[slot] = {p_AC_W, n_AB_W, depth, feature};
}

// A ball of radius r about P against a surface at signed distance phi from P, with outward normal g:
//   depth = r - phi,   n_AB = -g,   C = P - g (r - depth/2)
inline void add_ball(Manifold& out, const Vec3& p_AP_W, const Vec3& g_W, double r, double phi, int feature) noexcept {
  const double depth = r - phi;
  if (!(depth > 0.0)) return;
  out.add(p_AP_W - g_W * (r - 0.5 * depth), -g_W, depth, feature);
}

// A unit vector perpendicular to the unit vector a.
inline Vec3 perpendicular(const Vec3& a) noexcept {
  int least = 0;
  a.cwiseAbs().minCoeff(&least);
  return a.cross(Vec3::Unit(least)).normalized();
}

}  // namespace contactlib::geometry

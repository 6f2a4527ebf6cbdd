// A sweep whose axis runs through the material (docs/manifolds.md, "Through the solid").
#pragma once

#include <algorithm>

#include "geometry/manifold/load_share.hpp"
#include "sweep.hpp"

namespace contactlib::geometry {

inline constexpr double deeper = 1e-9;  // of a depth: by less than that no contact is the deeper one

// The nearest point to at(s), a point inside a solid on the line at(0) .. at(length). Where two of its faces are
// equally near, rounding would choose; instead the face out of which the whole line has the shorter way is taken,
//   way = least height of both ends over the face's plane
template <class At, class NearestOn>
Nearest nearest_exit(const At& at, double length, const NearestOn& nearest, double s) noexcept {
  const double step = 1e-9 * length;
  const Nearest here = nearest(at(s));
  const Vec3 P0 = at(std::max(0.0, s - step)), P1 = at(std::min(length, s + step)), Q0 = at(0.0), Q1 = at(length);
  const Nearest before = nearest(P0), after = nearest(P1);
  const double turn2 = (before.g_B - after.g_B).squaredNorm();
  if (turn2 < 1e-12) return here;
  const Nearest earlier = nearest(at(std::max(0.0, s - 2.0 * step))),
                later = nearest(at(std::min(length, s + 2.0 * step)));
  // Two faces meet here if g jumps. Beside an ellipsoid's kinks it only turns fast, by about the same angle per step.
  if (turn2 < 16.0 * std::max((before.g_B - earlier.g_B).squaredNorm(), (later.g_B - after.g_B).squaredNorm()))
    return here;
  const auto way = [&](const Nearest& face, const Vec3& P) noexcept {
    return face.phi + std::min(face.g_B.dot(Q0 - P), face.g_B.dot(Q1 - P));
  };
  const bool back = way(before, P0) > way(after, P1);
  // extrapolates to s
  return {here.phi, (back ? 2.0 * before.g_B - earlier.g_B : 2.0 * after.g_B - later.g_B).normalized(), true};
}

template <class NearestOn>
Nearest nearest_exit(const Sweep& sweep, const NearestOn& nearest, double s) noexcept {
  return nearest_exit([&](double at) noexcept { return sweep.at(at); }, sweep.length, nearest, s);
}

inline double deepest_of(const Manifold& out) noexcept {
  double most = 0.0;
  for (int i = 0; i < out.count; ++i) most = std::max(most, out.points[i].depth);
  return most;
}

// Whether the axis is outside a convex solid: above the plane across the normal of some contact whose point is the
// nearest of the whole solid.
inline bool is_clear(const Manifold& out, const Sweep& sweep) noexcept {
  for (int i = 0; i < out.count; ++i) {
    const ManifoldPoint& c = out.points[i];
    const Vec3 p_AS_W = c.p_AC_W - 0.5 * c.depth * c.n_AB_W;
    if (c.depth < sweep.r && c.n_AB_W.dot(p_AS_W) > 0.5 * sweep.length * std::abs(c.n_AB_W.dot(sweep.d_W))) return true;
  }
  return false;
}

// The deepest point of the axis, if it is deeper than all other contacts. Its load share rises continuously from zero:
//   load share = 1 - deepest/depth
inline void add_through(Manifold& out, const Sweep& sweep, double s, const Nearest& nearest,
                        int feature = through_feature) noexcept {
  const double depth = sweep.r - nearest.phi, most = deepest_of(out);
  if (!(nearest.phi < 0.0 && depth - most > deeper * depth)) return;
  const Vec3 g_W = sweep.R_WB * nearest.g_B;
  if (!is_unit(g_W)) return;
  add(out, {sweep.p_AP_W(s) - g_W * (sweep.r - 0.5 * depth), -g_W, depth, feature, 1.0 - most / depth});
}

}  // namespace contactlib::geometry

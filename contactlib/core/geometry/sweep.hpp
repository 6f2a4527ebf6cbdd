// a capsule seen from the solid B: its axis, in B's axes, along which the ball of radius r is swept.
// sphere = a sweep of length zero.
#pragma once

#include "ball.hpp"

namespace contactlib {

struct Sweep {
  Vec3 Q0_B, Q1_B;     // m, the axis' ends from B's origin
  Vec3 d_B;            // unit direction Q0 -> Q1
  double length;       // m
  double r;            // m
  Vec3 d_W;            // the direction in world axes
  const Mat3& R_WB;

  Vec3 at(double s) const noexcept { return Q0_B + s * d_B; }
  Vec3 p_AP_W(double s) const noexcept { return (s - 0.5 * length) * d_W; }

  // contact of the ball at s with a surface at signed distance phi, outward normal g.
  void add(Manifold& out, double s, const Vec3& g_B, double phi, int feature) const noexcept {
    add_ball(out, p_AP_W(s), R_WB * g_B, r, phi, feature);
  }
};

inline Sweep sweep(const Shape& A, const Placement& X) noexcept {
  const double length = A.kind == ShapeKind::capsule ? A.size[1] : 0.0;
  const Vec3 d_W = X.R_WA.col(2);
  const Vec3 d_B = X.R_WB.transpose() * d_W;
  const Vec3 middle_B = -(X.R_WB.transpose() * X.p_AB_W);
  return {middle_B - 0.5 * length * d_B, middle_B + 0.5 * length * d_B, d_B, length, A.size[0], d_W, X.R_WB};
}

// the nearest point of a solid's surface.
struct Nearest {
  double phi;     // m, signed distance, negative inside
  Vec3 g_B;       // unit outward normal there
  bool on_face;   // in a face, or seen from inside: an end always counts there
};

// features of a sweep's contacts (docs/manifolds.md)
enum SweepFeature {
  end_feature = 0,
  edge_feature = 4,
  corner_feature = 16,
  through_feature = 24,
  rim_feature = roaming
};

// end i against the solid. on an edge, a corner or a rim it counts only where the axis recedes from it.
inline void add_end(Manifold& out, const Sweep& sweep, int i, const Nearest& nearest) noexcept {
  if (nearest.phi >= sweep.r) return;
  const double inward = nearest.g_B.dot(sweep.d_B) * (i == 0 ? 1.0 : -1.0);
  if (!nearest.on_face && sweep.length > 0.0 && inward < 0.0) return;
  sweep.add(out, i == 0 ? 0.0 : sweep.length, nearest.g_B, nearest.phi, end_feature + i);
}

}  // namespace contactlib

// A capsule relative to the solid B: its axis, in B's axes, along which the ball of radius r is swept. A sphere is a
// sweep of length zero.
#pragma once

#include <cmath>

#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

struct Sweep {
  Vec3 Q0_B, Q1_B;     // m, the axis' ends from B's origin
  Vec3 d_B;            // unit direction Q0 -> Q1
  double length;       // m
  double r;            // m
  Vec3 d_W;            // the direction in world axes
  const Mat3& R_WB;

  Vec3 at(double s) const noexcept { return Q0_B + s * d_B; }
  Vec3 p_AP_W(double s) const noexcept { return (s - 0.5 * length) * d_W; }

  // Contact of the ball at s with a surface at signed distance phi, outward normal g.
  void add(Manifold& out, double s, const Vec3& g_B, double phi, int feature) const noexcept {
    add_ball(out, p_AP_W(s), R_WB * g_B, r, phi, feature);
  }
};

// A's origin in B's axes.
inline Vec3 centre(const Placement& X) noexcept { return -(X.R_WB.transpose() * X.p_AB_W); }

inline Sweep sweep(const Shape& A, const Placement& X) noexcept {
  const bool swept = A.kind == ShapeKind::capsule || A.kind == ShapeKind::segment;
  const double length = swept ? A.size[1] : 0.0;
  const Vec3 d_W = X.R_WA.col(2);
  const Vec3 d_B = X.R_WB.transpose() * d_W;
  const Vec3 middle_B = centre(X);
  return {middle_B - 0.5 * length * d_B, middle_B + 0.5 * length * d_B, d_B, length, A.size[0], d_W, X.R_WB};
}

// The nearest point of a solid's surface.
struct Nearest {
  double phi;     // m, signed distance, negative inside
  Vec3 g_B;       // unit outward normal there
  bool on_face;   // in a face, or seen from inside: an end always counts there
};

// Features of a sweep's contacts (docs/manifolds.md).
enum SweepFeature {
  end_feature = 0,
  edge_feature = 4,
  corner_feature = 16,
  through_feature = 24,
  rim_feature = roaming,
  side_feature = 40,
  hull_edge_feature = 64,
  hull_corner_feature = 4096
};

// The ball A against a solid; `nearest` is the surface point nearest to A's origin.
inline void add_centre(Manifold& out, double r, const Placement& X, const Nearest& nearest) noexcept {
  if (nearest.phi < r) add_ball(out, Vec3::Zero(), X.R_WB * nearest.g_B, r, nearest.phi, end_feature);
}

inline constexpr double parallel = 1e-9;  // cosine: what is across something to rounding

// Whether the axis does not approach along t, to rounding, a point whose vector to the end is w.
inline bool recedes(const Vec3& w, const Vec3& t) noexcept {
  const double along = w.dot(t);
  return along >= 0.0 || along * along <= parallel * parallel * w.squaredNorm();
}

// End i against the solid. On an edge, a corner or a rim it counts only where the axis recedes from it; otherwise
// returns false.
inline bool add_end(Manifold& out, const Sweep& sweep, int i, const Nearest& nearest) noexcept {
  if (nearest.phi >= sweep.r) return true;
  const Vec3 t = i == 0 ? sweep.d_B : Vec3(-sweep.d_B);
  if (!nearest.on_face && sweep.length > 0.0 && !recedes(nearest.g_B, t)) return false;
  sweep.add(out, i == 0 ? 0.0 : sweep.length, nearest.g_B, nearest.phi, end_feature + i);
  return true;
}

// The common perpendicular of the axis and an edge.
struct OverEdge {
  double s;     // m, its foot F on the axis
  Vec3 EF_B;    // m, from its foot E on the edge to F
  Vec3 n_B;     // unit, across both, along EF or against it
};

// Returns false unless both feet are strictly inside and nearer than r. For the edge from E0 along the unit vector t:
//   n = t x d,  w = Q0 - E0,  EF = (w.n) n / n^2,  s = (w x t).n / n^2,  E = E0 + t (w x d).n / n^2
inline bool over_edge(const Sweep& sweep, const Vec3& E0, const Vec3& t, double length, OverEdge& out) noexcept {
  const Vec3 n = t.cross(sweep.d_B), w = sweep.Q0_B - E0;
  const double n2 = n.squaredNorm(), apart = w.dot(n);
  if (!(apart * apart < sweep.r * sweep.r * n2)) return false;
  const double s = w.cross(t).dot(n), along = w.cross(sweep.d_B).dot(n);
  if (!((s > 0.0) & (s < sweep.length * n2) & (along > 0.0) & (along < length * n2))) return false;
  if (n2 < 1e-24) return false;  // parallel: the ends tell everything
  out.s = s / n2;
  out.EF_B = sweep.at(out.s) - (E0 + (along / n2) * t);
  out.n_B = n / std::sqrt(n2);
  return true;
}

// The foot of a corner on the axis; returns false unless it is strictly inside and nearer than r.
inline bool over_corner(const Sweep& sweep, const Vec3& E, double& s, Vec3& EF_B) noexcept {
  s = (E - sweep.Q0_B).dot(sweep.d_B);
  if (!(s > 0.0 && s < sweep.length)) return false;
  EF_B = sweep.at(s) - E;
  return EF_B.squaredNorm() < sweep.r * sweep.r;
}

// The normal at a corner through which the axis runs: across the axis, as far outward as possible.
inline Vec3 across_axis(const Sweep& sweep, const Vec3& outward) noexcept {
  const Vec3 across = outward - outward.dot(sweep.d_B) * sweep.d_B;
  const double length = across.norm();
  return length > 0.0 ? Vec3(across / length) : perpendicular(sweep.d_B);
}

// Keeps the s of the deepest point it has evaluated.
template <class NearestOn>
struct Deepest {
  const Sweep& sweep;
  const NearestOn& nearest;
  double s0, s1;
  double best = 0.0, phi = 1e300;

  void evaluate(double s) noexcept {
    if (!(s >= s0 && s <= s1)) return;
    const double here = nearest(sweep.at(s)).phi;
    if (here < phi) phi = here, best = s;
  }
};

}  // namespace contactlib::geometry

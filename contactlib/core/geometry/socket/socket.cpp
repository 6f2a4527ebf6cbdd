// Sphere and capsule against the socket (the RWTH paper's CylSphereHole): a box with a capped cylindrical hole that
// opens at its top. docs/manifolds.md defines the manifold. Where the paper's equations (15)-(21) are misprinted, the
// corrected ones are used: the wall point lies on the near side, and the body's foot is measured from the axis' base.
#include "socket.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/sweep/through.hpp"
#include "solid.hpp"

namespace contactlib::geometry {

namespace {

// Above the mouth: phi = |P - E| (18)
Nearest nearest_on_rim(const SocketSolid& socket, const Vec3& P) noexcept {
  const Vec3 E = socket.exact_rim() ? rim_point_exact(socket.R, P) : socket.search_rim(P, Vec3::Zero());
  const Vec3 EP = P - E;
  const double distance = EP.norm();
  return {distance, distance > 0.0 ? Vec3(EP * (1.0 / distance)) : Vec3(Vec3::UnitZ()), false};
}

}  // namespace

Nearest nearest_on_socket(const SocketSolid& socket, const Vec3& P) noexcept {
  if (P[2] >= 0.0) {
    const bool in_column = P[0] * P[0] + P[1] * P[1] <= socket.R * socket.R;
    return in_column ? nearest_on_rim(socket, P) : nearest_on_box(socket.box(), P);
  }
  const Nearest hole = nearest_in_hole(socket, from_core(socket, P));
  if (hole.phi >= 0.0) return hole;
  const Nearest outer = nearest_on_box(socket.box(), P);
  if (outer.phi > 0.0) return outer;
  return hole.phi > outer.phi ? hole : outer;  // in the material: the nearer surface
}

namespace {

// End i. The hole is tested first, because pegs are mostly inside it.
inline void add_socket_end(Manifold& out, const Sweep& sweep, int i, const Vec3& P, const SocketSolid& socket,
                           DeferredContacts& deferred) noexcept {
  if (P[2] >= sweep.r) return;
  const Vec3 c = from_core(socket, P);
  const double squared = c.squaredNorm(), capacity = socket.R - sweep.r;
  if (P[2] < 0.0 && squared <= socket.R * socket.R) {
    if (capacity > 0.0 && squared <= capacity * capacity) return;
    const Nearest hole = nearest_in_hole(socket, c);
    sweep.add(out, i == 0 ? 0.0 : sweep.length, hole.g_B, hole.phi, end_feature + i);
    return;
  }
  const bool over_hole = P[0] * P[0] + P[1] * P[1] <= socket.R * socket.R;
  const Nearest nearest = nearest_on_socket(socket, P);
  if (!add_end(out, sweep, i, nearest) && !over_hole && is_on_edge(socket.box(), P))
    deferred.add_end(sweep, i, nearest, end_feature + i);
}

// Where the axis crosses the mouth it is `rho` from the hole's axis. A foot F of the rim lies within r sin(tilt) of the
// mouth's plane, so rho(F) <= rho + r sin^2/cos; there is no rim contact while F is out of range by this bound.
inline bool clear_of_rim(const Sweep& sweep, const SocketSolid& socket) noexcept {
  const double cosine = std::abs(sweep.d_B[2]);
  const double sine2 = 1.0 - cosine * cosine;
  const double margin = cosine * (socket.R - sweep.r) - sweep.r * sine2;
  if (margin <= 0.0) return false;
  // cosine (x, y) at the mouth
  const double sign = sweep.d_B[2] < 0.0 ? -1.0 : 1.0;
  const double x = sign * (sweep.d_B[2] * sweep.Q0_B[0] - sweep.Q0_B[2] * sweep.d_B[0]);
  const double y = sign * (sweep.d_B[2] * sweep.Q0_B[1] - sweep.Q0_B[2] * sweep.d_B[1]);
  return x * x + y * y <= margin * margin;
}

// The unit vector across rim and axis that leads out of the material.
Vec3 across(const Vec3& E, const Vec3& d) noexcept {
  const Vec3 n = Vec3(-E[1], E[0], 0.0).cross(d);
  const double length = n.norm();
  if (length == 0.0) return Vec3::UnitZ();  // the axis is along the rim
  const double out = n[2] * std::sqrt(E[0] * E[0] + E[1] * E[1]) - (n[0] * E[0] + n[1] * E[1]);
  return n / std::copysign(length, out);
}

// The body of the sweep against the rim (21), at every local minimum.
void add_rim_point(Manifold& out, const Sweep& sweep, const SocketSolid& socket, const Vec3& E, int feature) noexcept {
  const double s = (E - sweep.Q0_B).dot(sweep.d_B);
  if (!(s > 0.0 && s < sweep.length)) return;
  const Vec3 EF = sweep.at(s) - E;
  const double squared = EF.squaredNorm();
  if (squared >= sweep.r * sweep.r) return;

  // components towards the hole's axis and out of the mouth
  const double u = -(EF[0] * E[0] + EF[1] * E[1]), v = EF[2] * socket.R;  // times R
  const bool outside = u + v > 0.0;
  if (!outside && !(u <= 0.0 && v <= 0.0)) return;
  const double distance = std::sqrt(squared);
  const bool sharp = squared > 1e-4 * sweep.r * sweep.r;  // else F - E has lost its digits
  const Vec3 g = sharp ? Vec3(EF * ((outside ? 1.0 : -1.0) / distance)) : across(E, sweep.d_B);
  sweep.add(out, s, g, outside ? distance : -distance, feature);
}

void add_rim(Manifold& out, const Sweep& sweep, const SocketSolid& socket) noexcept {
  if (!socket.exact_rim()) {
    add_rim_point(out, sweep, socket, socket.search_rim(sweep.Q0_B, sweep.d_B), rim_feature);
    return;
  }
  const RimMinima minima = rim_line_exact(socket.R, sweep.Q0_B, sweep.d_B);
  for (int i = 0; i < minima.count; ++i) add_rim_point(out, sweep, socket, minima.E[i], rim_feature + i);
}

// No outer edge is in range while the axis stays r inside the box's footprint (convexity).
inline bool clear_of_edges(const Sweep& sweep, const SocketSolid& socket) noexcept {
  for (int i = 0; i < 2; ++i) {
    const double capacity = socket.half(i) - sweep.r;
    if (!(std::abs(sweep.Q0_B[i]) < capacity && std::abs(sweep.Q1_B[i]) < capacity)) return false;
  }
  return sweep.Q0_B[2] > -socket.shape.size[2] && sweep.Q1_B[2] > -socket.shape.size[2];
}

// How far the whole capsule lies beyond one of the box's faces; negative: it does not.
double beyond_face(const Sweep& sweep, const SocketSolid& socket) noexcept {
  double most = (-socket.shape.size[2] - sweep.r) - std::max(sweep.Q0_B[2], sweep.Q1_B[2]);
  for (int i = 0; i < 2; ++i) {
    const double reach = socket.half(i) + sweep.r;
    most = std::max(most, std::min(sweep.Q0_B[i], sweep.Q1_B[i]) - reach);
    most = std::max(most, -reach - std::max(sweep.Q0_B[i], sweep.Q1_B[i]));
  }
  return most;
}

bool is_beside_hole(const SocketSolid& socket, const Vec3& P) noexcept {
  return P[2] < 0.0 && from_core(socket, P).squaredNorm() > socket.R * socket.R;
}

// Whether an axis that stays clear of the box's sides and bottom runs through the material. Below z = 0 the hole is
// convex, so the ends and the crossing of the mouth's plane decide.
bool cuts_material(const Sweep& sweep, const SocketSolid& socket) noexcept {
  if (is_beside_hole(socket, sweep.Q0_B) || is_beside_hole(socket, sweep.Q1_B)) return true;
  const double z0 = sweep.Q0_B[2], z1 = sweep.Q1_B[2];
  if ((z0 < 0.0) == (z1 < 0.0)) return false;
  const Vec3 crossing = sweep.at(sweep.length * (z0 / (z0 - z1)));
  return crossing[0] * crossing[0] + crossing[1] * crossing[1] > socket.R * socket.R;
}

// The distance to the hole is convex along the axis, the depth below the faces concave: the lesser of both is greatest
// where they are equal, or where evaluate_faces has already evaluated it. For wall and cap, with Q from the core's
// centre:
//   |Q + s d|^2 = (R + a + b s)^2
template <class Deepest>
void evaluate_hole(Deepest& deepest, const Sweep& sweep, const SocketSolid& socket, const BoxSolid& box) noexcept {
  for (int k = 0; k < 6; ++k) {
    const FaceDepth face = face_depth(sweep, box, k);
    const double R = socket.R + face.a;
    for (const bool cap : {false, true}) {
      const Vec3 Q(sweep.Q0_B[0], sweep.Q0_B[1], cap ? sweep.Q0_B[2] + socket.h : 0.0);
      const Vec3 d(sweep.d_B[0], sweep.d_B[1], cap ? sweep.d_B[2] : 0.0);
      const double A = d.squaredNorm() - face.b * face.b, B = Q.dot(d) - R * face.b, C = Q.squaredNorm() - R * R;
      const double root = std::sqrt(std::max(0.0, B * B - A * C));
      const double q = -(B + std::copysign(root, B));  // both roots without cancellation
      deepest.evaluate(q / A);
      deepest.evaluate(C / q);
    }
  }
}

// With a wall thinner than the capsule, the outer edges are near and the axis is behind them, but in the hole and not
// in the material: such edges have no contact. The axis is nearest to an edge at F = C + (depth/2 - r) n.
void drop_edges_past_hole(Manifold& out, int first, const Sweep& peg, const SocketSolid& socket,
                          const Placement& X) noexcept {
  int kept = first;
  for (int i = first; i < out.count; ++i) {
    const ManifoldPoint& c = out.points[i];
    const Vec3 F_W = c.p_AC_W + (0.5 * c.depth - peg.r) * c.n_AB_W;
    const Vec3 F_B = X.R_WB.transpose() * (F_W - X.p_AB_W);
    const bool behind = c.depth > peg.r;
    if (behind && nearest_on_socket(socket, F_B).phi > 0.0) continue;
    out.points[kept++] = c;
  }
  out.needed -= out.count - kept;
  out.count = kept;
}

}  // namespace

bool deepest_in_socket(const Sweep& sweep, const SocketSolid& socket, double& s, Nearest& nearest) noexcept {
  const BoxSolid box = socket.box();
  double s0 = 0, s1 = 0;
  if (!clip(sweep, box, s0, s1)) return false;
  const auto in_hole = [&](double at) noexcept {
    return from_core(socket, sweep.at(at)).squaredNorm() < socket.R * socket.R;
  };
  if (in_hole(s0) && in_hole(s1)) return false;  // with what is above it the hole is convex
  const auto evaluate = [&](const Vec3& p_B) noexcept { return nearest_on_socket(socket, p_B); };
  Deepest<decltype(evaluate)> deepest{sweep, evaluate, s0, s1};
  evaluate_faces(deepest, box);
  evaluate_hole(deepest, sweep, socket, box);
  s = deepest.best;
  nearest = nearest_exit(sweep, evaluate, s);
  return nearest.phi < 0.0;
}

void sphere_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep ball = sweep(A, X);
  DeferredContacts deferred;
  add_socket_end(out, ball, 0, ball.Q0_B, SocketSolid(B), deferred);
}

void capsule_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep peg = sweep(A, X);
  const SocketSolid solid(B);
  const double above = std::min(peg.Q0_B[2], peg.Q1_B[2]) - peg.r;
  if (above >= 0.0) {
    out.gap = above;
    return;
  }
  const bool inside = clear_of_edges(peg, solid);
  if (const double beside = inside ? -1.0 : beyond_face(peg, solid); beside >= 0.0) {
    out.gap = beside;
    return;
  }
  DeferredContacts deferred;
  add_socket_end(out, peg, 0, peg.Q0_B, solid, deferred);
  add_socket_end(out, peg, 1, peg.Q1_B, solid, deferred);
  if (peg.length == 0.0) return;
  if (!clear_of_rim(peg, solid)) add_rim(out, peg, solid);
  if (inside && !cuts_material(peg, solid)) return;
  if (!inside) {
    const int first_edge = out.count;
    add_box_edges(out, peg, solid.box(), deferred);
    drop_edges_past_hole(out, first_edge, peg, solid, X);
  }
  deferred.accept(out, peg);
  double s = 0.0;
  Nearest nearest{};
  if (deepest_in_socket(peg, solid, s, nearest)) add_through(out, peg, s, nearest);
}

}  // namespace contactlib::geometry

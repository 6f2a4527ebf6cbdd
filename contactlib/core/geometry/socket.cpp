// sphere and capsule against the socket (the RWTH paper's CylSphereHole): a box with a capped cylindrical hole that
// opens at its top. the manifold is defined in docs/manifolds.md; where the paper's equations (15)-(21) are misprinted,
// the corrected ones are used: the wall point lies on the near side, the body's foot is measured from the axis' base.
#include "socket.hpp"

#include <cmath>

#include "box.hpp"
#include "rim.hpp"

namespace contactlib {

namespace {

struct SocketSolid {
  BoxSolid box;
  double R, h;  // m, radius and length of the hole's cylinder
  RimMethod rim;
  int levels;
};

SocketSolid socket(const Shape& B) noexcept {
  const Vec3 half = 0.5 * Vec3(B.size[0], B.size[1], B.size[2]);
  return {{Vec3(0, 0, -half[2]), half}, B.size[3], B.size[4], B.rim, static_cast<int>(B.size[5])};
}

// from a point below the mouth's plane to the hole's axis: the cylinder's or the cap's centre.
Vec3 from_core(const SocketSolid& socket, const Vec3& P) noexcept {
  return Vec3(P[0], P[1], P[2] < -socket.h ? P[2] + socket.h : 0.0);
}

// phi = R - |c|, seen from the hole: the nearest wall or cap point lies where c points (corrected (16)-(17)).
Nearest nearest_in_hole(const SocketSolid& socket, const Vec3& c) noexcept {
  const double distance = c.norm();
  const Vec3 g = distance > 0.0 ? Vec3(c * (-1.0 / distance)) : Vec3(-Vec3::UnitX());
  return {socket.R - distance, g, true};
}

// above the mouth: phi = |P - E| (18)
Nearest nearest_on_rim(const SocketSolid& socket, const Vec3& P) noexcept {
  const Vec3 E = socket.rim == RimMethod::exact
                     ? rim_point_exact(socket.R, P)
                     : rim_subdivision(socket.R, P, Vec3::Zero(), socket.levels, socket.rim == RimMethod::subdivision);
  const Vec3 EP = P - E;
  const double distance = EP.norm();
  return {distance, distance > 0.0 ? Vec3(EP * (1.0 / distance)) : Vec3(Vec3::UnitZ()), false};
}

Nearest nearest_on_socket(const SocketSolid& socket, const Vec3& P) noexcept {
  if (P[2] >= 0.0) {
    const bool in_column = P[0] * P[0] + P[1] * P[1] <= socket.R * socket.R;
    return in_column ? nearest_on_rim(socket, P) : nearest_on_box(socket.box, P);
  }
  const Nearest hole = nearest_in_hole(socket, from_core(socket, P));
  if (hole.phi >= 0.0) return hole;
  const Nearest outer = nearest_on_box(socket.box, P);
  if (outer.phi > 0.0) return outer;
  return hole.phi > outer.phi ? hole : outer;  // in the material: the nearer surface
}

// end i, with the roomy middle of the hole let go first.
void add_socket_end(Manifold& out, const Sweep& sweep, int i, const SocketSolid& socket) noexcept {
  const Vec3& P = i == 0 ? sweep.Q0_B : sweep.Q1_B;
  if (P[2] >= sweep.r) return;
  const double room = socket.R - sweep.r;
  if (P[2] < 0.0 && room > 0.0 && from_core(socket, P).squaredNorm() <= room * room) return;
  add_end(out, sweep, i, nearest_on_socket(socket, P));
}

// where the axis crosses the mouth it keeps `rho` from the hole's axis. a foot F of the rim lies within r sin(tilt) of
// the mouth's plane, so rho(F) <= rho + r sin^2/cos; no rim contact while that keeps F out of reach.
bool clear_of_rim(const Sweep& sweep, const SocketSolid& socket) noexcept {
  const double cosine = std::abs(sweep.d_B[2]);
  const double sine2 = 1.0 - cosine * cosine;
  const double room = cosine * (socket.R - sweep.r) - sweep.r * sine2;
  if (room <= 0.0) return false;
  // cosine (x, y) at the mouth
  const double sign = sweep.d_B[2] < 0.0 ? -1.0 : 1.0;
  const double x = sign * (sweep.d_B[2] * sweep.Q0_B[0] - sweep.Q0_B[2] * sweep.d_B[0]);
  const double y = sign * (sweep.d_B[2] * sweep.Q0_B[1] - sweep.Q0_B[2] * sweep.d_B[1]);
  return x * x + y * y <= room * room;
}

// the unit vector across rim and axis that leads out of the material.
Vec3 across(const Vec3& E, const Vec3& d) noexcept {
  const Vec3 n = Vec3(-E[1], E[0], 0.0).cross(d);
  const double length = n.norm();
  if (length == 0.0) return Vec3::UnitZ();  // the axis lies along the rim
  const double out = n[2] * std::sqrt(E[0] * E[0] + E[1] * E[1]) - (n[0] * E[0] + n[1] * E[1]);
  return n / std::copysign(length, out);
}

// the body of the sweep against the rim (21), every local minimum.
void add_rim(Manifold& out, const Sweep& sweep, const SocketSolid& socket) noexcept {
  RimMinima minima;
  if (socket.rim == RimMethod::exact) {
    minima = rim_line_exact(socket.R, sweep.Q0_B, sweep.d_B);
  } else {
    minima.count = 1;
    minima.E[0] = rim_subdivision(socket.R, sweep.Q0_B, sweep.d_B, socket.levels,
                                  socket.rim == RimMethod::subdivision);
  }
  for (int i = 0; i < minima.count; ++i) {
    const Vec3& E = minima.E[i];
    const double s = (E - sweep.Q0_B).dot(sweep.d_B);
    if (!(s > 0.0 && s < sweep.length)) continue;
    const Vec3 EF = sweep.at(s) - E;
    const double squared = EF.squaredNorm();
    if (squared >= sweep.r * sweep.r) continue;

    // components towards the hole's axis and out of the mouth
    const double u = -(EF[0] * E[0] + EF[1] * E[1]), v = EF[2] * socket.R;  // times R
    const bool outside = u + v > 0.0;
    if (!outside && !(u <= 0.0 && v <= 0.0)) continue;
    const double distance = std::sqrt(squared);
    const bool sharp = squared > 1e-4 * sweep.r * sweep.r;  // else F - E has lost its digits
    const Vec3 g = sharp ? Vec3(EF * ((outside ? 1.0 : -1.0) / distance)) : across(E, sweep.d_B);
    sweep.add(out, s, g, outside ? distance : -distance, rim_feature + i);
  }
}

// no outer edge is within reach while the axis stays r inside the box's footprint (convexity).
bool clear_of_edges(const Sweep& sweep, const SocketSolid& socket) noexcept {
  for (int i = 0; i < 2; ++i) {
    const double room = socket.box.half[i] - sweep.r;
    if (!(std::abs(sweep.Q0_B[i]) < room && std::abs(sweep.Q1_B[i]) < room)) return false;
  }
  return sweep.Q0_B[2] > -2.0 * socket.box.half[2] && sweep.Q1_B[2] > -2.0 * socket.box.half[2];
}

void add_through(Manifold& out, const Sweep& sweep, const SocketSolid& socket) noexcept {
  double s0 = 0, s1 = 0;
  if (!clip(sweep, socket.box, s0, s1)) return;
  const auto nearest = [&](const Vec3& p_B) noexcept { return nearest_on_socket(socket, p_B); };
  const double s = deepest(sweep, s0, s1, nearest);
  const Nearest at = nearest(sweep.at(s));
  if (at.phi < 0.0) sweep.add(out, s, at.g_B, at.phi, through_feature);
}

}  // namespace

void sphere_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep ball = sweep(A, X);
  add_end(out, ball, 0, nearest_on_socket(socket(B), ball.Q0_B));
}

void capsule_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep peg = sweep(A, X);
  const SocketSolid solid = socket(B);
  if (peg.Q0_B[2] >= peg.r && peg.Q1_B[2] >= peg.r) return;
  add_socket_end(out, peg, 0, solid);
  add_socket_end(out, peg, 1, solid);
  if (peg.length == 0.0) return;
  if (!clear_of_rim(peg, solid)) add_rim(out, peg, solid);
  if (clear_of_edges(peg, solid)) return;
  add_box_edges(out, peg, solid.box);
  if (out.count == 0) add_through(out, peg, solid);
}

}  // namespace contactlib

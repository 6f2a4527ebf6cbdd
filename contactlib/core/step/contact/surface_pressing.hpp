// Normal loads at the points of a surface contact. With the depth Phi and w = dPhi/de per area (geometry/overlap/depth.hpp),
// the law f(Phi) + c r gives the forces on B at the places of the surface
//   w (f + c r) n + psi m,    psi = w (p-1) c chi^2 r_turn,    r = int w e'/int w
// r is the mean closing speed. So a face, an edge and a corner that move along N, the direction of the resultant, have the
// law's damping ratio, and the restitution of Hunt and Crossley's law, which depends on lambda in  F(d) (1 + lambda d')
// alone. chi is how much the surfaces face each other: side walls do not resist rocking. With m = s N, s = n.N, and the rate
// u = -m.v at which a place closes along m,
//   r_turn = u - b s,   b such that  sum psi s = 0
// is the rate of rocking: psi is a couple, so a translation is not resisted, and a round solid that slides is not braked.
// All dissipates  c r^2 int w + sum psi r_turn.
//
// A contact all round has no N: m is n, and 1 stands for s. Between the two, where the resultant is one to two tenths of the
// pressures, m and s are a mean of both.
//
// No place pulls: f + c r is at least 0, and psi at least -w (f + c r). b is then that of the psi that are cut. They grow
// with r_turn, so  sum psi s  falls with b and has one zero, which changes continuously with pose and motion, and
// sum psi r_turn = sum psi u,  what psi takes from the bodies, is not negative.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"
#include "surface_friction.hpp"

namespace contactlib::step {

using geometry::SurfacePoints;

struct Pressing {
  double load;  // N, f + c r, not negative
  double rocking;  // N s/m, (p-1) c
  double one_sided;  // 1: m = s N; 0: all round
  Vec3 N;
  double b;  // m/s
};

// What the points add up to, about their origin.
struct Pressed {
  Vec3 force, couple;  // on B
  Vec3 pull, pull_couple;  // of  w n
  Vec3 centre;  // m, of pressure
  double total;  // N, of the loads
  double weight, rate;  // int w; m/s, Phi' = int w e'
  double heat;  // W
  Pressing law;
};

// Stores the load of each point, not negative. V: of B against A, at the origin of the points.
Pressed press(SurfacePoints& points, double spring, double damping, const Twist& V, int sharpness) noexcept;

// The force on B at each point, of points that were pressed so.
void forces_of(SurfacePoints& points, const Pressing& law, const Twist& V, SurfacePoints& forces) noexcept;

}  // namespace contactlib::step

// The distance between a circle and a line or a point: exact, and by the search of the RWTH paper.
#pragma once

#include <cmath>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// Points of the circle of radius R about the origin in the plane z = 0.
struct RimMinima {
  int count = 0;
  Vec3 E[2] = {Vec3::Zero(), Vec3::Zero()};  // m; every local minimum of the distance, the global one first
};

// The circle against the line through Q along the unit vector d.
RimMinima rim_line_exact(double R, const Vec3& Q, const Vec3& d) noexcept;

// The same for a nearly upright line (e < |P|/4, see rim.cpp), which has one minimum: Newton's method on the angle of x
// = E/R. Returns false if the line leans too much.
//   G = P.x + R/2 (d.x)^2 -> max,   P = horizontal part of the line's point nearest to the centre,   e = R |d_xy|^2
inline bool rim_line_upright(double R, const Vec3& Q, const Vec3& d, double& E0, double& E1) noexcept {
  const double d0 = d[0], d1 = d[1];
  const double along = Q[0] * d0 + Q[1] * d1 + Q[2] * d[2];
  const double p0 = Q[0] - along * d0, p1 = Q[1] - along * d1;
  const double h2 = p0 * p0 + p1 * p1, e = R * (d0 * d0 + d1 * d1);
  if (!(h2 > 16.0 * e * e)) return false;

  // start: x ~ P + R (d.P/|P|) d, one step of the fixed-point iteration
  const double lean = R * (d0 * p0 + d1 * p1) / std::sqrt(h2);
  double x = p0 + lean * d0, y = p1 + lean * d1;
  const double scale = 1.0 / std::sqrt(x * x + y * y);
  x *= scale;
  y *= scale;
  for (int i = 0; i < 20; ++i) {
    const double dx = d0 * x + d1 * y, dt = d1 * x - d0 * y;
    const double step = (p1 * x - p0 * y + R * dx * dt) / (p0 * x + p1 * y + R * (dx * dx - dt * dt));
    const double shrink = 1.5 - 0.5 * (x * x + y * y) * (1.0 + step * step);  // 1/length, to second order
    const double x0 = x;
    x = shrink * (x - step * y);
    y = shrink * (y + step * x0);
    if (std::abs(step) < 1e-7) break;  // newton leaves less than 0.2 step^2
  }
  E0 = R * x;
  E1 = R * y;
  return true;
}

// All local maxima of this distance, the greatest first.
RimMinima rim_line_farthest(double R, const Vec3& Q, const Vec3& d) noexcept;

// The circle against the point P. On the axis every rim point is nearest; the one at +x is returned.
Vec3 rim_point_exact(double R, const Vec3& P) noexcept;

// Eight rim points; the best one and its neighbours span the next interval, `levels` times. `ends`: the eight points
// include the interval's ends. d = 0 searches against the point Q.
Vec3 rim_subdivision(double R, const Vec3& Q, const Vec3& d, int levels, bool ends) noexcept;

}  // namespace contactlib::geometry

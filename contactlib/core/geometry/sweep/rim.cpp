// The squared distance of the rim point E(theta) = R (u cos + v sin) to the line (Q, d), with u along the horizontal
// part of d, d = sigma u + kappa z, is
//   f = const - 2 R (p cos + q sin) - R e cos^2,
//   p = kappa (kappa Q.u - sigma Q.z),   q = Q.v,   e = R sigma^2
// so its minima are those of -2 p x - 2 q y - e x^2 on the unit circle. With a multiplier t,
//   x = p/t,  y = q/(t + e),  |(x, y)| = 1
// t > 0 gives the global minimum (x and y have the signs of p and q); a root in -e < t < 0 gives a second one (x
// against p), which exists if p^(2/3) + q^(2/3) <= e^(2/3).
#include "math/elementary.hpp"
#include "rim.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::geometry {

namespace {

struct Circle {
  double p, q, e;  // p, q >= 0 after reflection
};

// The root t > 0. 1/|(x, y)| is nearly linear in t, so Newton's method on it needs two or three steps:
//   t <- t + (n - 1) n^2 / (x^2/t + y^2/(t + e)),   n = |(x, y)|
void first_minimum(const Circle& c, double& x, double& y) noexcept {
  const double h2 = c.p * c.p + c.q * c.q, h = std::sqrt(h2);
  const double least = std::max(c.p, c.q - c.e);
  double t = std::max(least, h - c.e * c.q * c.q / h2);
  for (int i = 0; i < 60; ++i) {
    const double inverse = 1.0 / (t * (t + c.e));
    x = c.p * (t + c.e) * inverse;
    y = c.q * t * inverse;
    const double n2 = x * x + y * y, n = std::sqrt(n2);
    const double rate = x * x * (t + c.e) * inverse + y * y * t * inverse;
    t = std::max(least, t + (n - 1.0) * n2 / rate);
    if (std::abs(n - 1.0) < 1e-8) break;  // the step just made squares this error
  }
  x = c.p / t;
  y = c.q / (t + c.e);
}

// The smaller root of S(tau) = (p/tau)^2 + (q/(e - tau))^2 = 1 in 0 < tau < e (tau = -t). S is convex and S(p) >= 1, so
// Newton's method from tau = p approaches the root from one side; if there is no root, the slope changes its sign
// first.
bool second_minimum(const Circle& c, double& x, double& y) noexcept {
  if (c.p >= c.e || c.q >= c.e) return false;
  double tau = c.p;
  for (int i = 0; i < 200; ++i) {
    x = c.p / tau;
    y = c.q / (c.e - tau);
    const double excess = x * x + y * y - 1.0;
    const double slope = 2.0 * (y * y / (c.e - tau) - x * x / tau);
    if (slope >= 0.0) return excess <= 1e-15;
    const double step = -excess / slope;
    tau += step;
    if (tau >= c.e) return false;
    if (step <= 1e-16 * tau) break;
  }
  x = c.p / tau;
  y = c.q / (c.e - tau);
  return true;
}

}  // namespace

namespace {

// Any tilt: both minima from their multipliers, in the axes (u, v, z). The maxima, with the opposite sign of the
// multiplier, are the minima for another line: -f is, except for a constant, f for the point (-x, -y) with p and q, and
// x and y, exchanged.
RimMinima by_multipliers(double R, const Vec3& Q, const Vec3& d, bool farthest = false) noexcept {
  const double sigma = std::sqrt(d[0] * d[0] + d[1] * d[1]), kappa = d[2];
  const double ux = sigma > 0.0 ? d[0] / sigma : 1.0, uy = sigma > 0.0 ? d[1] / sigma : 0.0;
  const double p = kappa * (kappa * (Q[0] * ux + Q[1] * uy) - sigma * Q[2]), q = Q[1] * ux - Q[0] * uy;
  constexpr double tiny = 1e-30;  // m; keeps p/t defined for a line through the axis
  const double first = farthest ? q : p, second = farthest ? p : q, side = farthest ? -1.0 : 1.0;
  const Circle circle{std::max(std::abs(first), tiny), std::abs(second), R * sigma * sigma};

  RimMinima minima;
  const auto add = [&](double x, double y) noexcept {
    const double scale = R / std::sqrt(x * x + y * y);
    const double a = side * scale * std::copysign(1.0, first) * x, b = side * scale * std::copysign(1.0, second) * y;
    const double along = farthest ? b : a, across = farthest ? a : b;
    minima.E[minima.count++] = Vec3(along * ux - across * uy, along * uy + across * ux, 0.0);
  };
  double x = 1, y = 0;
  first_minimum(circle, x, y);
  add(x, y);
  if (second_minimum(circle, x, y)) add(-x, y);
  return minima;
}

}  // namespace

RimMinima rim_line_exact(double R, const Vec3& Q, const Vec3& d) noexcept {
  RimMinima minima;
  if (!rim_line_upright(R, Q, d, minima.E[0][0], minima.E[0][1])) return by_multipliers(R, Q, d);
  minima.count = 1;
  return minima;
}

RimMinima rim_line_farthest(double R, const Vec3& Q, const Vec3& d) noexcept { return by_multipliers(R, Q, d, true); }

Vec3 rim_point_exact(double R, const Vec3& P) noexcept {
  const double rho = std::sqrt(P[0] * P[0] + P[1] * P[1]);
  const double scale = rho > 0.0 ? R / rho : 0.0;
  return rho > 0.0 ? Vec3(P[0] * scale, P[1] * scale, 0.0) : Vec3(R, 0.0, 0.0);
}

Vec3 rim_subdivision(double R, const Vec3& Q, const Vec3& d, int levels, bool ends) noexcept {
  constexpr int points = 8;
  constexpr double pi = 3.14159265358979323846;
  double low = 0.0, spacing = 2.0 * pi / points, best = 0.0;
  for (int level = 0; level < levels; ++level) {
    if (level > 0) {  // between the neighbours of the best point
      const double width = 2.0 * spacing;
      low = best - spacing;
      spacing = ends ? width / (points - 1) : width / (points + 1);
      if (!ends) low += spacing;
    }
    double least = 0.0;
    const double start = low;
    for (int j = 0; j < points; ++j) {
      const double theta = start + j * spacing;
      const math::SinCos t = math::sin_cos(theta);
      const Vec3 w = Vec3(R * t.cos, R * t.sin, 0.0) - Q;
      const double squared = (w - w.dot(d) * d).squaredNorm();
      if (j == 0 || squared < least) least = squared, best = theta;
    }
  }
  const math::SinCos t = math::sin_cos(best);
  return Vec3(R * t.cos, R * t.sin, 0.0);
}

}  // namespace contactlib::geometry

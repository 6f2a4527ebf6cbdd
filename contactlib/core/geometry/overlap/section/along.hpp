// A capsule as seen along the way out of a patch: finds the part of the patch over its straight side.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "curved.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// s is the position of a point y of unit space along the axis, as seen along the direction down: with rho =
// hypot(down_x, down_y)
//   s = y_z - (down_x y_x + down_y y_y) down_z/rho^2
// The ball about the axis at s is deepest there. The line along down ends on the side where |s + shift| < half,
// approximately, with shift = down_z/rho; the seams bound this region, the ends are beyond.
class Side {
 public:
  Side(const CurvedSolid& A, const Vec3& down) noexcept : half_(A.half()), rho_(math::hypot(down[0], down[1])) {
    there_ = half_ > 0.0 && rho_ > upright * down.norm();
    if (!there_) return;
    by_ = Vec3(-down[0], -down[1], 0.0) * (down[2] / (rho_ * rho_)) + Vec3::UnitZ();
    shift_ = down[2] / rho_;
  }

  bool there() const noexcept { return there_; }
  double half() const noexcept { return half_; }
  double operator()(const Vec3& y) const noexcept { return by_.dot(y); }
  // The s of the seam on the side of this sign.
  double seam(double sign) const noexcept { return sign * half_ - shift_; }

  // Whether the common part of the plane n.y = h, the triangle and the solid contains the end of the axis of this sign:
  //   y = a n + b by + t (n x by), with n.y = h and s(y) = +-half
  bool reaches(const CurvedSolid& A, const Vec3& n, double h, const Vec3* corner, double sign) const noexcept {
    const double across = n.dot(by_), squared = by_.squaredNorm() - across * across;
    if (!(squared > 0.0)) return false;
    const double b = (sign * half_ - across * h) / squared;
    const Vec3 y = (h - b * across) * n + b * by_, direction = n.cross(by_);
    double low, high;
    if (!A.interval(y, direction, low, high)) return false;
    for (int i = 0; i < 3; ++i) {
      const Vec3 in = n.cross(corner[i == 2 ? 0 : i + 1] - corner[i]);
      const double at = in.dot(y - corner[i]), by = in.dot(direction);
      if (by > 0.0) low = std::max(low, -at / by);
      if (by < 0.0) high = std::min(high, -at / by);
      if (by == 0.0 && at < 0.0) return false;
    }
    return low <= high;
  }

  // Visits the two points at which the outline of the section in the plane n.y = h has its least and greatest s.
  template <class Visit>
  void for_each_tip(const Vec3& n, double h, const Visit& visit) const noexcept {
    const Vec3 g = n[2] * by_ - n;  // g_z = 0
    const double norm = math::hypot(g[0], g[1]);
    if (!(std::abs(n[2]) > 1e-12) || !(norm > 0.0)) return;
    for (const double sign : {1.0, -1.0}) {
      const double x = sign * g[0] / norm, y = sign * g[1] / norm;
      visit(Vec3(x, y, (h - n[0] * x - n[1] * y) / n[2]));
    }
  }

 private:
  static constexpr double upright = 0.1;  // a capsule that stands steeper has contact with its end alone

  double half_, rho_, shift_;
  bool there_;
  Vec3 by_;
};

// Moments of the part of a patch over the side of a capsule, s in m:
//   K_p = int tau^p dy,  S_p = int s tau^p dy,  Q_p = int s^2 tau^p dy,  T = int s^3 dy
// Along the axis tau rises by dtau/ds = -(n_B.axis)/(n_B.u) = rise/run in the mean; steep faces have little weight.
struct Along {
  bool there = false;
  Vec3 axis = Vec3::Zero(),
       lowest = Vec3::Zero();  // unit; m, from B's origin: where the ball about the axis at s = 0 is deepest
  double low = std::numeric_limits<double>::infinity(), high = -low;  // m, of s: how far the patch reaches on the side
  double about = 0.0;  // m, of s: what the sums are about, somewhere in the patch
  double K[2] = {0.0, 0.0}, S[2] = {0.0, 0.0}, Q[2] = {0.0, 0.0}, T = 0.0, rise = 0.0, run = 0.0;

  void reach(double s, double half) noexcept {
    const double within = std::clamp(s, -half, half);
    low = std::min(low, within), high = std::max(high, within);
  }

  void add(double at, double tau, double weight) noexcept {
    const double s = at - about;
    double by = weight;
    for (int p = 0; p < 2; ++p, by *= tau) K[p] += by, S[p] += by * s, Q[p] += by * s * s;
    T += weight * s * s * s;
  }
};

// Empty sums for the direction u about the point x, B's axes.
inline Along along_of(const CurvedSolid& A, const Vec3& u, const Vec3& x) noexcept {
  Along out;
  const Side side(A, -A.to_unit(u));
  if (!side.there()) return out;
  out.there = true;
  out.axis = A.axis();
  const double radius = A.from_unit(Vec3::UnitZ()).norm();
  out.lowest = A.middle() - radius * u;
  out.about = radius * side(A.unit(x));
  return out;
}

}  // namespace contactlib::geometry

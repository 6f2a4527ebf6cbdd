// Walls that are nearly parallel to the direction of measurement.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/section/scratch.hpp"

namespace contactlib::geometry {

// A nearly upright wall: below a point it has one height, of which only the wall's edges tell exactly.
class Upright {
 public:
  Upright(const OverlapScratch& scratch, const Wall& wall, const Vec3& u, double slope, double raise) noexcept
      : is_upright_(std::abs(slope) < steepest),
        first_(&scratch.corners[wall.first]),
        count_(wall.count),
        raise_(raise),
        u_(u),
        across_(is_upright_ ? Vec3(u.cross(wall.n)) : Vec3::Zero()) {}

  // The distance from x down to the wall, of which t is an estimate.
  double limit(double t, const Vec3& x) const noexcept {
    if (!is_upright_) return t;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const double at = across_.dot(x);
    for (int i = 0; i < count_; ++i) {
      const Vec3 &p = first_[i], &q = first_[i + 1 == count_ ? 0 : i + 1];
      const double from = across_.dot(p) - at, to = across_.dot(q) - at, width = to - from;
      const auto end = [&](double part) noexcept {
        const double z = u_.dot(p) + std::clamp(part, 0.0, 1.0) * u_.dot(q - p) + raise_;
        low = std::min(low, z), high = std::max(high, z);
      };
      const double margin = narrow * (q - p).norm();
      if (std::min(from, to) > margin || std::max(from, to) < -margin) continue;
      if (std::abs(width) > margin)
        end(-from / width);
      else
        end(0.0), end(1.0);
    }
    return low <= high ? std::clamp(t, u_.dot(x) - high, u_.dot(x) - low) : t;
  }

 private:
  // Of |n.u| of a wall. The distance to it along u is a rounding error over n.u: below this, its edges limit it.
  static constexpr double steepest = 1e-4;
  static constexpr double narrow = 1e-9;  // of an edge's length: what it spans across u, if it is upright too

  const bool is_upright_;
  const Vec3* const first_;
  const int count_;
  const double raise_;  // m
  const Vec3& u_;
  const Vec3 across_;
};

}  // namespace contactlib::geometry

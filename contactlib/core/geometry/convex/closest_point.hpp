// The point of a convex set nearest to the origin, from support points: the algorithm of Gilbert, Johnson and Keerthi.
#pragma once

#include "support.hpp"

namespace contactlib::geometry {

// A point p - q of the Minkowski difference, in A's axes.
struct DifferencePoint {
  Vec3 w, p, q;
};

DifferencePoint support_point(const MinkowskiDifference& D, const Vec3& n) noexcept;

// Up to four points, and the point of their hull nearest to the origin.
class Simplex {
 public:
  explicit Simplex(const DifferencePoint& first) noexcept : count_(1), points_{first}, weight_{1.0} {}

  Vec3 nearest() const noexcept { return mean(&DifferencePoint::w); }
  Vec3 nearest_of_A() const noexcept { return mean(&DifferencePoint::p); }
  Vec3 nearest_of_B() const noexcept { return mean(&DifferencePoint::q); }

  // Adds a point, and keeps only those that carry the new nearest point. Returns false, and changes nothing, if this is
  // not nearer.
  bool add(const DifferencePoint& point) noexcept;

 private:
  Vec3 mean(Vec3 DifferencePoint::* of) const noexcept {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < count_; ++i) sum += weight_[i] * (points_[i].*of);
    return sum;
  }

  int count_;
  DifferencePoint points_[4];
  double weight_[4];
};

}  // namespace contactlib::geometry

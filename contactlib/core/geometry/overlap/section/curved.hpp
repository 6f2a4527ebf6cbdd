// Balls, ellipsoids and capsules, and their sections with the triangles of a mesh.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/boxes.hpp"

namespace contactlib::geometry {

inline bool is_curved(const Shape& A) noexcept {
  return A.kind == ShapeKind::sphere || A.kind == ShapeKind::capsule || A.kind == ShapeKind::ellipsoid;
}

// The solid is the image of the unit capsule: all points no further than 1 from the segment |z| <= half of the z axis.
class CurvedSolid {
 public:
  // Requires is_curved(A).
  CurvedSolid(const Shape& A, const Axes& A_to_B) noexcept
      : axis_(A_to_B.R.col(2)), half_(A.kind == ShapeKind::capsule ? 0.5 * A.size[1] / A.size[0] : 0.0) {
    const bool round = A.kind != ShapeKind::ellipsoid;
    const Vec3 semi(A.size[0], round ? A.size[0] : A.size[1], round ? A.size[0] : A.size[2]);
    from_unit_ = A_to_B.R * semi.asDiagonal();
    to_unit_ = semi.cwiseInverse().asDiagonal() * A_to_B.R.transpose();
    middle_ = A_to_B.p;
  }

  CurvedSolid moved(const Vec3& by) const noexcept {
    CurvedSolid out = *this;
    out.middle_ += by;
    return out;
  }
  // Outward normal at the point x of the surface, not normalised: the gradient of |to_unit (x - middle)| = 1.
  Vec3 normal(const Vec3& x) const noexcept { return to_unit_.transpose() * outward(unit(x)); }

  double half() const noexcept { return half_; }
  const Vec3& middle() const noexcept { return middle_; }
  // Unit, B's axes: the side of a capsule is straight along it.
  const Vec3& axis() const noexcept { return axis_; }

  // A point of B's axes in unit space; then directions from unit space to B's axes, and back.
  Vec3 unit(const Vec3& x) const noexcept { return to_unit_ * (x - middle_); }
  Vec3 from_unit(const Vec3& d) const noexcept { return from_unit_ * d; }
  Vec3 to_unit(const Vec3& d) const noexcept { return to_unit_ * d; }

  // The interval low < t < high of the line y + t d inside the unit capsule. Returns false if there is none.
  bool interval(const Vec3& y, const Vec3& d, double& low, double& high) const noexcept {
    if (half_ == 0.0) return in_ball(y, d, low, high);
    low = std::numeric_limits<double>::infinity(), high = -low;
    double from, to;
    const Vec3 end(0.0, 0.0, half_);
    if (in_ball(y - end, d, from, to)) low = from, high = to;
    if (in_ball(y + end, d, from, to)) low = std::min(low, from), high = std::max(high, to);
    if (in_tube(y, d, from, to)) low = std::min(low, from), high = std::max(high, to);
    return low < high;
  }

  // Distance from y, a point inside, to the surface along d, in multiples of d; 0 if the line misses the solid.
  double exit(const Vec3& y, const Vec3& d) const noexcept {
    Vec3 from = y;
    if (half_ > 0.0) {
      const auto y2 = y.head<2>(), d2 = d.head<2>();
      const double t = way_out(d2.squaredNorm(), y2.dot(d2), y2.squaredNorm() - 1.0), z = y[2] + t * d[2];
      if (std::abs(z) <= half_) return std::max(0.0, t);
      from[2] -= std::copysign(half_, t < std::numeric_limits<double>::infinity() ? z : d[2]);
    }
    const double t = way_out(d.squaredNorm(), from.dot(d), from.squaredNorm() - 1.0);
    return t < std::numeric_limits<double>::infinity() ? std::max(0.0, t) : 0.0;
  }

  bool contains(const Vec3& y) const noexcept { return outward(y).squaredNorm() < 1.0; }

  // Vector from the nearest point of the axis to y: normal to the surface if y is on it.
  Vec3 outward(const Vec3& y) const noexcept { return Vec3(y[0], y[1], y[2] - std::clamp(y[2], -half_, half_)); }

  // The support point of the unit capsule along n.
  Vec3 furthest(const Vec3& n) const noexcept { return n.normalized() + Vec3(0.0, 0.0, std::copysign(half_, n[2])); }

  // The points where the outline of the section in the plane n.y = h crosses the seams between side and ends; returns
  // their number.
  int seams_in_plane(const Vec3& n, double h, Vec3* out) const noexcept {
    const double squared = n[0] * n[0] + n[1] * n[1];
    int count = 0;
    for (const double z : {-half_, half_}) {
      const double c = h - n[2] * z, root = squared - c * c;
      if (!(root > 0.0)) continue;
      const Vec3 foot(n[0] * c / squared, n[1] * c / squared, z),
          off = Vec3(-n[1], n[0], 0.0) * (std::sqrt(root) / squared);
      out[count++] = foot + off, out[count++] = foot - off;
    }
    return count;
  }

  // Whether the outline turns by more than 67 degrees between two of its points.
  bool turns(const Vec3& n, const Vec3& from, const Vec3& to) const noexcept {
    const Vec3 a = outward(from), b = outward(to), p = a - a.dot(n) * n, q = b - b.dot(n) * n;
    return p.dot(q) < 0.39 * p.norm() * q.norm();
  }

  // The support point along `out` of the unit capsule's section with the plane through `from` across n; `out` is a unit
  // vector in that plane. Of many, as on the side, one near `from`. There N = alpha out + beta n is the surface normal.
  Vec3 furthest_in_plane(const Vec3& from, const Vec3& n, const Vec3& out) const noexcept {
    const double h = n.dot(from);
    Vec3 end(0.0, 0.0, std::copysign(half_, out[2]));
    const Vec3 N = n[2] * out - out[2] * n;  // N_z = 0 on the side
    const double norm = N.norm();
    if (std::abs(n[2]) > along_plane) {
      const Vec3 y = N * (std::copysign(1.0, n[2]) / norm);
      const double z = (h - n.dot(y)) / n[2];
      if (std::abs(z) <= half_) return y + z * Vec3::UnitZ();
      end[2] = std::copysign(half_, z);
    } else if (std::abs(out[2]) <= along_plane) {
      end[2] = std::clamp(from[2], -half_, half_);
    }
    const double beta = h - n.dot(end);
    return end + std::sqrt(std::max(0.0, 1.0 - beta * beta)) * out + beta * n;
  }

 private:
  static constexpr double along_plane = 1e-9;  // cosine: what has less of the axis is across it

  //   t1,2 = (-b -+ sqrt(b^2 - a q))/a,  a = d.d,  b = y.d,  q = y.y - 1;  the one of smaller magnitude by q/(a t)
  static bool in_circle(double a, double b, double q, double& low, double& high) noexcept {
    const double root_squared = b * b - a * q;
    if (!(root_squared > 0.0) || !(a > 0.0)) return false;
    const double root = std::sqrt(root_squared);
    if (b > 0.0)
      low = -(b + root) / a, high = -q / (b + root);
    else
      high = (root - b) / a, low = q / (root - b);
    return true;
  }

  // t2 alone; infinite if there is none.
  static double way_out(double a, double b, double q) noexcept {
    const double root_squared = b * b - a * q;
    if (!(root_squared > 0.0) || !(a > 0.0)) return std::numeric_limits<double>::infinity();
    const double root = std::sqrt(root_squared);
    return b > 0.0 ? -q / (b + root) : (root - b) / a;
  }

  static bool in_ball(const Vec3& y, const Vec3& d, double& low, double& high) noexcept {
    return in_circle(d.squaredNorm(), y.dot(d), y.squaredNorm() - 1.0, low, high);
  }

  // The interval within |z| <= half of the tube around the axis.
  bool in_tube(const Vec3& y, const Vec3& d, double& low, double& high) const noexcept {
    const auto y2 = y.head<2>(), d2 = d.head<2>();
    const double q = y2.squaredNorm() - 1.0;
    if (!in_circle(d2.squaredNorm(), y2.dot(d2), q, low, high)) {
      if (!(q < 0.0)) return false;
      low = -std::numeric_limits<double>::infinity(), high = -low;
    }
    if (d[2] == 0.0) return std::abs(y[2]) <= half_ && low < high;
    const double s = (-half_ - y[2]) / d[2], t = (half_ - y[2]) / d[2];
    low = std::max(low, std::min(s, t)), high = std::min(high, std::max(s, t));
    return low < high;
  }

  Mat3 to_unit_, from_unit_;
  Vec3 middle_;  // m, A's origin in B's axes
  Vec3 axis_;
  double half_;
};

// The common part of a triangle of B and the solid: a polygon, with a slim bow beyond some of its sides.
struct Section {
  static constexpr int max_points = 40;
  struct Point {
    Vec3 x;  // m, B's axes
    Vec3 y;  // as the unit capsule sees it
  };
  Point v[max_points];
  int tag[max_points];  // of the side from corner i to the next: which of the triangle's, -1: the chord of a bow
  int count = 0;
  Vec3 n_y;       // unit: of the triangle's plane as the unit capsule sees it
  double area_y;  // m2 of the triangle's plane for an area of 1 there

  // The section of the triangle x0, x1, x2, counter-clockwise around its normal; count is 0 if it is empty.
  Section(const CurvedSolid& A, const Vec3* x) noexcept;

  bool has_bows() const noexcept { return std::find(tag, tag + count, -1) != tag + count; }
  // Height of the bow over side i at the part t of its chord, along `out`, a unit vector of unit space.
  double bow(const CurvedSolid& A, int i, double t, Point& chord, Vec3& out) const noexcept;
  double area(const CurvedSolid& A, const Vec3& n) const noexcept;  // m2

 private:
  void add(const Point& p, int side) noexcept;
  void add_bows(const CurvedSolid& A, const Point& from, const Point& to, int level) noexcept;
  void add_capsule_bows(const CurvedSolid& A, const Point& from, const Point& to, int level) noexcept;
  void add_inner(const CurvedSolid& A, const Point* corner) noexcept;
};

}  // namespace contactlib::geometry

// convex polygons that are cut by planes, into room that the caller owns.
#pragma once

#include <cstdint>

#include "scratch.hpp"

namespace contactlib {

// corners in a plane, in order; edge i runs from corner i to the next one and carries tag i.
struct Polygon {
  Vec3* v;
  std::int32_t* tag;
  int count;

  // twice the area vector
  Vec3 doubled_area() const noexcept {
    Vec3 sum = Vec3::Zero();
    for (int i = 2; i < count; ++i) sum += (v[i - 1] - v[0]).cross(v[i] - v[0]);
    return sum;
  }
};

// the part of `in` with n.x <= d, written to `out` (other room). an edge along the plane has the tag `along`.
inline void cut(const Polygon& in, const Vec3& n, double d, Polygon& out, std::int32_t along = -1) noexcept {
  out.count = 0;
  if (in.count == 0) return;
  const double first = n.dot(in.v[0]) - d;
  double from = first;
  for (int i = 0; i < in.count; ++i) {
    const int k = i + 1 == in.count ? 0 : i + 1;
    const double to = k == 0 ? first : n.dot(in.v[k]) - d;
    if (from <= 0.0) {
      out.v[out.count] = in.v[i];
      out.tag[out.count++] = in.tag[i];
    }
    if ((from <= 0.0) != (to <= 0.0)) {
      out.v[out.count] = in.v[i] + (from / (from - to)) * (in.v[k] - in.v[i]);
      out.tag[out.count++] = from <= 0.0 ? along : in.tag[i];
    }
    from = to;
  }
}

// where a plane of A, with the normal n_A, cuts one of B in the segment p q, what of B is inside A grows as A moves with
// v + w x x: its border moves by (v + w x x).n_A / s, s the sine between the planes, and its area by push.v + turn.w.
inline void add_growth(const Vec3& n_B, const Vec3& n_A, const Vec3& p, const Vec3& q, Vec3& push,
                       Vec3& turn) noexcept {
  const double sine = n_A.cross(n_B).norm();
  if (!(sine > 1e-12)) return;
  const Vec3 by = (q - p).norm() / sine * n_A;
  push += by;
  turn += (0.5 * (p + q)).cross(by);
}

}  // namespace contactlib

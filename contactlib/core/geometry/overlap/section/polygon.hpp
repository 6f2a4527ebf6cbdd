// Convex polygons clipped by planes, in storage that the caller owns.
#pragma once

#include <cstdint>

#include "scratch.hpp"

namespace contactlib::geometry {

// Corners in a plane, in order; edge i runs from corner i to the next one and has tag i.
struct Polygon {
  Vec3* v;
  std::int32_t* tag;
  int count;

  // Twice the area vector.
  Vec3 doubled_area() const noexcept {
    Vec3 sum = Vec3::Zero();
    for (int i = 2; i < count; ++i) sum += (v[i - 1] - v[0]).cross(v[i] - v[0]);
    return sum;
  }
};

// The part of `in` with n.x <= d, written to `out` (other storage). An edge along the plane gets the tag `along`.
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

}  // namespace contactlib::geometry

#include "crossing.hpp"

#include <algorithm>

namespace contactlib::geometry {

namespace {

// Whether all corners of t lie on one side of the plane of s, further from it than tol.
bool beside(const Triangle& t, const Triangle& s, double tol, double* height) noexcept {
  for (int i = 0; i < 3; ++i) height[i] = s.n.dot(t.v[i] - s.v[0]);
  return (height[0] > tol && height[1] > tol && height[2] > tol) ||
         (height[0] < -tol && height[1] < -tol && height[2] < -tol);
}

// The part of the line p + s (q - p), low <= s <= high, within tol of the triangle, which lies in the same plane.
bool clip_to(const Triangle& t, const Vec3& p, const Vec3& q, double tol, double& low, double& high) noexcept {
  for (int i = 0; i < 3; ++i) {
    const Vec3 e = t.v[i == 2 ? 0 : i + 1] - t.v[i], out = e.cross(t.n);
    const double reach = tol * e.norm(), from = out.dot(p - t.v[i]) - reach, to = out.dot(q - t.v[i]) - reach;
    if (from > 0.0 && to > 0.0) return false;
    if (from > 0.0) low = std::max(low, from / (from - to));
    if (to > 0.0) high = std::min(high, from / (from - to));
  }
  return low <= high;
}

}  // namespace

bool crosses(const Triangle& b, const Triangle& a, double tol, TriangleCrossing& out) noexcept {
  double height_b[3], height_a[3];
  if (beside(b, a, tol, height_b) || beside(a, b, tol, height_a)) return false;
  out.proper = false;
  Vec3 ends[2];
  int count = 0;
  for (int i = 0; i < 3 && count < 2; ++i) {
    const int k = i == 2 ? 0 : i + 1;
    if ((height_b[i] > 0.0) == (height_b[k] > 0.0)) continue;
    ends[count++] = b.v[i] + height_b[i] / (height_b[i] - height_b[k]) * (b.v[k] - b.v[i]);
  }
  if (count < 2) return true;
  double low = 0.0, high = 1.0;
  if (!clip_to(a, ends[0], ends[1], tol, low, high)) return false;
  const Vec3 along = ends[1] - ends[0];
  out.p = ends[0] + low * along;
  out.q = ends[0] + high * along;
  if (b.n.cross(a.n).dot(along) < 0.0) std::swap(out.p, out.q);
  out.proper = true;
  return true;
}

}  // namespace contactlib::geometry

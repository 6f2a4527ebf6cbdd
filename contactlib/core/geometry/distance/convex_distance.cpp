// With h the support function of D = A - B,
//   distance = max -h(n) over unit n,   and n.(p - q) <= h(n) for all points p of A, q of B
// so a direction gives a lower bound, and two points give an upper one. Where h < 0 it has one minimum over the unit
// vectors (h is convex and homogeneous), so a descent from any direction that separates the two ends there. The result
// is proved by both bounds; where rounding left them apart, the descent starts again from the line between the points.
#include "convex_distance.hpp"

#include <limits>

#include "geometry/convex/translation.hpp"

namespace contactlib::geometry {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int max_starts = 6;
constexpr int max_reflections = 40;
constexpr double proved = 1e-13;  // of the size, between the two bounds

// A minimum's points, in A's axes.
NearestPoints points_of(const MinkowskiDifference& D, const Minimum& minimum) noexcept {
  NearestPoints out{-minimum.overlap, minimum.n, minimum.round_A, D.R_AB * minimum.round_B};
  for (int i = 0; i < minimum.active_vertices.count; ++i) {
    const ActiveVertex& active = minimum.active_vertices.active_vertex[i];
    out.P += minimum.active_vertices.weight[i] * D.A.corners.x[active.a];
    out.Q += minimum.active_vertices.weight[i] * D.corner_B(active.b);
  }
  return out;
}

Vec3 support_point(const MinkowskiDifference& D, const Vec3& n) noexcept {
  int a = -1, b = -1;
  climb(D, n, a, b);
  return D.corner(a, b) + D.furthest(n);
}

// From a direction near one that separates: a direction that does. Reflects it at support points v,
//   n <- n - 2 (n.v/v.v) v   (Chung and Wang 1996)
Vec3 separating(const MinkowskiDifference& D, Vec3 n, double& lower) noexcept {
  for (int i = 0; i < max_reflections; ++i) {
    const Vec3 v = support_point(D, n);
    lower = -n.dot(v);
    const double squared = v.squaredNorm();
    if (lower > 0.0 || !(squared > 0.0)) break;
    n = (n + (2.0 * lower / squared) * v).normalized();
  }
  return n;
}

}  // namespace

Nearness convex_distance(const MinkowskiDifference& D, double longest, NearestPoints& out) noexcept {
  Minimum minimum;
  if (least_overlap(D, Vec3::Zero(), minimum)) return Nearness::overlap;
  double lower = 0.0, upper = infinity;
  Vec3 n = separating(D, minimum.n, lower);
  if (lower > longest) return Nearness::beyond;
  for (int i = 0; i < max_starts && upper - lower > proved * D.size; ++i) {
    descend_rounded(D, n, minimum, -infinity);
    const NearestPoints found = points_of(D, minimum);
    const Vec3 between = found.Q - found.P;
    const double length = between.norm();
    lower = std::max(lower, found.distance);
    if (length < upper) upper = length, out = found;
    if (!(length > 0.0)) break;
    n = between / length;
  }
  if (upper - lower > proved * D.size) {  // the points are valid, and their distance is the least that was found
    const Vec3 between = out.Q - out.P;
    out.distance = between.norm();
    if (out.distance > 0.0) out.n = between / out.distance;
  } else {
    out.Q = out.P + out.distance * out.n;
  }
  if (!(out.distance > 0.0)) return Nearness::overlap;
  return out.distance > longest ? Nearness::beyond : Nearness::apart;
}

}  // namespace contactlib::geometry

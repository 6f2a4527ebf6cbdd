// With h the support function of D = A - B,
//   distance = max -h(n) over unit n,   and n.(p - q) <= h(n) for all points p of A, q of B
// so a direction gives a lower bound, and two points give an upper one. A result is returned when both agree. Where
// h < 0 it has one minimum over the unit vectors (h is convex and homogeneous), so a descent from a direction that
// separates the two mostly ends there, with all digits. Where it does not, as between faces that are parallel up to
// rounding, in contact without overlap, or at sizes that differ by many orders, the nearest point of D is approached
// from support points (closest_point.hpp). This always converges, and the descent ends it.
#include "convex_distance.hpp"

#include <limits>

#include "closest_point.hpp"
#include "translation.hpp"

namespace contactlib::geometry {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int few_reflections = 10, many_reflections = 100;
constexpr int max_supports = 400;
constexpr int supports_before_descent = 12;
constexpr double proved = 1e-13;  // of the size, between the two bounds
constexpr double touching = 1e-11;  // of the size: nothing separates the two, and points are so near

// The best bounds so far: a direction, and two points.
struct Bounds {
  double lower = -infinity, upper = infinity;
  Vec3 n, P, Q;

  void found(const Vec3& p, const Vec3& q, const Vec3& direction, double below) noexcept {
    const double length = (q - p).norm();
    if (below > lower) lower = below, n = direction;
    if (length < upper) upper = length, P = p, Q = q;
  }
  bool agree(const MinkowskiDifference& D) const noexcept { return upper - lower <= proved * D.size; }
};

// From a direction n that separates the two, or nearly.
void descend(const MinkowskiDifference& D, const Vec3& n, Bounds& bounds) noexcept {
  Minimum minimum;
  descend_rounded(D, n, minimum, -infinity);
  Vec3 P = minimum.round_A, Q = D.R_AB * minimum.round_B;
  for (int i = 0; i < minimum.active_vertices.count; ++i) {
    const ActiveVertex& active = minimum.active_vertices.active_vertex[i];
    P += minimum.active_vertices.weight[i] * D.A.corners.x[active.a];
    Q += minimum.active_vertices.weight[i] * D.corner_B(active.b);
  }
  bounds.found(P, Q, minimum.n, -minimum.n.dot(support_point(D, minimum.n).w));
}

// Turns n, which is near a direction that separates the two, into one that does: reflects it at support points v,
//   n <- n - 2 (n.v/v.v) v   (Chung and Wang 1996)
// Returns the lower bound: > 0 if it was found.
double separate(const MinkowskiDifference& D, int reflections, Vec3& n) noexcept {
  double lower = 0.0;
  for (int i = 0; i < reflections; ++i) {
    const Vec3 v = support_point(D, n).w;
    lower = -n.dot(v);
    const double squared = v.squaredNorm();
    if (lower > 0.0 || !(squared > 0.0)) break;
    n = (n + (2.0 * lower / squared) * v).normalized();
  }
  return lower;
}

// Approaches the nearest point of D by support points. Returns false if it is the origin.
bool approach(const MinkowskiDifference& D, const Vec3& start, Bounds& bounds) noexcept {
  Simplex simplex(support_point(D, start));
  for (int i = 1; i <= max_supports; ++i) {
    const Vec3 v = simplex.nearest();
    const double length = v.norm();
    if (!(length > D.fine())) return false;
    const Vec3 n = -v / length;
    const DifferencePoint next = support_point(D, n);
    const double lower = -n.dot(next.w);
    bounds.found(simplex.nearest_of_A(), simplex.nearest_of_B(), n, lower);
    const bool ends = bounds.agree(D) || !simplex.add(next);
    if (lower > 0.0 && (ends || i % supports_before_descent == 0)) descend(D, n, bounds);
    if (ends || bounds.agree(D)) break;
  }
  return true;
}

}  // namespace

Nearness convex_distance(const MinkowskiDifference& D, double longest, NearestPoints& out) noexcept {
  Minimum minimum;
  if (least_overlap(D, Vec3::Zero(), minimum)) return Nearness::overlap;
  Bounds bounds;
  Vec3 n = minimum.n;
  const double lower = separate(D, few_reflections, n);
  if (lower > longest) return Nearness::beyond;
  if (lower > 0.0) descend(D, n, bounds);
  if (!bounds.agree(D) && !approach(D, n, bounds)) return Nearness::overlap;
  for (const Vec3& from : {Vec3(minimum.n), Vec3(bounds.n)}) {
    if (!bounds.agree(D)) descend(D, from, bounds);
    n = from;
    if (!bounds.agree(D) && separate(D, many_reflections, n) > 0.0) descend(D, n, bounds);
  }
  const bool touch = !(bounds.lower > 0.0) && bounds.upper <= touching * D.size;
  if (touch || !(bounds.upper > D.fine())) return Nearness::overlap;
  // where rounding keeps the bounds apart, the points are valid
  const Vec3 n_AB = bounds.agree(D) ? bounds.n : Vec3((bounds.Q - bounds.P) / bounds.upper);
  out = {bounds.upper, n_AB, bounds.P, bounds.P + bounds.upper * n_AB};
  return out.distance > longest ? Nearness::beyond : Nearness::apart;
}

}  // namespace contactlib::geometry

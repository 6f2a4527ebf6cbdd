#include "ridge.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::geometry {

namespace {

// Weight of an edge contact whose outward direction w leans over one of the edge's faces by the sine x. The weight is 0
// from half the angle between the faces on.
//   m0 = n0 x t, m1 = t x n1   in the faces, away from the edge
//   weight = 1 - x / sin(angle/2),   x = max(0, w.m0, w.m1)
// A line of a round side has one normal, n0 = n1, and no face to lean over.
double facing(const Vec3& w, const Ridge& ridge) noexcept {
  const double x = std::max({0.0, w.dot(ridge.n0.cross(ridge.line.t)), w.dot(ridge.line.t.cross(ridge.n1))});
  if (x < 1e-15) return 1.0;
  return 1.0 - x / (0.5 * (ridge.n0 - ridge.n1).norm());
}

// Orients n out of a and into b; returns false if neither sign does both. A sheet has no outside: it accepts both
// signs.
bool outward(const Ridge& a, const Ridge& b, Vec3& n, double& depth) noexcept {
  const bool sheet_a = a.sheet(), sheet_b = b.sheet();
  const double from_a = n.dot(a.n0 + a.n1), into_b = -n.dot(b.n0 + b.n1);
  const double sense = !sheet_b ? into_b : !sheet_a ? from_a : depth;
  if (!(sense != 0.0) || (!sheet_a && !(from_a * sense > 0.0))) return false;
  if (sense < 0.0) n = -n, depth = -depth;
  return depth > 0.0;
}

}  // namespace

bool passes_behind(const Vec3& e, const Vec3& t, const Vec3& n0, const Vec3& n1, double tol, double& s) noexcept {
  double low = -1e300, high = 1e300;
  for (const Vec3* n : {&n0, &n1}) {
    const double above = n->dot(e) - tol, rate = n->dot(t);
    if (rate > 0.0)
      high = std::min(high, -above / rate);
    else if (rate < 0.0)
      low = std::max(low, -above / rate);
    else if (above > 0.0)
      return false;
  }
  if (!(low <= high)) return false;
  s = std::clamp(0.0, low, high);
  return true;
}

// Two points of lines at u and v from the feet are sqrt(depth^2 + |u t_A - v t_B|^2) apart, and |u t_A - v t_B| >= |u|
// |c|.
bool lines_near(const Line& a, const Line& b) noexcept {
  const Perpendicular across(a, b);
  const double reach = 0.5 * std::min(a.length, b.length);
  if (across.is_parallel() || !(across.along * across.along <= reach * reach * across.c2)) return false;
  const double beyond = 1.000001 * reach;
  return across.s_a >= -beyond && across.s_a <= a.length * across.c2 + beyond && across.s_b >= -beyond &&
         across.s_b <= b.length * across.c2 + beyond;
}

bool meet(const Ridge& a, const Ridge& b, double tol, double noise, RidgeCrossing& out) noexcept {
  const Perpendicular across(a.line, b.line);
  if (across.is_parallel()) return false;
  const double sine = std::sqrt(across.c2), reach = 0.5 * std::min(a.line.length, b.line.length);
  out.depth = -across.along / sine;
  out.n = across.c / sine;
  if (!(std::abs(out.depth) <= reach && std::abs(out.depth) > noise) || !outward(a, b, out.n, out.depth)) return false;
  const double share_a = facing(out.n, a), share_b = facing(-out.n, b);
  if (!(share_a > 0.0 && share_b > 0.0)) return false;
  out.load_share = share_a * share_b;

  const double foot_a = across.s_a / across.c2, foot_b = across.s_b / across.c2;
  double beside_a = 0.0, beside_b = 0.0;
  if (!passes_behind(out.depth * out.n, a.line.t, b.n0, b.n1, 0.0, beside_a)) return false;
  if (!a.sheet() && !passes_behind(-out.depth * out.n, b.line.t, a.n0, a.n1, 0.0, beside_b)) return false;
  out.s_a = foot_a + beside_a;
  out.s_b = foot_b + beside_b;
  if (!(out.s_a >= -tol && out.s_a <= a.line.length + tol)) return false;
  if (!(out.s_b >= -tol && out.s_b <= b.line.length + tol)) return false;
  out.X_a = a.line.at(out.s_a);
  out.X_b = b.line.at(out.s_b);
  out.C = 0.5 * (a.line.at(foot_a) + b.line.at(foot_b));
  return (out.X_a - out.X_b).squaredNorm() <= reach * reach;
}

}  // namespace contactlib::geometry

#include "hole_points.hpp"

#include "geometry/socket/circle_edge.hpp"

namespace contactlib::geometry {

namespace {

constexpr int max_climbs = 400;

}  // namespace

double HolePoints::distance(const Vec3& x) const noexcept {
  return nearest_in_hole(socket_, from_core(socket_, x)).phi;
}

bool HolePoints::offer(const Vec3& x, NearestPoints& out) const noexcept {
  if (x[2] > 0.0) return false;
  const Nearest nearest = nearest_in_hole(socket_, from_core(socket_, x));
  if (!(nearest.phi < out.distance)) return false;
  out = {nearest.phi, -nearest.g_B, x, x - nearest.phi * nearest.g_B};
  return true;
}

// Where the derivative g.x' of the distance along the edge rises through zero; about the hole's axis it is zero all along.
bool HolePoints::evaluate_edge(const Vec3& middle, double r, NearestPoints& out) const noexcept {
  const CircleEdge edge{middle, A_to_B_.R.col(2), r, 1.0};
  const auto slope = [&](const Vec3& E) noexcept {
    return nearest_in_hole(socket_, from_core(socket_, middle + E)).g_B.dot(edge.axis.cross(E));
  };
  bool found = offer(middle + r * A_to_B_.R.col(0), out);
  const CircleEdgeMinima minima = rising_on(edge, Vec3::Zero(), slope);
  for (int i = 0; i < minima.count; ++i) found = offer(middle + minima.E[i], out) || found;
  return found;
}

// The furthest point along the way to wall or cap, again and again: the distance is concave, so none is further.
Vec3 HolePoints::climb(Vec3 x) const noexcept {
  double before = distance(x);
  for (int i = 0; i < max_climbs; ++i) {
    const Vec3 n = -nearest_in_hole(socket_, from_core(socket_, x)).g_B;
    const Vec3 next = A_to_B_(solid_.furthest(A_to_B_.R.transpose() * n));
    const double after = distance(next);
    if (!(after < before)) break;
    x = next;
    before = after;
  }
  return x;
}

bool HolePoints::evaluate_ellipsoid(NearestPoints& out) const noexcept {
  bool found = false;
  for (int code = 0; code < 27; ++code) {
    const Vec3 d_A(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1);
    if (code == 13) continue;
    const Vec3 x = A_to_B_(solid_.radii.cwiseProduct(d_A.normalized()));
    found = offer(climb(x), out) || found;
  }
  return found;
}

bool HolePoints::find(NearestPoints& out) const noexcept {
  if (solid_.shape.kind == ShapeKind::ellipsoid) return evaluate_ellipsoid(out);
  const double r = solid_.radii[0];  // of a cylinder's two edges
  bool found = false;
  for (int v = 0; v < solid_.corners.count; ++v) {
    const Vec3 x = A_to_B_(solid_.corners.x[v]);
    const bool here = r > 0.0 ? evaluate_edge(x, r, out) : offer(x, out);
    found = found || here;
  }
  return found;
}

}  // namespace contactlib::geometry

#include "hole_points.hpp"

#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int samples = 32;     // of a circle: the distance has at most three minima there
constexpr int max_falsi = 60;
constexpr int max_climbs = 400;

}  // namespace

// An edge of a cylinder, x = m + u cos + v sin, in B's axes.
struct HolePoints::Circle {
  Vec3 m, u, v;

  Vec3 at(double angle) const noexcept {
    const auto [sine, cosine] = math::sin_cos(angle);
    return m + cosine * u + sine * v;
  }
  Vec3 tangent(double angle) const noexcept {
    const auto [sine, cosine] = math::sin_cos(angle);
    return cosine * v - sine * u;
  }
};

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

// Between samples where the derivative g.x' of the distance changes from - to +.
bool HolePoints::evaluate_circle(const Circle& circle, NearestPoints& out) const noexcept {
  const auto slope = [&](double angle) noexcept {
    return nearest_in_hole(socket_, from_core(socket_, circle.at(angle))).g_B.dot(circle.tangent(angle));
  };
  bool found = false;
  double low = 0.0, low_slope = slope(0.0);
  for (int i = 1; i <= samples; ++i) {
    const double high = 2.0 * pi / samples * i, high_slope = slope(high);
    found = offer(circle.at(high), out) || found;
    if (low_slope < 0.0 && high_slope >= 0.0) {
      double a = low, b = high, fa = low_slope, fb = high_slope;
      int stays = 0;
      for (int k = 0; k < max_falsi && b - a > 1e-15; ++k) {
        const double middle = a + (b - a) * (fa / (fa - fb)), f = slope(middle);
        found = offer(circle.at(middle), out) || found;
        if (f == 0.0) break;
        if (f < 0.0) {
          a = middle, fa = f;
          if (stays == 1) fb *= 0.5;
          stays = 1;
        } else {
          b = middle, fb = f;
          if (stays == -1) fa *= 0.5;
          stays = -1;
        }
      }
    }
    low = high, low_slope = high_slope;
  }
  return found;
}

// The furthest point along the way to wall or cap, again and again: the distance is concave, so none is further.
Vec3 HolePoints::climb(Vec3 x) const noexcept {
  double before = distance(x);
  for (int i = 0; i < max_climbs; ++i) {
    const Vec3 n = -nearest_in_hole(socket_, from_core(socket_, x)).g_B;
    const Vec3 y = solid_.radii.cwiseProduct(A_to_B_.R.transpose() * n);
    const Vec3 next = A_to_B_.p + A_to_B_.R * solid_.radii.cwiseProduct(y / y.norm());
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
    const Vec3 x = A_to_B_.p + A_to_B_.R * solid_.radii.cwiseProduct(d_A.normalized());
    found = offer(climb(x), out) || found;
  }
  return found;
}

bool HolePoints::find(NearestPoints& out) const noexcept {
  if (solid_.shape.kind == ShapeKind::ellipsoid) return evaluate_ellipsoid(out);
  const double r = solid_.radii[0];  // of a cylinder's two edges
  bool found = false;
  for (int v = 0; v < solid_.corners.count; ++v) {
    const Vec3 x = A_to_B_.R * solid_.corners.x[v] + A_to_B_.p;
    const bool here = r > 0.0 ? evaluate_circle({x, r * A_to_B_.R.col(0), r * A_to_B_.R.col(1)}, out) : offer(x, out);
    found = found || here;
  }
  return found;
}

}  // namespace contactlib::geometry

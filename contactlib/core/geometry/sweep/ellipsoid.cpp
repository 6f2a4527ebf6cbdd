// Sphere and capsule against an ellipsoid. The nearest point S of a point p has p - S = t grad, so that
//   S_i = a_i x_i,   x_i = a_i p_i / (t + a_i^2),   |x| = 1,   phi = t |(x_i / a_i)|
// inside and outside alike, with the greatest t of all solutions. Near the middle of a flat ellipsoid t + a_i^2 almost
// vanishes for the least semi-axis; so this sum is the unknown.
#include "ellipsoid.hpp"

#include <cmath>

#include "math/elementary.hpp"
#include "through.hpp"

namespace contactlib::geometry {

namespace {

// D = t + a_min^2 > 0:  x_i = y_i / (D + c_i),  y_i = a_i p_i,  c_i = a_i^2 - a_min^2 >= 0
//
// 1 - 1/|x| is concave in D and rises: newton from below the root climbs to it without passing it.
//   D <- D + (|x| - 1) |x|^2 / sum x_i^2 / (D + c_i)
double root(const Vec3& y, const Vec3& c) noexcept {
  // each |x_i| <= 1 at the root; and D + c_i <= D + c_max
  double D = y.norm() - c.maxCoeff();
  for (int i = 0; i < 3; ++i) {
    const double bound = std::abs(y[i]) - c[i];
    if (bound > D) D = bound;
  }
  for (int i = 0; i < 100; ++i) {
    const Vec3 inverse(1.0 / (D + c[0]), 1.0 / (D + c[1]), 1.0 / (D + c[2]));
    const Vec3 x = y.cwiseProduct(inverse), x2 = x.cwiseProduct(x);
    const double n2 = x2.sum(), n = std::sqrt(n2);
    const double step = (n - 1.0) * n2 / x2.dot(inverse);
    D += step;
    if (!(step > 1e-9 * D)) break;  // newton leaves the square of that
  }
  return D;
}

// The least signed distance of all points of a line, in the projection along the line, which is an ellipse. If the line
// misses the ellipsoid, the least distance is that from the ellipse; otherwise it is at most that.
struct Shadow {
  double phi;  // m, signed distance of the line from the shadow
  Vec3 S;      // the ellipsoid's point there
};

// The projection is the image of the unit sphere; its semi-axes are the singular values of A (e1 e2):
//   major^2 = the greater eigenvalue of (e_i.A^2 e_j),   major minor = |A e1 x A e2| = det A |d / a|
Shadow shadow(const Vec3& a, const Vec3& Q, const Vec3& d) noexcept {
  const Vec3 e1 = perpendicular(d), e2 = d.cross(e1);
  const Vec3 b1 = a.cwiseProduct(e1), b2 = a.cwiseProduct(e2);
  const double half = 0.5 * (b1.squaredNorm() - b2.squaredNorm()), mixed = b1.dot(b2);
  const double root = std::sqrt(half * half + mixed * mixed);
  const double major = std::sqrt(0.5 * (b1.squaredNorm() + b2.squaredNorm()) + root);
  const double minor = b1.cross(b2).norm() / major;
  const double c = half > 0.0 ? half + root : mixed, s = half > 0.0 ? mixed : root - half;
  const double scale = c * c + s * s;
  const Vec3 f1 = scale > 0.0 ? Vec3((c * e1 + s * e2) / std::sqrt(scale)) : e1, f2 = d.cross(f1);

  const Nearest flat = nearest_on_ellipsoid(Vec3(major, minor, major), Vec3(Q.dot(f1), Q.dot(f2), 0.0));
  const Vec3 g = flat.g_B[0] * f1 + flat.g_B[1] * f2, Ag = a.cwiseProduct(g);
  return {flat.phi, a.cwiseProduct(Ag) / Ag.norm()};
}

int least_axis(const Vec3& a) noexcept {
  int least = 0;
  a.minCoeff(&least);
  return least;
}

// Where phi is smooth, its minimum has g across d: the foot of the projection's nearest point. It has kinks only where
// both sides are equally near, on the plane of the two greater axes.
double deepest_on_line(const Shadow& seen, const Vec3& a, const Vec3& Q, const Vec3& d) noexcept {
  const double smooth = (seen.S - Q).dot(d);
  if (seen.phi >= 0.0) return smooth;
  const int least = least_axis(a);
  const double kink = -Q[least] / d[least];
  if (!std::isfinite(kink)) return smooth;
  const auto phi = [&](double s) noexcept { return nearest_on_ellipsoid(a, Q + s * d).phi; };
  return phi(kink) < phi(smooth) ? kink : smooth;
}

inline double clamped(double s, double length) noexcept { return s > 0.0 ? (s < length ? s : length) : 0.0; }

}  // namespace

Nearest nearest_on_ellipsoid(const Vec3& semi_axes, const Vec3& p) noexcept {
  const Vec3& a = semi_axes;
  const int least = least_axis(a);
  const double a_min = a[least];
  Vec3 y = a.cwiseProduct(p);
  // On the plane of the two greater axes both sides may be equally near: one is chosen.
  const double tiny = 1e-150 * a_min * a_min;
  if (std::abs(y[least]) < tiny) y[least] = std::copysign(tiny, y[least]);
  const Vec3 c = (a.array() - a_min) * (a.array() + a_min);
  const double D = root(y, c);
  const Vec3 across(y[0] / (a[0] * (D + c[0])), y[1] / (a[1] * (D + c[1])), y[2] / (a[2] * (D + c[2])));
  const double norm = across.norm();
  return {(D - a_min * a_min) * norm, across / norm, true};
}

double deepest_in_ellipsoid(const Vec3& semi_axes, const Vec3& Q0, const Vec3& d, double length) noexcept {
  return clamped(deepest_on_line(shadow(semi_axes, Q0, d), semi_axes, Q0, d), length);
}

void sphere_ellipsoid(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Vec3 a(B.size), p = centre(X);
  if (((p.cwiseAbs() - a).array() >= A.size[0]).any()) return;
  add_centre(out, A.size[0], X, nearest_on_ellipsoid(a, p));
}

void capsule_ellipsoid(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  const Vec3 a(B.size);
  for (int i = 0; i < 3; ++i) {
    const double reach = a[i] + capsule.r;
    if (math::fmin(capsule.Q0_B[i], capsule.Q1_B[i]) >= reach || math::fmax(capsule.Q0_B[i], capsule.Q1_B[i]) <= -reach)
      return;
  }
  const Shadow seen = shadow(a, capsule.Q0_B, capsule.d_B);
  if (seen.phi >= capsule.r) return;
  const double s = clamped(deepest_on_line(seen, a, capsule.Q0_B, capsule.d_B), capsule.length);
  const auto evaluate = [&](const Vec3& p) noexcept { return nearest_on_ellipsoid(a, p); };
  const Nearest nearest = seen.phi < 0.0 ? nearest_exit(capsule, evaluate, s) : evaluate(capsule.at(s));
  if (!(nearest.phi < capsule.r)) return;
  const int feature = s == 0.0 ? 0 : s == capsule.length ? 1 : 2;
  capsule.add(out, s, nearest.g_B, nearest.phi, feature);
}

}  // namespace contactlib::geometry

// An ellipsoid A against the socket B: its support points below the faces, into the wall and into the cap; and the
// deepest points of the rim, the edges and the corners of the box inside it. See docs/manifolds.md, "Socket against
// solids".
#include <algorithm>
#include <cmath>

#include "geometry/sweep/ellipsoid.hpp"
#include "last_way.hpp"
#include "solids.hpp"

namespace contactlib::geometry {

namespace {

constexpr double slack = 1e-9;  // a sine: how far a normal may lean over an edge's or a corner's faces

// The local maxima of x.c.x / 2 + b.x over the unit sphere, c = diag(k1 >= k2 >= k3): the greatest has t > 0, the other
// one, if it exists, has k2 - k1 < t < 0:
//   x_i = b_i / (t + k1 - k_i),   |x| = 1
struct SphereMaxima {
  int count = 0;
  Vec3 x[2];
};

class OnSphere {
 public:
  OnSphere(const Vec3& b, const Vec3& k) noexcept : b_(b.cwiseAbs()), c_(Vec3(k[0], k[0], k[0]) - k), sign_(b) {
    b_[0] = std::max(b_[0], 1e-30);
  }

  SphereMaxima find() const noexcept {
    SphereMaxima out;
    out.x[out.count++] = place(greatest());
    double t = 0.0;
    if (other(t)) out.x[out.count++] = place(t);
    return out;
  }

 private:
  Vec3 at(double t) const noexcept { return b_.cwiseQuotient(Vec3(t, t, t) + c_); }

  Vec3 place(double t) const noexcept {
    Vec3 x = at(t).normalized();
    for (int i = 0; i < 3; ++i) x[i] *= std::copysign(1.0, sign_[i]);
    return x;
  }

  // 1 - 1/|x| is concave in t and rises: newton from below climbs to the root without passing it.
  double greatest() const noexcept {
    double t = std::max({b_[0], b_[1] - c_[1], b_[2] - c_[2]});
    for (int i = 0; i < 100; ++i) {
      const Vec3 x = at(t), x2 = x.cwiseProduct(x);
      const double n2 = x2.sum(), n = std::sqrt(n2);
      const double step = (n - 1.0) * n2 / x2.cwiseQuotient(Vec3(t, t, t) + c_).sum();
      t += step;
      if (!(step > 1e-9 * t)) break;  // newton leaves the square of that
    }
    return t;
  }

  // S(tau) = |x(-tau)|^2 is convex in 0 < tau < c_2 and S(b_1) >= 1: newton climbs to the smaller root; no root: the
  // slope turns first.
  bool other(double& t) const noexcept {
    const double end = c_[1];
    double tau = b_[0];
    for (int i = 0; i < 200; ++i) {
      if (!(tau < end)) return false;
      const Vec3 x = at(-tau), below = Vec3(-tau, -tau, -tau) + c_;
      const double excess = x.squaredNorm() - 1.0, slope = 2.0 * x.cwiseProduct(x).cwiseQuotient(below).sum();
      t = -tau;
      if (slope >= 0.0) return excess <= 1e-15;
      const double step = -excess / slope;
      tau += step;
      if (!(step > 1e-16 * tau)) break;
    }
    return tau < end;
  }

  Vec3 b_, c_, sign_;
};

// In B's axes the ellipsoid is c + M u, |u| = 1; its axes are sorted, the longest first.
class EllipsoidInSocket {
 public:
  EllipsoidInSocket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : A_(A),
        a_(A.size),
        pair_(A, 2.0 * a_.norm(), B, X, out),
        B_to_A_(pair_.A_to_B.inverse()),
        c_(pair_.A_to_B.p),
        M_(pair_.A_to_B.R * a_.asDiagonal()) {}

  void build_contacts() noexcept {
    const Vec3 reach = M_.rowwise().norm();
    if (pair_.misses(c_ - reach, c_ + reach)) return;
    const bool outside = !pair_.B.clear_of_box(c_ - reach, c_ + reach);
    const Nearest nearest = nearest_on_socket(pair_.B.solid, c_);
    if (nearest.phi < 0.0) return add_plane(nearest);
    for (int k = 0; k < 6; ++k)
      if (pair_.B.height(k, c_) >= 0.0) evaluate_face(k);
    if (pair_.B.is_in_hole(c_) && evaluate_wall()) {
      evaluate_cap();
      evaluate_rim();
    } else if (!pair_.B.is_in_hole(c_)) {
      evaluate_rim();
    }
    for (int e = 0; e < 12 && outside; ++e) evaluate_edge(e);
    for (int k = 0; k < 8 && outside; ++k) evaluate_corner(k);
    if (!pair_.found()) evaluate_through();
    if (!pair_.found() && leaves_hole()) add_way_off_box(A_, pair_, 37);
  }

 private:
  // The support point against g:  c - M M^T g / |M^T g|
  Vec3 furthest(const Vec3& g) const noexcept {
    const Vec3 Mg = M_.transpose() * g;
    return c_ - M_ * (Mg / Mg.norm());
  }

  // x extends below the tangent plane with normal g by `depth`.
  void add(const Vec3& x, const Vec3& g, double depth, std::int64_t number) const noexcept {
    if (depth > pair_.B.noise) pair_.add(x + 0.5 * depth * g, -g, depth, number);
  }

  // The whole ellipsoid against the tangent plane at the point that is nearest to its centre.
  void add_plane(const Nearest& nearest) noexcept {
    add(furthest(nearest.g_B), nearest.g_B, (M_.transpose() * nearest.g_B).norm() - nearest.phi, 0);
  }

  void evaluate_face(int k) noexcept {
    const Vec3 g = (k % 2 ? 1.0 : -1.0) * Vec3::Unit(k / 2), x = furthest(g);
    if (pair_.B.above(x) <= pair_.B.tol) add(x, g, -pair_.B.height(k, x), 1 + k);
  }

  // Across the hole's axis the projection has the semi-axes s1 >= s2 along f1 and f2:
  //   |q + (s1 x1, s2 x2)| -> max
  // Returns false if no point is further than R from that axis.
  bool evaluate_wall() noexcept {
    const Vec3 m0 = M_.row(0), m1 = M_.row(1);
    const double half = 0.5 * (m0.squaredNorm() - m1.squaredNorm()), mixed = m0.dot(m1);
    const double root = std::sqrt(half * half + mixed * mixed), mean = 0.5 * (m0.squaredNorm() + m1.squaredNorm());
    const double c = half > 0.0 ? half + root : mixed, s = half > 0.0 ? mixed : root - half;
    const double scale = std::sqrt(c * c + s * s);
    const double fx = scale > 0.0 ? c / scale : 1.0, fy = scale > 0.0 ? s / scale : 0.0;
    const double s1 = std::sqrt(mean + root), s2 = m0.cross(m1).norm() / s1;
    const Vec3 q(fx * c_[0] + fy * c_[1], fx * c_[1] - fy * c_[0], 0.0);
    const SphereMaxima far = OnSphere(Vec3(s1 * q[0], s2 * q[1], 0.0), Vec3(s1 * s1, s2 * s2, 0.0)).find();
    bool beyond = false;
    for (int i = 0; i < far.count; ++i) {
      const double y1 = q[0] + s1 * far.x[i][0], y2 = q[1] + s2 * far.x[i][1], rho = std::sqrt(y1 * y1 + y2 * y2);
      if (!(rho > pair_.B.solid.R)) continue;
      beyond = true;
      const Vec3 out((fx * y1 - fy * y2) / rho, (fy * y1 + fx * y2) / rho, 0.0);
      // At the point above the projection's border the normal is across z.
      const double d1 = far.x[i][0] / s1, d2 = far.x[i][1] / s2;
      const Vec3 x = furthest(-Vec3(fx * d1 - fy * d2, fy * d1 + fx * d2, 0.0));
      leaves_hole_ = leaves_hole_ || (x[2] <= 0.0 && x[2] >= -pair_.B.solid.h && rho > pair_.B.solid.R + pair_.B.tol);
      if (x[2] <= pair_.B.tol && x[2] >= -pair_.B.solid.h && pair_.B.above(x) <= pair_.B.tol)
        add(x, -out, rho - pair_.B.solid.R, 7 + i);
    }
    return beyond || c_[2] - M_.row(2).norm() < -pair_.B.solid.h;
  }

  // |c - P0 + M u| -> max
  void evaluate_cap() noexcept {
    int order[3] = {0, 1, 2};
    for (const int i : {0, 1, 0})
      if (a_[order[i]] < a_[order[i + 1]]) std::swap(order[i], order[i + 1]);
    const Vec3 b = M_.transpose() * Vec3(c_[0], c_[1], c_[2] + pair_.B.solid.h);
    const Vec3 sorted(b[order[0]], b[order[1]], b[order[2]]), k(a_[order[0]], a_[order[1]], a_[order[2]]);
    const SphereMaxima far = OnSphere(sorted, k.cwiseProduct(k)).find();
    for (int i = 0; i < far.count; ++i) {
      Vec3 u;
      for (int j = 0; j < 3; ++j) u[order[j]] = far.x[i][j];
      const Vec3 x = c_ + M_ * u, w(x[0], x[1], x[2] + pair_.B.solid.h);
      const double distance = w.norm();
      leaves_hole_ = leaves_hole_ || (w[2] < 0.0 && distance > pair_.B.solid.R + pair_.B.tol);
      if (w[2] < 0.0 && pair_.B.above(x) <= pair_.B.tol) add(x, -w / distance, distance - pair_.B.solid.R, 9 + i);
    }
  }

  // The outward unit normal of the ellipsoid at the point E of an edge with tangent t. Where phi has a kink along the
  // edge, both sides of the ellipsoid are equally near: the normal that leans less over the faces is taken.
  template <class Lean>
  Vec3 out_at(const Vec3& E, const Vec3& t, const Nearest& here, const Lean& lean) const noexcept {
    const Vec3 step = 100.0 * pair_.B.tol * t;
    const Vec3 before = pair_.A_to_B.R * nearest_on_ellipsoid(a_, B_to_A_(E - step)).g_B;
    const Vec3 after = pair_.A_to_B.R * nearest_on_ellipsoid(a_, B_to_A_(E + step)).g_B;
    if ((before - after).squaredNorm() < 1e-10) return pair_.A_to_B.R * here.g_B;
    return lean(before) < lean(after) ? before : after;
  }

  // E, deep in the ellipsoid, where what leads out of it leads into B between the normals of two faces, or three.
  void add_place(const Vec3& E, const Vec3& t, const Vec3* normals, int count, std::int64_t number) noexcept {
    const Nearest nearest = nearest_on_ellipsoid(a_, B_to_A_(E));
    if (!(nearest.phi < -pair_.B.noise)) return;
    leaves_hole_ = leaves_hole_ || nearest.phi < -pair_.B.tol;
    const auto lean = [&](const Vec3& g) noexcept {
      double most = -1.0;
      for (int i = 0; i < count; ++i) most = std::max(most, g.dot(normals[i]));
      return most;
    };
    const Vec3 g = out_at(E, t, nearest, lean);
    if (lean(g) <= slack) pair_.add(E - 0.5 * nearest.phi * g, g, -nearest.phi, number);
  }

  void evaluate_rim() noexcept {
    const Vec3 up = M_.row(2);
    if (!(c_[2] - up.norm() < 0.0 && c_[2] + up.norm() > 0.0)) return;
    const CircleEdge rim = pair_.B.rim();
    const CircleEdgeMinima minima = rising_on(rim, c_, [&](const Vec3& E) noexcept {
      return nearest_on_ellipsoid(a_, B_to_A_(E)).g_B.dot(B_to_A_.R * Vec3(-E[1], E[0], 0.0));
    });
    for (int i = 0; i < minima.count; ++i) {
      const Vec3 out = minima.E[i] / rim.R, normals[2] = {Vec3::UnitZ(), -out};
      add_place(minima.E[i], Vec3(-out[1], out[0], 0.0), normals, 2, 11 + i);
    }
  }

  void evaluate_edge(int e) noexcept {
    const Ridge b = pair_.B.edge(e);
    const Line line = seen_from(B_to_A_, b.line);
    const double s = deepest_in_ellipsoid(a_, line.p, line.t, line.length);
    const Vec3 normals[2] = {b.n0, b.n1};
    if (s > 0.0 && s < b.line.length) add_place(b.line.at(s), b.line.t, normals, 2, 16 + e);
  }

  void evaluate_corner(int k) noexcept {
    const Vec3 normals[3] = {(k & 1 ? 1.0 : -1.0) * Vec3::UnitX(), (k & 2 ? 1.0 : -1.0) * Vec3::UnitY(),
                             (k & 4 ? 1.0 : -1.0) * Vec3::UnitZ()};
    add_place(pair_.B.corner(k), Vec3::Zero(), normals, 3, 28 + k);
  }

  // Whether some point at or below the mouth's plane is in no hole, after all other rules.
  bool leaves_hole() const noexcept {
    const bool middle_leaves = c_[2] <= 0.0 && !pair_.B.is_in_hole(c_);
    return leaves_hole_ || middle_leaves ||
           is_cut_outside(furthest(-Vec3::UnitZ()), furthest(Vec3::UnitZ()), pair_.B.solid.R);
  }

  // No other contact: the deepest point of its axes in B.
  void evaluate_through() noexcept {
    double deepest = pair_.B.noise, s = 0.0;
    Vec3 x = Vec3::Zero(), g = Vec3::Zero();
    Nearest nearest{};
    for (int i = 0; i < 3; ++i) {
      const Vec3 t = pair_.A_to_B.R.col(i), Q0 = c_ - a_[i] * t, Q1 = c_ + a_[i] * t;
      if (pair_.B.is_in_hole(Q0) && pair_.B.is_in_hole(Q1)) continue;
      const Sweep axis{Q0, Q1, t, 2.0 * a_[i], 0.0, t, pair_.X.R_WB};
      if (deepest_in_socket(axis, pair_.B.solid, s, nearest) && -nearest.phi > deepest + 100.0 * pair_.B.noise)
        deepest = -nearest.phi, x = axis.at(s), g = nearest.g_B;
    }
    if (deepest > pair_.B.noise) add(x, g, deepest, 36);
  }

  const Shape& A_;
  const Vec3 a_;  // m, semi-axes
  SocketPair pair_;
  const Axes B_to_A_;
  const Vec3 c_;
  const Mat3 M_;
  bool leaves_hole_ =
      false;  // a point at or below the mouth's plane was found in no hole: an extreme point, or the rim's
};

}  // namespace

void ellipsoid_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  EllipsoidInSocket(A, B, X, out).build_contacts();
}

}  // namespace contactlib::geometry

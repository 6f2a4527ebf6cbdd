// Any shape against the half space z <= 0: a ball about P has phi = z.(P - B), g = z.
#include "plane.hpp"

#include <cmath>

#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

namespace {

// The half space in A's axes: the height of p is n.p - d.
struct HalfSpace {
  const Placement& X;
  Vec3 n_W, n_A;
  double d;

  explicit HalfSpace(const Placement& X) noexcept
      : X(X), n_W(X.R_WB.col(2)), n_A(X.R_WA.transpose() * n_W), d(n_W.dot(X.p_AB_W)) {}

  double height(const Vec3& p_A) const noexcept { return n_A.dot(p_A) - d; }

  void build_contact(const Vec3& p_A, int feature, Manifold& out) const noexcept {
    const double phi = height(p_A);
    if (phi < 0.0) add_ball(out, X.R_WA * p_A, n_W, 0.0, phi, feature);
  }
};

void ball_plane(const Vec3& p_AP_W, double r, const Placement& X, int feature, Manifold& out) noexcept {
  const Vec3 z_W = X.R_WB.col(2);
  add_ball(out, p_AP_W, z_W, r, z_W.dot(p_AP_W - X.p_AB_W), feature);
}

}  // namespace

void sphere_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  ball_plane(Vec3::Zero(), A.size[0], X, 0, out);
}

void capsule_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half_W = X.R_WA.col(2) * (0.5 * A.size[1]);
  ball_plane(-half_W, A.size[0], X, 0, out);
  ball_plane(half_W, A.size[0], X, 1, out);
}

// At the lowest point the outward normal is -n:  -a^2 n / |a n|
void ellipsoid_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  const Vec3 a(A.size), an = a.cwiseProduct(space.n_A);
  space.build_contact(a.cwiseProduct(an) / -an.norm(), 0, out);
}

// Corner k has +x if bit 0 is set, +y if bit 1 is set, +z if bit 2 is set.
void socket_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  const Vec3 high(0.5 * A.size[0], 0.5 * A.size[1], 0.0), low(-high[0], -high[1], -A.size[2]);
  for (int k = 0; k < 8; ++k)
    space.build_contact({(k & 1) ? high[0] : low[0], (k & 2) ? high[1] : low[1], (k & 4) ? high[2] : low[2]}, k, out);
}

}  // namespace contactlib::geometry

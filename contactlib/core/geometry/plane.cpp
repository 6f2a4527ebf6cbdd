// anything against the half space z <= 0: a ball about P has phi = z.(P - B), g = z.
#include "plane.hpp"

#include "ball.hpp"

namespace contactlib {

namespace {

void ball_plane(const Vec3& p_AP_W, double r, const Placement& X, int feature, Manifold& out) noexcept {
  const Vec3 z_W = X.R_WB.col(2);
  add_ball(out, p_AP_W, z_W, r, z_W.dot(p_AP_W - X.p_AB_W), feature);
}

}  // namespace

void point_plane(const Shape&, const Shape&, const Placement& X, Manifold& out) noexcept {
  ball_plane(Vec3::Zero(), 0.0, X, 0, out);
}

void sphere_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  ball_plane(Vec3::Zero(), A.size[0], X, 0, out);
}

void capsule_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half_W = X.R_WA.col(2) * (0.5 * A.size[1]);
  ball_plane(-half_W, A.size[0], X, 0, out);
  ball_plane(half_W, A.size[0], X, 1, out);
}

void box_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half(0.5 * A.size[0], 0.5 * A.size[1], 0.5 * A.size[2]);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p_A((corner & 1) ? half[0] : -half[0], (corner & 2) ? half[1] : -half[1],
                   (corner & 4) ? half[2] : -half[2]);
    ball_plane(X.R_WA * p_A, 0.0, X, corner, out);
  }
}

}  // namespace contactlib

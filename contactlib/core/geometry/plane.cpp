// anything against the half space z <= 0: a ball about P has phi = z.(P - B), g = z.
#include "plane.hpp"

#include <cmath>

#include "ball.hpp"
#include "nearest.hpp"

namespace contactlib {

namespace {

// the half space in A's axes: the height of p is n.p - d.
struct HalfSpace {
  Vec3 n_A;
  double d;

  explicit HalfSpace(const Placement& X) noexcept
      : n_A(X.R_WA.transpose() * X.R_WB.col(2)), d(X.R_WB.col(2).dot(X.p_AB_W)) {}
  double height(const Vec3& p_A) const noexcept { return n_A.dot(p_A) - d; }
};

void ball_plane(const Vec3& p_AP_W, double r, const Placement& X, int feature, Manifold& out) noexcept {
  const Vec3 z_W = X.R_WB.col(2);
  add_ball(out, p_AP_W, z_W, r, z_W.dot(p_AP_W - X.p_AB_W), feature);
}

void corner_plane(const Vec3& p_A, const Placement& X, int feature, Manifold& out) noexcept {
  ball_plane(X.R_WA * p_A, 0.0, X, feature, out);
}

// corner k of a box has +x if bit 0 is set, +y if bit 1 is set, +z if bit 2 is set.
void box_corners_plane(const Vec3& low, const Vec3& high, const Placement& X, Manifold& out) noexcept {
  for (int k = 0; k < 8; ++k)
    corner_plane({(k & 1) ? high[0] : low[0], (k & 2) ? high[1] : low[1], (k & 4) ? high[2] : low[2]}, X, k, out);
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

void triangle_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  for (int k = 0; k < 3; ++k) corner_plane(Vec3(A.size + 3 * k), X, k, out);
}

// the lowest point is where the outward normal is -n:  -a^2 n / |a n|
void ellipsoid_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 a(A.size), an = a.cwiseProduct(HalfSpace(X).n_A);
  corner_plane(a.cwiseProduct(an) / -an.norm(), X, 0, out);
}

void box_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half = 0.5 * Vec3(A.size);
  box_corners_plane(-half, half, X, out);
}

// four points of each end's circle, from the lowest one on.
void cylinder_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 n_A = HalfSpace(X).n_A;
  const double across = std::sqrt(n_A[0] * n_A[0] + n_A[1] * n_A[1]);
  Vec3 e = across < 1e-9 ? Vec3(A.size[0], 0.0, 0.0) : Vec3(Vec3(n_A[0], n_A[1], 0.0) * (-A.size[0] / across));
  for (int k = 0; k < 4; ++k) {
    for (const int end : {0, 1})
      corner_plane(e + Vec3(0.0, 0.0, (end == 0 ? -0.5 : 0.5) * A.size[1]), X, roaming + 4 * end + k, out);
    e = Vec3(-e[1], e[0], 0.0);
  }
}

void polyhedron_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace below(X);
  const std::vector<Vec3>& vertices = A.surface->vertices;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (below.height(vertices[v]) < 0.0) corner_plane(vertices[v], X, static_cast<int>(v), out);
}

void socket_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half(0.5 * A.size[0], 0.5 * A.size[1], 0.0);
  box_corners_plane(Vec3(-half[0], -half[1], -A.size[2]), half, X, out);
}

// a box' lowest point:  n.middle - |n|.half
void mesh_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Surface& mesh = *A.surface;
  const HalfSpace below(X);
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 low(node.low), high(node.high);
    return below.height(0.5 * (low + high)) < 0.5 * below.n_A.cwiseAbs().dot(high - low) + 1e-12 * mesh.size;
  };
  for_each_facet(mesh, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      const std::int32_t v = facet.vertex[i];
      if (!(facet.owns & its_vertex << i) || !mesh.convex_vertex[v]) continue;
      if (below.height(facet.corner[i]) < 0.0) corner_plane(facet.corner[i], X, v, out);
    }
  });
}

}  // namespace contactlib

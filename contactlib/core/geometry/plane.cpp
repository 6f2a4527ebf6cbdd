// Any shape against the half space z <= 0: a ball about P has phi = z.(P - B), g = z.
#include "plane.hpp"

#include <cmath>

#include "geometry/manifold/ball.hpp"
#include "geometry/surface/nearest.hpp"

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

  // Of a ball of radius r about p.
  void build_contact(const Vec3& p_A, int feature, Manifold& out, double r = 0.0) const noexcept {
    const double phi = height(p_A);
    if (phi < r) add_ball(out, X.R_WA * p_A, n_W, r, phi, feature);
  }
};

void ball_plane(const Vec3& p_AP_W, double r, const Placement& X, int feature, Manifold& out) noexcept {
  const Vec3 z_W = X.R_WB.col(2);
  add_ball(out, p_AP_W, z_W, r, z_W.dot(p_AP_W - X.p_AB_W), feature);
}

// Corner k of a box has +x if bit 0 is set, +y if bit 1 is set, +z if bit 2 is set.
// Around each is a ball of radius r.
void touch_corners(const HalfSpace& space, const Vec3& low, const Vec3& high, Manifold& out, double r = 0.0) noexcept {
  for (int k = 0; k < 8; ++k)
    space.build_contact({(k & 1) ? high[0] : low[0], (k & 2) ? high[1] : low[1], (k & 4) ? high[2] : low[2]}, k, out,
                        r);
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

void triangle_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  for (int k = 0; k < 3; ++k) space.build_contact(Vec3(A.size + 3 * k), k, out);
}

// At the lowest point the outward normal is -n:  -a^2 n / |a n|
void ellipsoid_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  const Vec3 a(A.size), an = a.cwiseProduct(space.n_A);
  space.build_contact(a.cwiseProduct(an) / -an.norm(), 0, out);
}

void box_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 half = 0.5 * Vec3(A.size);
  touch_corners(HalfSpace(X), -half, half, out, swept_radius(A));
}

// Four points of each end's circle, starting with the lowest one.
void cylinder_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  const double R = A.size[0], half = 0.5 * A.size[1], x = space.n_A[0], y = space.n_A[1];
  const double across = std::sqrt(x * x + y * y);
  Vec3 e = across < 1e-9 ? Vec3(R, 0.0, 0.0) : Vec3(-x * R / across, -y * R / across, 0.0);
  for (int k = 0; k < 4; ++k) {
    space.build_contact(Vec3(e[0], e[1], -half), roaming + k, out);
    space.build_contact(Vec3(e[0], e[1], half), roaming + 4 + k, out);
    e = Vec3(-e[1], e[0], 0.0);
  }
}

void polyhedron_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const HalfSpace space(X);
  const std::vector<Vec3>& vertices = A.surface->vertices;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    space.build_contact(vertices[v], static_cast<int>(v), out, swept_radius(A));
}

void socket_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Vec3 high(0.5 * A.size[0], 0.5 * A.size[1], 0.0);
  touch_corners(HalfSpace(X), Vec3(-high[0], -high[1], -A.size[2]), high, out);
}

// Only convex corners count, each once: through the facet that owns it. The lowest point of a box:
//   n.middle - |n|.half
void mesh_plane(const Shape& A, const Shape&, const Placement& X, Manifold& out) noexcept {
  const Surface& mesh = *A.surface;
  const HalfSpace space(X);
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 low(node.low), high(node.high);
    return space.height(0.5 * (low + high)) < 0.5 * space.n_A.cwiseAbs().dot(high - low) + 1e-12 * mesh.size;
  };
  for_each_facet(mesh, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i)
      if ((facet.owns & its_vertex << i) && mesh.convex_vertex[facet.vertex[i]])
        space.build_contact(facet.corner[i], facet.vertex[i], out);
  });
}

}  // namespace contactlib::geometry

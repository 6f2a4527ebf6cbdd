// an ellipsoid against a mesh: every face, convex edge and convex corner that it meets squarely. in its own axes, seen
// in units of its semi-axes, it is the unit ball.
#include <cmath>
#include <limits>

#include "ellipsoid.hpp"
#include "mesh_report.hpp"
#include "mesh_ridge.hpp"
#include "mesh_solid.hpp"

namespace contactlib {

namespace {

// how far a direction or a foot may be beyond an edge, for that it is not missed on both sides: of a unit, of the size.
constexpr double slack = 1e-9;

class EllipsoidOnMesh {
 public:
  EllipsoidOnMesh(const Shape& A, const Surface& mesh, const Placement& X) noexcept
      : a_(A.size),
        mesh_(mesh),
        X_(X),
        to_A_{X.R_WA.transpose() * X.R_WB, X.R_WA.transpose() * X.p_AB_W},
        c_(to_A_.inverse().p),
        tol_(same_place * std::min(mesh.size, 2.0 * a_.maxCoeff())),
        contacts_(tol_) {}

  void touch(Manifold& out) noexcept {
    Place place;
    if (mesh_.nodes.empty()) return;
    if (!nearest_place(mesh_, c_, std::numeric_limits<double>::infinity(), place)) return;
    if (place.phi < 0.0)
      add_plane(place.g, place.phi, 0);
    else if (place.phi < a_.maxCoeff())
      look_around();
    contacts_.finish(out);
  }

 private:
  void look_around() noexcept {
    // the foot, on a face, of the point furthest under it is no further from the centre than that point
    const double limit = a_.maxCoeff() * a_.maxCoeff();
    const auto meets = [&](const BoxNode& node) noexcept { return squared_distance(node, c_) <= limit; };
    for_each_facet(mesh_, meets, [this](const Facet& facet) noexcept { look(facet); });
  }

  void look(const Facet& facet) noexcept {
    look_at_face(facet);
    for (int i = 0; i < 3; ++i) {
      if (facet.owns & ridge << i) look_at_edge(facet.edge[i]);
      if ((facet.owns & its_vertex << i) && mesh_.convex_vertex[facet.vertex[i]]) look_at_corner(facet.vertex[i]);
    }
  }

  // the point furthest against g:  p = c - M^2 g / |M g|,  M g = (a_i g_i);  over the plane by phi - |M g|
  Vec3 furthest(const Vec3& g_B) const noexcept {
    const Vec3 Mg = a_.cwiseProduct(to_A_.R * g_B);
    return c_ - to_A_.R.transpose() * (a_.cwiseProduct(Mg) / Mg.norm());
  }
  double reach(const Vec3& g_B) const noexcept { return a_.cwiseProduct(to_A_.R * g_B).norm(); }

  // against the plane that is phi from the centre, with outward normal g.
  void add_plane(const Vec3& g_B, double phi, std::int64_t feature) noexcept {
    add(furthest(g_B), g_B, reach(g_B) - phi, feature);
  }

  // p: A's deepest point; g: out of B
  void add(const Vec3& p_B, const Vec3& g_B, double depth, std::int64_t feature) noexcept {
    if (!(depth > 0.0)) return;
    const Vec3 C_A = to_A_(p_B + 0.5 * depth * g_B);
    contacts_.add({X_.R_WA * C_A, -(X_.R_WB * g_B), depth, feature_number(feature)});
  }

  void look_at_face(const Facet& facet) noexcept {
    const double h = facet.n.dot(c_ - facet.corner[0]);
    if (!(h >= 0.0 && h < a_.maxCoeff() && h < reach(facet.n))) return;
    const Vec3 p = furthest(facet.n);
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = facet.corner[i == 2 ? 0 : i + 1] - facet.corner[i];
      if (facet.n.dot(e.cross(p - facet.corner[i])) < -tol_ * e.norm()) return;
    }
    add_plane(facet.n, h, 1 + facet.face);
  }

  // false if the segment Q + s d does not come inside: in units of the semi-axes it stays away from the unit ball.
  bool enters(const Vec3& Q, const Vec3& d, double length) const noexcept {
    const Vec3 q = Q.cwiseQuotient(a_), e = d.cwiseQuotient(a_);
    const double s = std::fmin(std::fmax(-q.dot(e) / e.squaredNorm(), 0.0), length);
    return (q + s * e).squaredNorm() < 1.0;
  }

  void look_at_edge(std::int32_t e) noexcept {
    const Edge& edge = mesh_.edges[e];
    const Vec3 Q = to_A_(mesh_.vertices[edge.v0]), d = to_A_.R * edge.t;
    if (!enters(Q, d, edge.length)) return;
    const double s = deepest_in_ellipsoid(a_, Q, d, edge.length);
    if (!(s > 0.0 && s < edge.length)) return;
    const Nearest nearest = nearest_on_ellipsoid(a_, Q + s * d);
    const Vec3 w_B = -(to_A_.R.transpose() * nearest.g_B);
    const Ridge ridge = ridge_of(mesh_, edge);
    if (w_B.dot(ridge.n0.cross(edge.t)) > slack) return;
    if (edge.f1 >= 0 ? w_B.dot(edge.t.cross(ridge.n1)) > slack : w_B.dot(ridge.n0) < 0.0) return;
    add_nearest(mesh_.vertices[edge.v0] + s * edge.t, w_B, nearest, 1 + mesh_.faces.size() + e);
  }

  void look_at_corner(std::int32_t v) noexcept {
    const Vec3 P = to_A_(mesh_.vertices[v]);
    if (!(P.cwiseQuotient(a_).squaredNorm() < 1.0)) return;
    const Nearest nearest = nearest_on_ellipsoid(a_, P);
    const Vec3 w_B = -(to_A_.R.transpose() * nearest.g_B);
    if (w_B.dot(mesh_.vertex_normals[v]) < 0.0) return;
    for (std::int32_t k = mesh_.first_spoke[v]; k < mesh_.first_spoke[v + 1]; ++k)
      if (w_B.dot(mesh_.spokes[k].t) > slack) return;
    add_nearest(mesh_.vertices[v], w_B, nearest, 1 + mesh_.faces.size() + mesh_.edges.size() + v);
  }

  // P on the mesh is -phi below A's surface, whose outward normal there is -w.
  void add_nearest(const Vec3& P_B, const Vec3& w_B, const Nearest& nearest, std::size_t feature) noexcept {
    add(P_B + nearest.phi * w_B, w_B, -nearest.phi, static_cast<std::int64_t>(feature));
  }

  const Vec3 a_;  // m, semi-axes
  const Surface& mesh_;
  const Placement& X_;
  const Axes to_A_;
  const Vec3 c_;      // m, the centre, in B's axes
  const double tol_;  // m
  Sharing contacts_;
};

}  // namespace

void ellipsoid_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  EllipsoidOnMesh(A, *B.surface, X).touch(out);
}

}  // namespace contactlib

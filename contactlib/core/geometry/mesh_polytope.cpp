// triangle, box, polyhedron or mesh A against mesh B: corners of A in B, convex corners of B in A, and convex edges of
// both that cross (mesh_crossings.cpp). docs/manifolds.md defines them.
#include <algorithm>

#include "mesh_pair.hpp"
#include "mesh_solid.hpp"

namespace contactlib {

namespace {

// the directions of a corner's edges against a normal given in other axes.
struct CornerFaces {
  const Surface& surface;
  std::int32_t corner;
  const Mat3& R;  // from the normal's axes to the corner's

  bool operator()(const Vec3& normal) const noexcept {
    const Vec3 n = R * normal;
    for (std::int32_t k = surface.first_spoke[corner]; k < surface.first_spoke[corner + 1]; ++k) {
      const Edge& edge = surface.edges[surface.spokes[k]];
      if ((edge.v0 == corner ? n.dot(edge.t) : -n.dot(edge.t)) < least_slope) return false;
    }
    return true;
  }
};

// convex corners of `source` inside `target`; X: source's axes to target's.
template <class Found>
void corners_inside(const Surface& source, const Target& target, const Axes& X, const Found& found) noexcept {
  const Mat3 back = X.R.transpose(), spread = X.R.cwiseAbs();
  const auto visit = [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      const std::int32_t v = facet.vertex[i];
      if (!(facet.owns & its_vertex << i) || !source.convex_vertex[v]) continue;
      const Vec3 x = X(facet.corner[i]);
      Push push;
      if (target.push(x, CornerFaces{source, v, back}, push)) found(v, x, push);
    }
  };
  if (target.convex)
    for_each_in_groups(
        source, [&](const Group& group) noexcept { return !group.is_flat() && target.may_hold(X(group.middle), group.radius); }, visit);
  else
    for_each_facet(source, [&](const BoxNode& node) noexcept { return target.may_hold(node, X, spread); }, visit);
}

}  // namespace

void polytope_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Surface &a = *A.surface, &b = *B.surface;
  if (a.nodes.empty() || b.nodes.empty()) return;
  const double size = std::min(a.size, b.size), tol = same_place * size, noise = rounded * size;
  const bool convex = A.kind == ShapeKind::box || A.kind == ShapeKind::polyhedron;
  const Axes B_to_A{X.R_WA.transpose() * X.R_WB, X.R_WA.transpose() * X.p_AB_W};
  const MeshPair pair{{a, convex, tol, noise, a.size},
                      {b, false, tol, noise, a.size},
                      A.kind == ShapeKind::triangle,
                      B_to_A,
                      B_to_A.inverse(),
                      X,
                      tol,
                      noise,
                      out};
  // n_AB leads into B: against the way out of B, along the way out of A
  corners_inside(a, pair.B, pair.A_to_B, [&](std::int32_t v, const Vec3& x, const Push& push) noexcept {
    const Vec3 C = B_to_A(x + 0.5 * push.depth * push.g);
    pair.add(C, -(B_to_A.R * push.g), push.depth, pair.corner_number(true, v), 1.0);
  });
  if (!pair.hollow)
    corners_inside(b, pair.A, B_to_A, [&](std::int32_t v, const Vec3& x, const Push& push) noexcept {
      pair.add(x + 0.5 * push.depth * push.g, push.g, push.depth, pair.corner_number(false, v), 1.0);
    });
  add_crossings(pair);
}

}  // namespace contactlib

// triangle, box, polyhedron or mesh A against mesh B: corners of A in B, convex corners of B in A, and convex edges of
// both that cross (mesh_crossings.cpp). docs/manifolds.md defines them.
#include <algorithm>

#include "mesh_pair.hpp"
#include "mesh_solid.hpp"

namespace contactlib {

namespace {

// convex corners of `source` inside `target`; X: source's axes to target's.
template <class Found>
class CornerWalk {
 public:
  CornerWalk(const Surface& source, const Target& target, const Axes& X, const Found& found) noexcept
      : source_(source), target_(target), X_(X), back_(X.R.transpose()), found_(found) {}

  void find() const noexcept {
    const Mat3 spread = X_.R.cwiseAbs();
    const auto visit = [&](const Facet& facet) noexcept { look(facet); };
    const auto meets_group = [&](const FacetGroup& group) noexcept {
      return !group.is_flat() && target_.may_hold(X_(group.middle), group.radius);
    };
    // few corners are asked one by one: boxes below the root would cost more than they spare
    const bool few = is_few(source_);
    const auto meets_box = [&](const BoxNode& node) noexcept {
      return (few && &node != &source_.nodes[0]) || target_.may_hold(node, X_, spread);
    };
    if (target_.convex)
      for_each_in_groups(source_, meets_group, visit);
    else
      for_each_facet(source_, meets_box, visit);
  }

 private:
  void look(const Facet& facet) const noexcept {
    for (int i = 0; i < 3; ++i) {
      const std::int32_t v = facet.vertex[i];
      if (!(facet.owns & its_vertex << i) || !source_.convex_vertex[v]) continue;
      const Vec3 x = X_(facet.corner[i]);
      Push push;
      if (target_.push(x, CornerFaces{source_, v, back_}, push)) found_(v, x, push);
    }
  }

  const Surface& source_;
  const Target& target_;
  const Axes& X_;
  const Mat3 back_;
  const Found& found_;
};

template <class Found>
void corners_inside(const Surface& source, const Target& target, const Axes& X, const Found& found) noexcept {
  CornerWalk<Found>(source, target, X, found).find();
}

// seen by a body that sees itself through X. not asked for where it is asked corner by corner.
bool uniform(const Surface& surface, const Surface& body, const Axes& X) noexcept {
  return surface.closed || (!is_few(body) && is_uniform(surface, X(middle(body.nodes[0])), 0.5 * body.size));
}

}  // namespace

void polytope_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Surface &a = *A.surface, &b = *B.surface;
  if (a.nodes.empty() || b.nodes.empty()) return;
  const double size = std::min(a.size, b.size), tol = same_place * size, noise = rounded * size;
  const bool convex = A.kind == ShapeKind::box || A.kind == ShapeKind::polyhedron;
  const Axes B_to_A{X.R_WA.transpose() * X.R_WB, X.R_WA.transpose() * X.p_AB_W};
  const Axes A_to_B = B_to_A.inverse();
  const MeshPair pair{{a, convex, tol, noise, uniform(a, b, B_to_A), a.size},
                      {b, false, tol, noise, uniform(b, a, A_to_B), a.size},
                      A.kind == ShapeKind::triangle,
                      B_to_A,
                      A_to_B,
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

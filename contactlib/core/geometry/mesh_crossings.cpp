// two trees at once: convex edges of A and B that cross.
#include <algorithm>

#include "mesh_pair.hpp"
#include "mesh_ridge.hpp"

namespace contactlib {

namespace {

// an end of an edge that is inside the other body, a convex corner, and nearer than `depth` stands for the crossing.
bool end_stands(const Surface& surface, std::int32_t v, double away, double depth, const Target& other, const Axes& X) noexcept {
  return away < depth && surface.convex_vertex[v] && other.holds(X(surface.vertices[v]));
}

void add_meeting(const MeshPair& pair, std::int32_t a, std::int32_t b) noexcept {
  const Edge &edge_a = pair.A.surface.edges[a], &edge_b = pair.B.surface.edges[b];
  const Ridge ridge_a = ridge_of(pair.A.surface, edge_a), ridge_b = ridge_of(pair.B.surface, edge_b);
  Meeting m;
  if (!meet(ridge_a, seen_from(pair.B_to_A, ridge_b), pair.tol, pair.noise, m)) return;
  if (!pair.B.holds(pair.A_to_B(m.X_a)) || (!pair.hollow && !pair.A.holds(m.X_b))) return;
  const auto stands_a = [&](std::int32_t v, double away) noexcept {
    return end_stands(pair.A.surface, v, away, m.depth, pair.B, pair.A_to_B);
  };
  const auto stands_b = [&](std::int32_t v, double away) noexcept {
    return !pair.hollow && end_stands(pair.B.surface, v, away, m.depth, pair.A, pair.B_to_A);
  };
  if (stands_a(edge_a.v0, m.s_a) || stands_a(edge_a.v1, edge_a.length - m.s_a)) return;
  if (stands_b(edge_b.v0, m.s_b) || stands_b(edge_b.v1, edge_b.length - m.s_b)) return;
  pair.add(m.C, m.n, m.depth, pair.ridge_number(a, b), m.share);
}

// edges that meet are nearer than half the shorter of them, and no longer than the balls they are in. A's groups are
// opened down to single edges; of two groups the larger is opened first.
class Crossings {
 public:
  explicit Crossings(const MeshPair& pair) noexcept : pair_(pair), A_(pair.A.surface), B_(pair.B.surface) {}

  void find() noexcept {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) push(a, b);
    while (open_ > 0) {
      const Open top = stack_[--open_];
      if (top.a >= 0 && opens_a(top)) {
        open_a(top);
      } else if (const std::int32_t child = slot(B_, top.b).child; child >= 0) {
        for (int k = 0; k < 4; ++k) push(top.a, 4 * child + k);
      } else {
        cross(~top.a, B_.facets[~child]);
      }
    }
  }

 private:
  // a: a slot of A's quads, or ~ an edge; b: a slot of B's
  struct Open {
    std::int32_t a, b;
  };

  static Group slot(const Surface& surface, std::int32_t s) noexcept { return Group(surface, surface.quads[s / 4], s % 4); }

  bool opens_a(const Open& top) const noexcept {
    const Group b = slot(B_, top.b);
    return b.child < 0 || slot(A_, top.a).radius > b.radius;
  }

  void open_a(const Open& top) noexcept {
    const std::int32_t child = slot(A_, top.a).child;
    if (child >= 0) {
      for (int k = 0; k < 4; ++k) push(4 * child + k, top.b);
      return;
    }
    const Facet& facet = A_.facets[~child];
    for (int i = 0; i < 3; ++i)  // a triangle's are all convex
      if (facet.owns & (pair_.hollow ? its_edge : ridge) << i) push(~facet.edge[i], top.b);
  }

  void push(std::int32_t a, std::int32_t b) noexcept {
    if (may_cross(a, slot(B_, b))) stack_[open_++] = {a, b};
  }

  // where an edge of B passes under one of A it is inside A, or near the triangle.
  bool may_cross(std::int32_t a, const Group& b) const noexcept {
    if (b.radius < 0.0 || b.is_flat()) return false;
    const Vec3 x = pair_.B_to_A(b.middle);
    const double near = b.radius + pair_.tol;
    if (!pair_.hollow && squared_distance(A_.nodes[0], x) > near * near) return false;
    if (a < 0) {
      const Edge& edge = A_.edges[~a];
      const double reach = near + std::min(0.5 * edge.length, b.radius);
      return squared_distance(line_of(A_, edge), x) <= reach * reach;
    }
    const Group group = slot(A_, a);
    if (group.radius < 0.0) return false;
    const double reach = near + group.radius + std::min(group.radius, b.radius);
    if ((group.middle - x).squaredNorm() > reach * reach) return false;
    return pair_.hollow || (!group.is_flat() && may_oppose(group, b, pair_.B_to_A.R));
  }

  void cross(std::int32_t a, const Facet& facet) const noexcept {
    const Line line = line_of(A_, A_.edges[a]);
    for (int i = 0; i < 3; ++i) {
      if (!(facet.owns & ridge << i)) continue;
      if (lines_near(line, seen_from(pair_.B_to_A, line_of(B_, B_.edges[facet.edge[i]])))) add_meeting(pair_, a, facet.edge[i]);
    }
  }

  const MeshPair& pair_;
  const Surface &A_, &B_;
  int open_ = 0;
  Open stack_[3 * (2 * deepest_quad + 2) + 16];
};

}  // namespace

void add_crossings(const MeshPair& pair) noexcept { Crossings(pair).find(); }

}  // namespace contactlib

// convex edges of A and B that cross: A's tree is opened down to single edges, with B's as far as it is coarser; from
// there on each edge looks for its own in what is left of B's. all in B's axes.
#include <algorithm>

#include "mesh_pair.hpp"
#include "mesh_ridge.hpp"

namespace contactlib {

namespace {

// an end of an edge that is inside the other body, a convex corner, and nearer than `depth` stands for the crossing.
bool end_stands(const Surface& surface, std::int32_t v, double away, double depth, const Target& other,
                const Axes& X) noexcept {
  return away < depth && surface.convex_vertex[v] && other.holds(X(surface.vertices[v]));
}

void add_meeting(const MeshPair& pair, std::int32_t a, const Ridge& ridge_a, std::int32_t b) noexcept {
  const Edge &edge_a = pair.A.surface.edges[a], &edge_b = pair.B.surface.edges[b];
  Meeting m;
  if (!meet(ridge_a, ridge_of(pair.B.surface, edge_b), pair.tol, pair.noise, m)) return;
  if (!pair.B.holds(m.X_a) || (!pair.hollow && !pair.A.holds(pair.B_to_A(m.X_b)))) return;
  const auto stands_a = [&](std::int32_t v, double away) noexcept {
    return end_stands(pair.A.surface, v, away, m.depth, pair.B, pair.A_to_B);
  };
  const auto stands_b = [&](std::int32_t v, double away) noexcept {
    return !pair.hollow && end_stands(pair.B.surface, v, away, m.depth, pair.A, pair.B_to_A);
  };
  if (stands_a(edge_a.v0, m.s_a) || stands_a(edge_a.v1, edge_a.length - m.s_a)) return;
  if (stands_b(edge_b.v0, m.s_b) || stands_b(edge_b.v1, edge_b.length - m.s_b)) return;
  pair.add(pair.B_to_A(m.C), pair.B_to_A.R * m.n, m.depth, pair.ridge_number(a, b), m.share);
}

// an edge of A as the quads of B see it: four groups at a time, in floats, from the middle of B. edges that meet are
// nearer than half the shorter of them, and none is longer than the ball it is in.
class RidgeSeeker {
 public:
  RidgeSeeker(const MeshPair& pair, std::int32_t edge) noexcept
      : pair_(pair),
        B_(pair.B.surface),
        edge_(edge),
        ridge_(seen_from(pair.A_to_B, ridge_of(pair.A.surface, pair.A.surface.edges[edge]))) {
    const Vec3 p = ridge_.line.p - B_.middle, g = ridge_.n0 + ridge_.n1;
    const bool sheet = ridge_.sheet();
    for (int i = 0; i < 3; ++i) {
      p_[i] = static_cast<float>(p[i]);
      t_[i] = static_cast<float>(ridge_.line.t[i]);
      g_[i] = sheet ? 0.0f : static_cast<float>(g[i] / g.norm());
    }
    length_ = static_cast<float>(ridge_.line.length);
    cosine_ = sheet ? -1.0f : static_cast<float>(ridge_.n0.dot(ridge_.n1));
    sine_ = sheet ? 0.0f : static_cast<float>(ridge_.n0.cross(ridge_.n1).norm());
    slop_ = static_cast<float>(1e-6 * (B_.size + p.cwiseAbs().sum() + ridge_.line.length) + pair.tol);
  }

  // from a quad of B on, or from ~ a facet.
  void find(std::int32_t from) const noexcept {
    std::int32_t stack[3 * deepest_quad + 2], hit[4];
    int open = 0;
    stack[open++] = from;
    while (open > 0) {
      const std::int32_t top = stack[--open];
      if (top < 0) {
        cross(B_.facets[~top]);
        continue;
      }
      const Quad& quad = B_.quads[top];
      look(quad, hit);
      for (int k = 3; k >= 0; --k) {
        stack[open] = quad.child[k];
        open += hit[k];
      }
    }
  }

 private:
  // near enough, not flat, and opposite: what leads out of this edge is within the angle theta between its faces from
  // g, what leads out of the group's within 2 alpha of its axis (mesh_boxes.hpp), and -g.axis >= cos(theta + 2 alpha).
  void look(const Quad& quad, std::int32_t* hit) const noexcept {
    for (int k = 0; k < 4; ++k) {
      const float wx = quad.middle[0][k] - p_[0], wy = quad.middle[1][k] - p_[1], wz = quad.middle[2][k] - p_[2];
      const float s = std::min(std::max(wx * t_[0] + wy * t_[1] + wz * t_[2], 0.0f), length_);
      const float dx = wx - s * t_[0], dy = wy - s * t_[1], dz = wz - s * t_[2];
      const float ax = quad.axis[0][k], ay = quad.axis[1][k], az = quad.axis[2][k], r = quad.radius[k];
      const float reach = r + std::min(0.5f * length_, r) + slop_;
      const float sine = quad.sine[k], cos2 = 1.0f - 2.0f * sine * sine, sin2 = 2.0f * sine * quad.cosine[k];
      const bool open = (sine == 1.0f) | (ax * ax + ay * ay + az * az < 0.5f) | (sine_ * cos2 + cosine_ * sin2 <= 0.0f);
      const float along = -(g_[0] * ax + g_[1] * ay + g_[2] * az);
      const bool bent = sine >= static_cast<float>(0.4 * sharp);
      hit[k] = (r >= 0.0f) & (dx * dx + dy * dy + dz * dz <= reach * reach) &
               (open | (bent & (along >= cosine_ * cos2 - sine_ * sin2 - 1e-4f)));
    }
  }

  void cross(const Facet& facet) const noexcept {
    for (int i = 0; i < 3; ++i)
      if ((facet.owns & ridge << i) && lines_near(ridge_.line, line_of(B_, B_.edges[facet.edge[i]])))
        add_meeting(pair_, edge_, ridge_, facet.edge[i]);
  }

  const MeshPair& pair_;
  const Surface& B_;
  std::int32_t edge_;
  Ridge ridge_;
  float p_[3], t_[3], g_[3], length_, cosine_, sine_, slop_;
};

// of two groups the larger is opened; the edges of a body that has few look through all of B.
class Crossings {
 public:
  explicit Crossings(const MeshPair& pair) noexcept : pair_(pair), A_(pair.A.surface), B_(pair.B.surface) {}

  void find() noexcept {
    if (is_few(A_)) {
      for (const Facet& facet : A_.facets) seek(facet, 0);
      return;
    }
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) push(a, b);
    while (open_ > 0) {
      const Open top = stack_[--open_];
      const FacetGroup a = slot(A_, top.a), b = slot(B_, top.b);
      if (b.child >= 0 && b.radius > a.radius) {
        for (int k = 0; k < 4; ++k) push(top.a, 4 * b.child + k);
      } else if (a.child >= 0) {
        for (int k = 0; k < 4; ++k) push(4 * a.child + k, top.b);
      } else {
        seek(A_.facets[~a.child], b.child);
      }
    }
  }

 private:
  // slots of A's and B's quads
  struct Open {
    std::int32_t a, b;
  };

  static FacetGroup slot(const Surface& surface, std::int32_t s) noexcept {
    return FacetGroup(surface, surface.quads[s / 4], s % 4);
  }

  // a triangle's edges are all convex, and where an edge of B passes under one of another solid it is inside of that.
  void push(std::int32_t slot_a, std::int32_t slot_b) noexcept {
    const FacetGroup a = slot(A_, slot_a), b = slot(B_, slot_b);
    if (a.radius < 0.0 || b.radius < 0.0 || b.is_flat()) return;
    const Vec3 x = pair_.B_to_A(b.middle);
    const double near = b.radius + pair_.tol, reach = near + a.radius + std::min(a.radius, b.radius);
    if ((a.middle - x).squaredNorm() > reach * reach) return;
    if (!pair_.hollow && (a.is_flat() || squared_distance(A_.nodes[0], x) > near * near)) return;
    if (pair_.hollow || may_oppose(a, b, pair_.B_to_A.R)) stack_[open_++] = {slot_a, slot_b};
  }

  void seek(const Facet& facet, std::int32_t from) const noexcept {
    for (int i = 0; i < 3; ++i)
      if (facet.owns & (pair_.hollow ? its_edge : ridge) << i) RidgeSeeker(pair_, facet.edge[i]).find(from);
  }

  const MeshPair& pair_;
  const Surface &A_, &B_;
  int open_ = 0;
  Open stack_[3 * (2 * deepest_quad + 2) + 16];
};

}  // namespace

void add_crossings(const MeshPair& pair) noexcept { Crossings(pair).find(); }

}  // namespace contactlib

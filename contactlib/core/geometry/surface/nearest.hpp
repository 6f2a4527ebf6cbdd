// Proximity queries on a surface: the nearest point, inside or outside, and all facets that are near.
#pragma once

#include <cmath>
#include <limits>

#include "surface.hpp"

namespace contactlib::geometry {

enum class Part : std::int32_t { face, edge, vertex };

// The nearest point of a surface to a point x.
struct Place {
  double phi;         // m, signed distance: negative behind the surface, but not at the border of an open one
  Vec3 S;             // the place
  Vec3 g;             // unit outward, grad phi
  Part part;  // S lies in a face, inside an edge, or is a vertex
  std::int32_t index;
  std::int32_t face;  // and a face that has it
  bool behind;  // whether x is behind the faces around S: the sign of phi except at a border
};

// The point S on an edge or a vertex, for an x whose nearest point it is.
Place place_on_edge(const Surface& surface, const Vec3& x, const Vec3& S, std::int32_t edge) noexcept;
Place place_at_vertex(const Surface& surface, const Vec3& x, std::int32_t vertex, std::int32_t face) noexcept;

// Returns false if nothing is nearer than `within`. Surfaces without an inside (a triangle) have phi >= 0.
bool nearest_place(const Surface& surface, const Vec3& x, double within, Place& out) noexcept;

// phi(x) < 0; outside its box, no point is inside an open surface.
bool is_inside(const Surface& surface, const Vec3& x) noexcept;

// Whether the point lies on this face, one of its edges or its corners.
bool lies_on(const Surface& surface, const Place& place, std::int32_t face) noexcept;

// Squared distance to a node's box.
inline double squared_distance(const BoxNode& node, const Vec3& x) noexcept {
  double squared = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double below = node.low[i] - x[i], above = x[i] - node.high[i];
    const double out = below > above ? below : above;
    squared += out > 0.0 ? out * out : 0.0;
  }
  return squared;
}

// Visits every facet in a leaf all of whose boxes, from the root on, satisfy `meets`.
template <class Meets, class Visit>
void for_each_facet(const Surface& surface, const Meets& meets, Visit&& visit) noexcept {
  std::int32_t stack[deepest_node + 2];
  int open = 0;
  if (!surface.nodes.empty() && meets(surface.nodes[0])) stack[open++] = 0;
  while (open > 0) {
    const BoxNode& node = surface.nodes[stack[--open]];
    if (node.count == 0) {
      for (const std::int32_t child : {node.first + 1, node.first}) {
        stack[open] = child;
        open += meets(surface.nodes[child]);  // no branch: it is unpredictable
      }
      continue;
    }
    const std::int32_t end = surface.first_facet[node.first + node.count];
    for (std::int32_t i = surface.first_facet[node.first]; i < end; ++i) visit(surface.facets[i]);
  }
}

// The query point x for tests against Bvh4Nodes, in floats; `slop` bounds their rounding.
struct Seeker {
  float x, y, z, slop;

  Seeker(const Surface& surface, const Vec3& p) noexcept {
    const Vec3 D = p - surface.middle;
    x = static_cast<float>(D[0]);
    y = static_cast<float>(D[1]);
    z = static_cast<float>(D[2]);
    slop = static_cast<float>(1e-6 * (surface.size + D.cwiseAbs().sum()));
  }

  // Lower bounds of the distance of each group; infinite if no point of it can be nearest among its neighbours.
  void evaluate(const Bvh4Node& bvh4_node, float* bound) const noexcept;

  // The same without a root: 1 for each group that is nearer than `limit`, 0 for the others.
  void evaluate(const Bvh4Node& bvh4_node, float limit, std::int32_t* meets) const noexcept;

  // `distance` as a limit for the bounds of evaluate().
  float limit(double distance) const noexcept { return static_cast<float>(distance * (1.0 + 1e-6)) + slop; }

 private:
  struct Seen {
    float squared;     // m2, distance to the middle
    std::int32_t may;  // 1: has places that are the nearest among their neighbours, as far as the cone tells
  };
  Seen see(const Bvh4Node& bvh4_node, int k) const noexcept;
};

// Visits all facets with a point that is nearest to x among its neighbours and nearer than `radius`, and some others.
template <class Visit>
void for_each_near(const Surface& surface, const Vec3& x, double radius, Visit&& visit) noexcept {
  const Seeker seeker(surface, x);
  const float limit = seeker.limit(radius);
  std::int32_t stack[3 * deepest_bvh4_node + 2];
  std::int32_t meets[4];
  int open = 0;
  if (!surface.bvh4_nodes.empty()) stack[open++] = 0;
  while (open > 0) {
    const std::int32_t top = stack[--open];
    if (top < 0) {
      visit(surface.facets[~top]);
      continue;
    }
    const Bvh4Node& bvh4_node = surface.bvh4_nodes[top];
    seeker.evaluate(bvh4_node, limit, meets);
    for (int k = 3; k >= 0; --k) {
      stack[open] = bvh4_node.child[k];
      surface.fetch(bvh4_node.child[k]);
      open += meets[k];  // no branch: it is unpredictable
    }
  }
}

// A facet relative to x, with q_i = x - corner_i and the sides e_i = corner_{i+1} - corner_i.
struct View {
  Vec3 q[3], e[3];
  double h;                     // m, n.q: how high x is above it
  double in[3];                 // m2, n.(e x q): how far x is inside of the side, times its length
  double along[3], squared[3];  // m2, e.q and e.e: beside the side if 0 < along < squared

  View(const Facet& facet, const Vec3& x) noexcept {
    for (int i = 0; i < 3; ++i) q[i] = x - facet.corner[i];
    h = facet.n.dot(q[0]);
    for (int i = 0; i < 3; ++i) {
      e[i] = q[i] - q[i == 2 ? 0 : i + 1];
      in[i] = facet.n.dot(e[i].cross(q[i]));
      along[i] = e[i].dot(q[i]);
      squared[i] = e[i].squaredNorm();
    }
  }

  bool inside() const noexcept { return (in[0] >= 0.0) & (in[1] >= 0.0) & (in[2] >= 0.0); }
};

// The nearest point of a facet.
struct Foot {
  double squared;  // m2, distance
  int where;       // 0 inside it, 1 + i on its side i, 4 + i at its corner i
};

//   |x - S|^2 = h^2 inside,  h^2 + in^2 / e^2 at a side,  q^2 at a corner
inline Foot foot_of(const View& view) noexcept {
  const double height = view.h * view.h;
  if (view.inside()) return {height, 0};
  for (int i = 0; i < 3; ++i) {
    const bool beside = (view.in[i] < 0.0) & (view.along[i] > 0.0) & (view.along[i] < view.squared[i]);
    if (beside) return {height + view.in[i] * view.in[i] / view.squared[i], 1 + i};
  }
  Foot foot{std::numeric_limits<double>::infinity(), 4};
  for (int i = 0; i < 3; ++i) {
    const double squared = view.q[i].squaredNorm();
    if (squared < foot.squared) foot = {squared, 4 + i};
  }
  return foot;
}

// Returns false if the squared distance from x exceeds `limit`.
inline bool foot_on(const Facet& facet, const Vec3& x, double limit, Foot& out) noexcept {
  const double h = facet.n.dot(x - facet.corner[0]);
  if (!(h * h <= limit)) return false;
  out = foot_of(View(facet, x));
  return out.squared <= limit;
}

// Keeps the nearest of the facets it visits; of those at the same distance, the one that x is above.
class NearestFoot {
 public:
  NearestFoot(const Vec3& x, double limit) noexcept : x_(x), squared_(limit) {}

  double limit() const noexcept { return squared_; }
  bool found() const noexcept { return facet_ != nullptr; }

  void evaluate(const Facet& facet, const Foot& foot) noexcept {
    const bool tie = foot.squared == squared_;
    if (!(foot.squared <= squared_) || (tie && !(foot.where == 0 && facet.n.dot(x_ - facet.corner[0]) >= 0.0))) return;
    squared_ = foot.squared;
    where_ = foot.where;
    facet_ = &facet;
  }

  Place place(const Surface& surface) const noexcept;

 private:
  const Vec3& x_;
  double squared_;
  int where_ = 0;
  const Facet* facet_ = nullptr;
};

}  // namespace contactlib::geometry

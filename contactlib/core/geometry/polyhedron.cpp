// sphere and capsule against a convex polyhedron.
#include "polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nearest.hpp"

namespace contactlib {

namespace {

constexpr double same_plane = 1e-12;  // of the polyhedron's size: two faces in one plane

double above(const Face& face, const Vec3& p) noexcept { return face.n.dot(p) - face.d; }

// p is inside, and the nearest face has the height `least` or a lower one (they are all negative).
bool is_below(const Surface& surface, const Vec3& p, double least) noexcept {
  const double limit = std::min(least, 0.0) + same_plane * surface.size;
  for (const Face& face : surface.faces)
    if (!(above(face, p) <= limit)) return false;
  return true;
}

// of a point inside.
bool nearest_from_inside(const Surface& surface, const Vec3& p, Nearest& out) noexcept {
  out.phi = -std::numeric_limits<double>::infinity();
  out.on_face = true;
  for (const Face& face : surface.faces) {
    const double height = above(face, p);
    if (height > 0.0) return false;
    if (height > out.phi) out.phi = height, out.g_B = face.n;
  }
  return std::isfinite(out.phi);
}

// no edge or corner that sticks out of the faces around it.
bool is_flat(const Surface& surface, const Place& place) noexcept {
  if (place.part == Part::face) return true;
  return place.part == Part::edge ? surface.edges[place.index].bend <= sharp : !surface.convex_vertex[place.index];
}

void add_edge(Manifold& out, const Sweep& sweep, const Surface& surface, std::int32_t e) noexcept {
  const Edge& edge = surface.edges[e];
  const Vec3& E0 = surface.vertices[edge.v0];
  OverEdge over;
  if (!over_edge(sweep, E0, surface.vertices[edge.v1] - E0, over)) return;
  const Face &f0 = surface.faces[edge.f0], &f1 = surface.faces[edge.f1];
  const Vec3 outward = f0.n + f1.n, F = sweep.at(over.s);
  const bool outside = outward.dot(over.EF_B) > 0.0;
  if (!outside && !is_below(surface, F, std::max(above(f0, F), above(f1, F)))) return;
  const Vec3 g = outward.dot(over.n_B) < 0.0 ? Vec3(-over.n_B) : over.n_B;
  const double distance = std::abs(over.EF_B.dot(g));
  sweep.add(out, over.s, g, outside ? distance : -distance, hull_edge_feature + e);
}

void add_corner(Manifold& out, const Sweep& sweep, const Surface& surface, std::int32_t v) noexcept {
  Vec3 w;
  double s = 0;
  if (!over_corner(sweep, surface.vertices[v], s, w)) return;
  for (std::int32_t k = surface.first_spoke[v]; k < surface.first_spoke[v + 1]; ++k) {
    const Edge& edge = surface.edges[surface.spokes[k]];
    if (w.dot(edge.t) * (edge.v0 == v ? 1.0 : -1.0) > 0.0) return;
  }
  const double distance = w.norm();
  const Vec3 g = distance > 0.0 ? Vec3(w / distance) : across_axis(sweep, surface.vertex_normals[v]);
  sweep.add(out, s, g, distance, hull_corner_feature + v);
}

// the nodes whose boxes the ball meets on its way.
struct Meets {
  Vec3 low, high;

  explicit Meets(const Sweep& sweep, double r) noexcept
      : low(sweep.Q0_B.cwiseMin(sweep.Q1_B).array() - r), high(sweep.Q0_B.cwiseMax(sweep.Q1_B).array() + r) {}

  bool operator()(const BoxNode& node) const noexcept {
    bool meets = true;
    for (int i = 0; i < 3; ++i) meets &= (node.low[i] <= high[i]) & (node.high[i] >= low[i]);
    return meets;
  }
};

// the height above one face, along the axis: a + b s.
struct Line {
  double a, b;

  Line(const Sweep& sweep, const Face& face) noexcept : a(above(face, sweep.Q0_B)), b(face.n.dot(sweep.d_B)) {}
  double at(double s) const noexcept { return a + b * s; }
};

// the face that the axis' point at s is furthest above.
const Face& highest(const Sweep& sweep, const Surface& surface, double s) noexcept {
  const Face* best = &surface.faces[0];
  double most = -std::numeric_limits<double>::infinity();
  for (const Face& face : surface.faces) {
    const double height = Line(sweep, face).at(s);
    if (height > most) most = height, best = &face;
  }
  return *best;
}

// phi inside is the greatest of the heights above all faces. where a falling and a rising one cross it is least, or a
// third is higher there and takes the place of one of them.
void add_through(Manifold& out, const Sweep& sweep, const Surface& surface) noexcept {
  const Face *left = &highest(sweep, surface, 0.0), *right = &highest(sweep, surface, sweep.length);
  double s = 0.0;
  if (Line(sweep, *right).b <= 0.0) s = sweep.length;
  const bool between = Line(sweep, *left).b < 0.0 && Line(sweep, *right).b > 0.0;
  const Face* top = s == 0.0 ? left : right;
  for (int i = 0; between && i < 100; ++i) {
    const Line falling(sweep, *left), rising(sweep, *right);
    s = std::clamp((falling.a - rising.a) / (rising.b - falling.b), 0.0, sweep.length);
    top = &highest(sweep, surface, s);
    if (top == left || top == right) break;
    (Line(sweep, *top).b < 0.0 ? left : right) = top;
  }
  const double phi = Line(sweep, *top).at(s);
  if (phi < 0.0) sweep.add(out, s, top->n, phi, through_feature);
}

void add_capsule_end(Manifold& out, const Sweep& sweep, const Surface& surface, int i) noexcept {
  Nearest nearest;
  if (nearest_on_polyhedron(surface, i == 0 ? sweep.Q0_B : sweep.Q1_B, sweep.r, nearest)) add_end(out, sweep, i, nearest);
}

}  // namespace

bool nearest_on_polyhedron(const Surface& surface, const Vec3& p, double within, Nearest& out) noexcept {
  Place place;
  if (nearest_place(surface, p, within, place)) {
    out = {place.phi, place.g, place.phi < 0.0 || is_flat(surface, place)};
    return true;
  }
  return squared_distance(surface.nodes[0], p) == 0.0 && nearest_from_inside(surface, p, out);
}

void sphere_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  Nearest nearest;
  if (nearest_on_polyhedron(*B.surface, centre(X), A.size[0], nearest)) add_centre(out, A.size[0], X, nearest);
}

void capsule_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  const Surface& surface = *B.surface;
  const Meets meets(capsule, capsule.r);
  if (!meets(surface.nodes[0])) return;
  for (const int i : {0, 1}) add_capsule_end(out, capsule, surface, i);
  for_each_facet(surface, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      if (facet.owns & ridge << i) add_edge(out, capsule, surface, facet.edge[i]);
      if ((facet.owns & its_vertex << i) && surface.convex_vertex[facet.vertex[i]])
        add_corner(out, capsule, surface, facet.vertex[i]);
    }
  });
  if (out.needed == 0 && Meets(capsule, 0.0)(surface.nodes[0])) add_through(out, capsule, surface);
}

}  // namespace contactlib

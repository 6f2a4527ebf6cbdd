// Sphere and capsule against a convex polyhedron.
#include "polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "deferred_contacts.hpp"
#include "geometry/surface/nearest.hpp"
#include "through.hpp"

namespace contactlib::geometry {

namespace {

constexpr double same_plane = 1e-12;  // of the polyhedron's size: two faces in one plane
constexpr std::size_t many = 64;  // faces: from this number on the trees are faster than testing all faces

double above(const Face& face, const Vec3& p) noexcept { return face.n.dot(p) - face.d; }

// The face above which a point is highest or, inside, the nearest face.
struct Top {
  const Face* face;
  double height;

  Top(const Surface& surface, const Vec3& p) noexcept : face(surface.faces.data()), height(above(*face, p)) {}
  void evaluate(const Face& other, double other_height) noexcept {
    if (other_height > height) height = other_height, face = &other;
  }
};

Top top_of(const Surface& surface, const Vec3& p) noexcept {
  Top top(surface, p);
  for (const Face& face : surface.faces) top.evaluate(face, above(face, p));
  return top;
}

// Whether p is inside and no face is nearer than the given height.
bool is_below(const Surface& surface, const Vec3& p, double height) noexcept {
  if (height > 0.0) return false;
  for (const Face& face : surface.faces)
    if (!(above(face, p) <= height + same_plane * surface.size)) return false;
  return true;
}

// Whether the foot of p lies in the face or on its border.
bool has_foot(const Surface& surface, const Face& face, const Vec3& p) noexcept {
  for (std::int32_t i = 0; i < face.count; ++i) {
    const Vec3& corner = surface.corner(face, i);
    const Vec3 side = surface.corner(face, i + 1 == face.count ? 0 : i + 1) - corner;
    if (side.cross(p - corner).dot(face.n) < 0.0) return false;
  }
  return true;
}

// Whether no edge or corner sticks out of the faces around the point.
bool is_flat(const Surface& surface, const Place& place) noexcept {
  if (place.part == Part::face) return true;
  return place.part == Part::edge ? surface.edges[place.index].bend <= sharp : !surface.convex_vertex[place.index];
}

// The nearest point on the top face's plane, if nothing is nearer. Returns false if p is `within` away or further.
bool nearest_below(const Surface& surface, const Top& top, const Vec3& p, double within, Nearest& out,
                   bool& on_edge) noexcept {
  on_edge = false;
  if (!(top.height < within)) return false;
  if (top.height <= 0.0 || has_foot(surface, *top.face, p)) {
    out = {top.height, top.face->n, true};
    return true;
  }
  Place place;
  if (!nearest_place(surface, p, within, place)) return false;
  out = {place.phi, place.g, is_flat(surface, place)};
  on_edge = place.part == Part::edge;
  return true;
}

// The same with the trees.
bool nearest_among_many(const Surface& surface, const Vec3& p, double within, Nearest& out, bool& on_edge) noexcept {
  const bool in_box = squared_distance(surface.nodes[0], p) == 0.0;  // perhaps inside, and far from the surface
  Place place;
  const double limit = in_box ? std::numeric_limits<double>::infinity() : within;
  if (!nearest_place(surface, p, limit, place) || !(place.phi < within)) return false;
  out = {place.phi, place.g, place.phi <= 0.0 || is_flat(surface, place)};
  on_edge = place.part == Part::edge;
  return true;
}

// The contacts found so far, and the deferred ones.
struct Finds {
  Manifold& out;
  DeferredContacts deferred;

  void add(const Sweep& sweep, bool at_once, double s, const Vec3& g, double phi, int feature) noexcept {
    if (at_once)
      sweep.add(out, s, g, phi, feature);
    else
      deferred.add(s, g, phi, feature);
  }
};

// Accepted at once where w = F - E lies between the normals of the two faces, above neither face in its plane:
//   w.(n0 x t) <= 0,  w.(t x n1) <= 0
void add_edge(Finds& finds, const Sweep& sweep, const Surface& surface, std::int32_t e) noexcept {
  const Edge& edge = surface.edges[e];
  OverEdge over;
  if (!over_edge(sweep, surface.vertices[edge.v0], edge.t, edge.length, over)) return;
  const Face &f0 = surface.faces[edge.f0], &f1 = surface.faces[edge.f1];
  const Vec3 outward = f0.n + f1.n, &w = over.EF_B;
  const bool outside = outward.dot(w) > 0.0;
  const Vec3 F = sweep.at(over.s);
  if (!outside && !is_below(surface, F, std::max(above(f0, F), above(f1, F)))) return;
  const Vec3 g = outward.dot(over.n_B) < 0.0 ? Vec3(-over.n_B) : over.n_B;
  const double distance = std::abs(w.dot(g)), most = parallel * distance;
  const bool between = outside && f0.n.cross(edge.t).dot(w) <= most && edge.t.cross(f1.n).dot(w) <= most;
  finds.add(sweep, between, over.s, g, outside ? distance : -distance, hull_edge_feature + e);
}

// Deferred where the axis comes nearer along one of its edges.
void add_corner(Finds& finds, const Sweep& sweep, const Surface& surface, std::int32_t v) noexcept {
  Vec3 w;
  double s = 0;
  if (!over_corner(sweep, surface.vertices[v], s, w)) return;
  const double distance = w.norm();
  int along = 0;
  for (std::int32_t k = surface.first_incident_edge[v]; k < surface.first_incident_edge[v + 1] && along < 2; ++k)
    along += w.dot(surface.incident_edges[k].t) > parallel * distance;
  if (along == 2) return;
  const Vec3 g = distance > 0.0 ? Vec3(w / distance) : across_axis(sweep, surface.vertex_normals[v]);
  finds.add(sweep, along == 0, s, g, distance, hull_corner_feature + v);
}

// The boxes that the swept ball meets: no separating axis along a side of the box, or across it and the axis.
struct Meets {
  Vec3 middle, d, reach;
  double r;

  explicit Meets(const Sweep& sweep) noexcept
      : middle(sweep.at(0.5 * sweep.length)), d(sweep.d_B), reach(0.5 * sweep.length * d.cwiseAbs()), r(sweep.r) {}

  bool operator()(const BoxNode& node) const noexcept {
    const Vec3 low(node.low), high(node.high);
    const Vec3 half = 0.5 * (high - low), w = 0.5 * (high + low) - middle;
    const Vec3 across = w.cross(d).cwiseAbs(), side = d.cwiseAbs();
    bool meets = true;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      meets &= std::abs(w[i]) <= half[i] + reach[i] + r;
      meets &= across[i] <= half[j] * side[k] + half[k] * side[j] + r;
    }
    return meets;
  }
};

// Returns false if the swept ball meets no facet, and is near none.
bool add_edges(Finds& finds, const Sweep& sweep, const Surface& surface) noexcept {
  bool any = false;
  for_each_facet(surface, Meets(sweep), [&](const Facet& facet) noexcept {
    any = true;
    for (int i = 0; i < 3; ++i) {
      if (facet.owns & ridge << i) add_edge(finds, sweep, surface, facet.edge[i]);
      if ((facet.owns & its_vertex << i) && surface.convex_vertex[facet.vertex[i]])
        add_corner(finds, sweep, surface, facet.vertex[i]);
    }
  });
  return any;
}

// The heights of both ends of the axis over all faces.
struct Heights {
  Top top0, top1;
  bool apart = false;       // r above the same face, and nothing else is known
  bool axis_meets = true;   // they are above no face both

  Heights(const Surface& surface, const Sweep& sweep) noexcept : top0(surface, sweep.Q0_B), top1(surface, sweep.Q1_B) {
    for (const Face& face : surface.faces) {
      const double height0 = above(face, sweep.Q0_B), height1 = above(face, sweep.Q1_B);
      apart = height0 >= sweep.r && height1 >= sweep.r;
      if (apart) return;
      axis_meets &= (height0 < 0.0) | (height1 < 0.0);
      top0.evaluate(face, height0);
      top1.evaluate(face, height1);
    }
  }
};

// Inside, phi is the maximum of the heights over all faces, which are linear along the axis: it is least where a
// falling and a rising one cross, unless a third is higher there and replaces one of them. There both faces are equally
// near: the axis leaves through the one with the shorter way out.
void add_axis(Manifold& out, const Sweep& sweep, const Surface& surface, const Top& at0, const Top& at1) noexcept {
  const auto slope = [&](const Face* face) noexcept { return face->n.dot(sweep.d_B); };
  const Face *falling = at0.face, *rising = at1.face;
  double s = slope(falling) < 0.0 ? sweep.length : 0.0;
  Top top = s == 0.0 ? at0 : at1;
  if (slope(falling) < 0.0 && slope(rising) > 0.0) {
    for (int i = 0; i < 100; ++i) {
      const double cross =
          (above(*falling, sweep.Q0_B) - above(*rising, sweep.Q0_B)) / (slope(rising) - slope(falling));
      s = std::clamp(cross, 0.0, sweep.length);
      top = top_of(surface, sweep.at(s));
      if (top.face == falling || top.face == rising) break;
      (slope(top.face) < 0.0 ? falling : rising) = top.face;
    }
    if (s > 0.0 && s < sweep.length)
      top.face = above(*falling, sweep.Q1_B) > above(*rising, sweep.Q0_B) ? falling : rising;
  }
  geometry::add_through(out, sweep, s, {top.height, top.face->n, true});
}

void add_hull_end(Finds& finds, const Sweep& sweep, int i, const Nearest& nearest, bool on_edge) noexcept {
  if (!add_end(finds.out, sweep, i, nearest) && on_edge) finds.deferred.add_end(sweep, i, nearest, end_feature + i);
}

void few_faces(Finds& finds, const Sweep& sweep, const Surface& surface) noexcept {
  const Heights heights(surface, sweep);
  if (heights.apart) return;
  Nearest nearest;
  bool on_edge = false;
  if (nearest_below(surface, heights.top0, sweep.Q0_B, sweep.r, nearest, on_edge))
    add_hull_end(finds, sweep, 0, nearest, on_edge);
  if (nearest_below(surface, heights.top1, sweep.Q1_B, sweep.r, nearest, on_edge))
    add_hull_end(finds, sweep, 1, nearest, on_edge);
  add_edges(finds, sweep, surface);
  finds.deferred.accept(finds.out, sweep);
  if (heights.axis_meets) add_axis(finds.out, sweep, surface, heights.top0, heights.top1);
}

void many_faces(Finds& finds, const Sweep& sweep, const Surface& surface) noexcept {
  Nearest nearest;
  bool on_edge = false;
  for (const int i : {0, 1})
    if (nearest_among_many(surface, i == 0 ? sweep.Q0_B : sweep.Q1_B, sweep.r, nearest, on_edge))
      add_hull_end(finds, sweep, i, nearest, on_edge);
  const bool near = add_edges(finds, sweep, surface);
  const bool may_pierce = (near || finds.out.needed > 0) && !is_clear(finds.out, sweep);
  finds.deferred.accept(finds.out, sweep);
  if (!may_pierce) return;
  const Heights heights(surface, sweep);
  if (!heights.apart && heights.axis_meets) add_axis(finds.out, sweep, surface, heights.top0, heights.top1);
}

}  // namespace

bool nearest_on_polyhedron(const Surface& surface, const Vec3& p, double within, Nearest& out) noexcept {
  bool on_edge = false;
  if (surface.faces.size() > many) return nearest_among_many(surface, p, within, out, on_edge);
  return nearest_below(surface, top_of(surface, p), p, within, out, on_edge);
}

void sphere_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  Nearest nearest;
  if (nearest_on_polyhedron(*B.surface, centre(X), A.size[0], nearest)) add_centre(out, A.size[0], X, nearest);
}

void capsule_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  Finds finds{out, {}};
  (B.surface->faces.size() > many ? many_faces : few_faces)(finds, sweep(A, X), *B.surface);
}

}  // namespace contactlib::geometry

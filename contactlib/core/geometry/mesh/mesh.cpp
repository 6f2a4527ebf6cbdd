// Sphere and capsule against a mesh: a contact at every local minimum of the distance from the ball's centre, or from
// the capsule's axis, to the surface.
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/sweep/deferred_contacts.hpp"
#include "through.hpp"

namespace contactlib::geometry {

namespace {

constexpr double same_place = 1e-9;  // of the mesh's size
constexpr double slack = 1e-14;  // relative to lengths: a point between two features is searched on both

// The feature of A in contact; together with the feature of B it numbers the contact.
enum class Toucher { end0, end1, body };

int feature_of(Toucher who, Part part, std::int32_t index) noexcept {
  return roaming + 9 * index + 3 * static_cast<int>(who) + static_cast<int>(part);
}

int end_of(int feature) noexcept {
  const int who = (feature - roaming) / 3 % 3;
  return who < static_cast<int>(Toucher::body) ? who : -1;
}

// The number of edges from v whose other end lies on w's side, counted up to two.
int edges_towards(const Surface& mesh, std::int32_t v, const Vec3& w, double tolerance) noexcept {
  int count = 0;
  for (std::int32_t k = mesh.first_incident_edge[v]; k < mesh.first_incident_edge[v + 1] && count < 2; ++k)
    count += w.dot(mesh.incident_edges[k].t) > tolerance;
  return count;
}

// Whether w leads out of both faces: t x n points out of f0, n x t out of f1.
bool edge_faces(const Surface& mesh, const Edge& edge, const Vec3& w, double tolerance) noexcept {
  const Vec3& n0 = mesh.faces[edge.f0].n;
  if (edge.t.cross(n0).dot(w) < -tolerance) return false;
  return edge.f1 < 0 || mesh.faces[edge.f1].n.cross(edge.t).dot(w) >= -tolerance;
}

// An end of the sweep, the ball of radius r about x, against the mesh.
class Ball {
 public:
  Ball(const Surface& mesh, const Sweep& sweep, Toucher end, DeferredContacts& deferred) noexcept
      : mesh_(mesh),
        sweep_(sweep),
        end_(end),
        late_(deferred),
        x_(end == Toucher::end0 ? sweep.Q0_B : sweep.Q1_B),
        into_(end == Toucher::end0 ? sweep.d_B : Vec3(-sweep.d_B)),
        tolerance_(slack * (mesh.size + sweep.r)),
        contacts_(same_place * mesh.size) {
    nearest_.phi = std::numeric_limits<double>::infinity();
  }

  void build_contacts(Manifold& out) noexcept {
    if (mesh_.nodes.empty()) return;
    for_each_near(mesh_, x_, sweep_.r, [this](const Facet& facet) noexcept { evaluate(facet); });
    // out of range, or lost to rounding
    if (std::isinf(nearest_.phi)) {
      const bool within = squared_distance(mesh_.nodes[0], x_) == 0.0;
      if (!nearest_place(mesh_, x_, within ? nearest_.phi : sweep_.r, nearest_)) return;
      if (nearest_.phi >= 0.0) found(nearest_);
    }
    if (nearest_.phi < 0.0) add(nearest_);
    contacts_.finish(out);
  }

  bool is_inside() const noexcept { return nearest_.phi < 0.0; }
  const Place& nearest() const noexcept { return nearest_; }

 private:
  // The first tests need neither division nor other facets, and run for all sides at once: they exclude most facets.
  // Beyond side i, with the angle b between the facet and its neighbour, x is also beyond that side of the neighbour if
  //   h sin b >= -in/length cos b
  void evaluate(const Facet& facet) noexcept {
    if (!(std::abs(facet.n.dot(x_ - facet.corner[0])) < sweep_.r)) return;
    const View view(facet, x_);
    const double little = tolerance_ * mesh_.size;
    int places = 0;
    for (int i = 0; i < 3; ++i) {
      const int k = i == 0 ? 2 : i - 1;
      const double rise = view.h * facet.bend[i], run = view.in[i] * facet.level[i];
      const bool beyond = (view.in[i] <= little) & (rise + run >= -1e-6 * (std::abs(rise) + std::abs(run)) - little);
      const bool along = (view.along[i] >= -little) & (view.along[i] <= view.squared[i] + little);
      const bool behind = (view.along[i] <= little) & (view.along[k] >= view.squared[k] - little);
      places |= (beyond & along) * (its_edge << i) | behind * (near_vertex << i);
    }
    places &= facet.owns;
    const bool over = view.inside();
    if (places == 0 && !over) return;
    if (over) evaluate_face(facet, view.h);
    for (int i = 0; i < 3; ++i) {
      if (places & its_edge << i) evaluate_edge(facet, view, i);
      if (places & near_vertex << i) evaluate_vertex(facet, view, i);
    }
  }

  void evaluate_face(const Facet& facet, double h) noexcept {
    found({h, x_ - h * facet.n, facet.n, Part::face, facet.face, facet.face, h < 0.0});
  }

  void evaluate_edge(const Facet& facet, const View& view, int i) noexcept {
    const double s = std::clamp(view.along[i] / view.squared[i], 0.0, 1.0);
    const Vec3 w = view.q[i] - s * view.e[i];
    const Edge& edge = mesh_.edges[facet.edge[i]];
    if (!edge_faces(mesh_, edge, w, tolerance_)) return;
    found(place_on_edge(mesh_, x_, facet.corner[i] + s * view.e[i], facet.edge[i]));
  }

  void evaluate_vertex(const Facet& facet, const View& view, int i) noexcept {
    if (edges_towards(mesh_, facet.vertex[i], view.q[i], tolerance_) > 0) return;
    found(place_at_vertex(mesh_, x_, facet.vertex[i], facet.face));
  }

  void found(const Place& place) noexcept {
    const double distance = std::abs(place.phi), least = std::abs(nearest_.phi);
    if (!(distance < sweep_.r)) return;
    if (distance < least || (distance == least && place.phi >= 0.0)) nearest_ = place;
    if (place.behind) return;
    const bool counts = place.part == Part::face || sweep_.length == 0.0 || recedes(x_ - place.S, into_);
    if (counts)
      add(place);
    else if (place.part == Part::edge)
      late_.add(s(), place.g, place.phi, feature_of(end_, place.part, place.index));
  }

  void add(const Place& place) noexcept {
    const double depth = sweep_.r - place.phi;
    if (!(depth > 0.0)) return;
    const Vec3 g_W = sweep_.R_WB * place.g;
    const Vec3 p_AP_W = sweep_.p_AP_W(s());
    contacts_.add({p_AP_W - g_W * (sweep_.r - 0.5 * depth), -g_W, depth, feature_of(end_, place.part, place.index)});
  }

  double s() const noexcept { return end_ == Toucher::end0 ? 0.0 : sweep_.length; }

  const Surface& mesh_;
  const Sweep& sweep_;
  Toucher end_;
  DeferredContacts& late_;
  Vec3 x_, into_;  // its centre; from there into the axis
  double tolerance_;
  Place nearest_;
  Sharing contacts_;
};

// The body of the sweep, between its ends, against the mesh's convex edges, border edges and tips.
class Body {
 public:
  Body(const Surface& mesh, const Sweep& sweep, Manifold& out, DeferredContacts& deferred) noexcept
      : mesh_(mesh),
        sweep_(sweep),
        tolerance_(1e-3 * same_place * mesh.size),
        apart_(same_place * mesh.size),
        out_(out),
        late_(deferred) {}

  void build_contacts() noexcept {
    visit(sweep_.r, [this](const Facet& facet) noexcept { evaluate(facet); });
  }

  // The axis runs through the mesh if an end is inside or if it crosses faces. An open mesh has no inside: one end is
  // moved back out of the face.
  void touch_through(bool end_inside) noexcept {
    Way way{std::numeric_limits<double>::infinity(), nullptr, Toucher::end0};
    if (!(mesh_.closed && end_inside)) visit(0.0, [&](const Facet& facet) noexcept { evaluate_through(facet, way); });
    if (mesh_.closed && (end_inside || way.facet)) return add_deepest();
    if (!way.facet) return;
    add_through(out_, sweep_, way.end == Toucher::end0 ? 0.0 : sweep_.length, {-way.height, way.facet->n, true},
                feature_of(way.end, Part::face, way.facet->face));
  }

 private:
  void add_deepest() noexcept {
    DeepestInMesh deepest(mesh_, sweep_);
    const double s = deepest.find(deepest_of(out_));
    const Nearest exit = nearest_exit(sweep_, [&](const Vec3& x) noexcept { return deepest.nearest(x); }, s);
    add_through(out_, sweep_, s, exit, feature_of(Toucher::body, Part::face, deepest.face()));
  }

  template <class Reading>
  void visit(double r, Reading&& evaluate) const noexcept {
    const Vec3 half = 0.5 * sweep_.length * sweep_.d_B, middle = sweep_.at(0.5 * sweep_.length);
    const auto meets = [&](const BoxNode& node) noexcept { return passes(node, middle, half, r); };
    for_each_facet(mesh_, meets, evaluate);
  }

  // The way out of a face that the axis crosses: which end is below the face, and how deep.
  struct Way {
    double height;
    const Facet* facet;
    Toucher end;
  };

  void evaluate_through(const Facet& facet, Way& best) const noexcept {
    const double h0 = facet.n.dot(sweep_.Q0_B - facet.corner[0]), h1 = facet.n.dot(sweep_.Q1_B - facet.corner[0]);
    if (!(h0 * h1 < 0.0) || !(std::abs(std::min(h0, h1)) < best.height)) return;
    const View view(facet, sweep_.at(sweep_.length * (h0 / (h0 - h1))));
    const double little = -tolerance_ * mesh_.size;
    if (!(view.in[0] >= little && view.in[1] >= little && view.in[2] >= little)) return;
    best = {-std::min(h0, h1), &facet, h0 < h1 ? Toucher::end0 : Toucher::end1};
  }

  // The segment middle +- half against the box grown by r: separating axes are those of the box and those across the
  // segment and an axis of the box.
  static bool passes(const BoxNode& node, const Vec3& middle, const Vec3& half, double r) noexcept {
    const Vec3 low(node.low), high(node.high), m = middle - 0.5 * (low + high), across = m.cross(half).cwiseAbs();
    const Vec3 h = 0.5 * (high - low) + Vec3::Constant(r), v = half.cwiseAbs();
    const Vec3 reach = h + v,
               reach_across(h[1] * v[2] + h[2] * v[1], h[2] * v[0] + h[0] * v[2], h[0] * v[1] + h[1] * v[0]);
    return (m.cwiseAbs().array() <= reach.array()).all() && (across.array() <= reach_across.array()).all();
  }

  void evaluate(const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      if (facet.owns & ridge << i && passes_side(facet, i)) evaluate_edge(facet.edge[i]);
      if (facet.owns & tip << i) evaluate_tip(facet.corner[i], facet.vertex[i]);
    }
  }

  // Bounds of s and a of evaluate_edge(), without a division: for a side e
  //   c^2 = e^2 - (d.e)^2,  s c^2 = (q.e)(d.e) - (q.d) e^2,  a c^2 = q.e - (q.d)(d.e)
  bool passes_side(const Facet& facet, int i) const noexcept {
    const Vec3 q = sweep_.Q0_B - facet.corner[i], e = facet.corner[i == 2 ? 0 : i + 1] - facet.corner[i];
    const double qd = q.dot(sweep_.d_B), qe = q.dot(e), de = sweep_.d_B.dot(e), ee = e.dot(e);
    const double squared = ee - de * de, s = qe * de - qd * ee, a = qe - qd * de, little = 1e-6 * squared + 1e-12 * ee;
    return (s >= -little * sweep_.length) & (s <= (squared + little) * sweep_.length) & (a >= -little) &
           (a <= squared + little);
  }

  // The common perpendicular of the axis Q0 + s d and the edge v0 + a t, with c = d x t, q = Q0 - v0:
  //   s = -(q x t).c / c^2,  a = -(q x d).c / c^2,  phi = q.g  along g = +-c / |c|
  void evaluate_edge(std::int32_t e) noexcept {
    const Edge& edge = mesh_.edges[e];
    const Vec3 &d = sweep_.d_B, &t = edge.t, &n0 = mesh_.faces[edge.f0].n;
    const Vec3 c = d.cross(t), q = sweep_.Q0_B - mesh_.vertices[edge.v0];
    const double squared = c.squaredNorm();
    if (squared < 1e-24) return;  // along the edge: the ends carry the contact
    const double s = -q.cross(t).dot(c) / squared, a = -q.cross(d).dot(c) / squared;
    if (!(s > 0.0 && s < sweep_.length && a >= -tolerance_ && a <= edge.length + tolerance_)) return;
    // The border of an open mesh continues straight down (skirt).
    const Vec3 out = n0 + (edge.f1 < 0 ? Vec3(t.cross(n0)) : mesh_.faces[edge.f1].n);
    const Vec3 g = c / std::copysign(std::sqrt(squared), c.dot(out));
    const double phi = q.dot(g);
    if (!(std::abs(phi) < sweep_.r) || (phi <= 0.0 && !under(edge, sweep_.at(s), -phi))) return;
    if (phi > 0.0 && edge_faces(mesh_, edge, phi * g, std::max(tolerance_, parallel * phi)))
      add_once(s, g, phi, Part::edge, e);
    else
      late_.add(s, g, phi, feature_of(Toucher::body, Part::edge, e));
  }

  // Whether F is inside and its nearest point lies in the plane of one of the edge's faces.
  bool under(const Edge& edge, const Vec3& F, double distance) const noexcept {
    if (distance <= tolerance_) return true;
    Place place;
    if (!nearest_place(mesh_, F, distance + tolerance_, place) || !(place.phi < 0.0)) return false;
    return in_plane(place, edge.f0) || (edge.f1 >= 0 && in_plane(place, edge.f1));
  }

  bool in_plane(const Place& place, std::int32_t f) const noexcept {
    if (lies_on(mesh_, place, f)) return true;
    const Face& face = mesh_.faces[f];
    return mesh_.faces[place.face].n.dot(face.n) > 1.0 - sharp * sharp &&
           std::abs(face.n.dot(place.S - mesh_.vertices[mesh_.loops[face.first]])) <= apart_;
  }

  void evaluate_tip(const Vec3& E, std::int32_t v) noexcept {
    const double s = (E - sweep_.Q0_B).dot(sweep_.d_B);
    if (!(s > 0.0 && s < sweep_.length)) return;
    const Vec3 w = sweep_.at(s) - E;
    const double squared = w.squaredNorm();
    if (!(squared > 0.0 && squared < sweep_.r * sweep_.r) || !(w.dot(mesh_.vertex_normals[v]) >= 0.0)) return;
    const double distance = std::sqrt(squared);
    const int rising = edges_towards(mesh_, v, w, std::max(tolerance_, parallel * distance));
    if (rising == 0) add_once(s, w / distance, distance, Part::vertex, v);
    if (rising == 1) late_.add(s, w / distance, distance, feature_of(Toucher::body, Part::vertex, v));
  }

  void add_once(double s, const Vec3& g, double phi, Part part, std::int32_t index) noexcept {
    const Vec3 place = sweep_.p_AP_W(s) - sweep_.R_WB * g * phi;
    for (int i = 0; i < out_.count; ++i)
      if ((place_on_b(out_.points[i]) - place).squaredNorm() <= apart_ * apart_) return;
    add_ball(out_, sweep_.p_AP_W(s), sweep_.R_WB * g, sweep_.r, phi, feature_of(Toucher::body, part, index));
  }

  const Surface& mesh_;
  const Sweep& sweep_;
  double tolerance_, apart_;
  Manifold& out_;
  DeferredContacts& late_;
};

}  // namespace

Place nearest_sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep sphere = sweep(A, X);
  DeferredContacts deferred;
  Ball ball(*B.surface, sphere, Toucher::end0, deferred);
  ball.build_contacts(out);
  return ball.nearest();
}

void nearest_ball_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  nearest_sphere_mesh(A, B, X, out);
}

void sweep_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  DeferredContacts deferred;
  Ball first(*B.surface, capsule, Toucher::end0, deferred), second(*B.surface, capsule, Toucher::end1, deferred);
  first.build_contacts(out);
  second.build_contacts(out);
  if (capsule.length == 0.0) return;
  Body body(*B.surface, capsule, out, deferred);
  body.build_contacts();
  deferred.accept(out, capsule, end_of);
  body.touch_through(first.is_inside() || second.is_inside());
}

}  // namespace contactlib::geometry

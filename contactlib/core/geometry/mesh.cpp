// sphere and segment against a mesh: every place where the distance from the ball's centre to the surface is least
// among its neighbours; of a segment where its ends or its axis are inside; of a capsule too, beside patches of
// overlap.
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh_solid.hpp"
#include "mesh_through.hpp"

namespace contactlib {

namespace {

constexpr double same_place = 1e-9;  // of the mesh's size
constexpr double slack = 1e-14;  // of the lengths: a place between two features is looked for on both

// which part of A touches which part of B, in one number.
enum class Toucher { end0, end1, body };

int feature_of(Toucher who, Part part, std::int32_t index) noexcept {
  return roaming + 9 * index + 3 * static_cast<int>(who) + static_cast<int>(part);
}

// how many vertices at the other end of an edge from v are on w's side; of more than one, two.
int edges_towards(const Surface& mesh, std::int32_t v, const Vec3& w, double tolerance) noexcept {
  int count = 0;
  for (std::int32_t k = mesh.first_spoke[v]; k < mesh.first_spoke[v + 1] && count < 2; ++k)
    count += w.dot(mesh.spokes[k].t) > tolerance;
  return count;
}

// w leads out of both faces: t x n out of f0, n x t out of f1.
bool edge_faces(const Surface& mesh, const Edge& edge, const Vec3& w, double tolerance) noexcept {
  const Vec3& n0 = mesh.faces[edge.f0].n;
  if (edge.t.cross(n0).dot(w) < -tolerance) return false;
  return edge.f1 < 0 || mesh.faces[edge.f1].n.cross(edge.t).dot(w) >= -tolerance;
}

// an end of the sweep, the ball of radius r about x, against the mesh.
class Ball {
 public:
  Ball(const Surface& mesh, const Sweep& sweep, Toucher end) noexcept
      : mesh_(mesh),
        sweep_(sweep),
        end_(end),
        x_(end == Toucher::end0 ? sweep.Q0_B : sweep.Q1_B),
        tolerance_(slack * (mesh.size + sweep.r)),
        contacts_(same_place * mesh.size) {
    nearest_.phi = std::numeric_limits<double>::infinity();
  }

  void touch(Manifold& out) noexcept {
    if (mesh_.nodes.empty()) return;
    for_each_near(mesh_, x_, sweep_.r, [this](const Facet& facet) noexcept { look(facet); });
    // out of reach, or lost to rounding
    if (std::isinf(nearest_.phi)) {
      const bool within = squared_distance(mesh_.nodes[0], x_) == 0.0;
      if (!nearest_place(mesh_, x_, within ? nearest_.phi : sweep_.r, nearest_)) return;
      if (nearest_.phi >= 0.0) found(nearest_);
    }
    if (nearest_.phi < 0.0) add(nearest_);
    contacts_.finish(out);
  }

  bool is_inside() const noexcept { return nearest_.phi < 0.0; }

 private:
  // first what needs neither division nor other facets, for all sides at once: of most facets it leaves nothing. beyond
  // side i, with the angle b between the facet and the next one, x is beyond that one's side too if
  //   h sin b >= -in/length cos b
  void look(const Facet& facet) noexcept {
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
    if (over) look_at_face(facet, view.h);
    for (int i = 0; i < 3; ++i) {
      if (places & its_edge << i) look_at_edge(facet, view, i);
      if (places & near_vertex << i) look_at_vertex(facet, view, i);
    }
  }

  void look_at_face(const Facet& facet, double h) noexcept {
    found({h, x_ - h * facet.n, facet.n, Part::face, facet.face, facet.face, h < 0.0});
  }

  void look_at_edge(const Facet& facet, const View& view, int i) noexcept {
    const double s = std::clamp(view.along[i] / view.squared[i], 0.0, 1.0);
    const Vec3 w = view.q[i] - s * view.e[i];
    const Edge& edge = mesh_.edges[facet.edge[i]];
    if (!edge_faces(mesh_, edge, w, tolerance_)) return;
    found(place_on_edge(mesh_, x_, facet.corner[i] + s * view.e[i], facet.edge[i]));
  }

  void look_at_vertex(const Facet& facet, const View& view, int i) noexcept {
    if (edges_towards(mesh_, facet.vertex[i], view.q[i], tolerance_) > 0) return;
    found(place_at_vertex(mesh_, x_, facet.vertex[i], facet.face));
  }

  void found(const Place& place) noexcept {
    const double distance = std::abs(place.phi), least = std::abs(nearest_.phi);
    if (!(distance < sweep_.r)) return;
    if (distance < least || (distance == least && place.phi >= 0.0)) nearest_ = place;
    if (!place.behind) add(place);
  }

  void add(const Place& place) noexcept {
    const double depth = sweep_.r - place.phi;
    if (!(depth > 0.0)) return;
    const Vec3 g_W = sweep_.R_WB * place.g;
    const Vec3 p_AP_W = sweep_.p_AP_W(end_ == Toucher::end0 ? 0.0 : sweep_.length);
    contacts_.add({p_AP_W - g_W * (sweep_.r - 0.5 * depth), -g_W, depth, feature_of(end_, place.part, place.index)});
  }

  const Surface& mesh_;
  const Sweep& sweep_;
  Toucher end_;
  Vec3 x_;  // its centre
  double tolerance_;
  Place nearest_;
  Sharing contacts_;
};

// the axis of a segment or capsule where it runs through the mesh.
class Axis {
 public:
  Axis(const Surface& mesh, const Sweep& sweep, Manifold& out) noexcept
      : mesh_(mesh), sweep_(sweep), tolerance_(1e-3 * same_place * mesh.size), out_(out) {}

  // the axis runs through the mesh if an end is inside or if it crosses faces. an open mesh has no inside: one end is
  // pushed back out of a face.
  void touch(bool end_inside) noexcept {
    Way way{std::numeric_limits<double>::infinity(), nullptr, Toucher::end0};
    if (!(mesh_.closed && end_inside)) visit([&](const Facet& facet) noexcept { look_through(facet, way); });
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

  template <class Look>
  void visit(Look&& look) const noexcept {
    const Vec3 half = 0.5 * sweep_.length * sweep_.d_B, middle = sweep_.at(0.5 * sweep_.length);
    const auto meets = [&](const BoxNode& node) noexcept { return passes(node, middle, half); };
    for_each_facet(mesh_, meets, look);
  }

  // out of a face that the axis crosses: which end is below it, and by how much.
  struct Way {
    double height;
    const Facet* facet;
    Toucher end;
  };

  void look_through(const Facet& facet, Way& best) const noexcept {
    const double h0 = facet.n.dot(sweep_.Q0_B - facet.corner[0]), h1 = facet.n.dot(sweep_.Q1_B - facet.corner[0]);
    if (!(h0 * h1 < 0.0) || !(std::abs(std::min(h0, h1)) < best.height)) return;
    const View view(facet, sweep_.at(sweep_.length * (h0 / (h0 - h1))));
    const double little = -tolerance_ * mesh_.size;
    if (!(view.in[0] >= little && view.in[1] >= little && view.in[2] >= little)) return;
    best = {-std::min(h0, h1), &facet, h0 < h1 ? Toucher::end0 : Toucher::end1};
  }

  // the segment middle +- half against the box: parted along an axis of the box, or along one across
  static bool passes(const BoxNode& node, const Vec3& middle, const Vec3& half) noexcept {
    const Vec3 low(node.low), high(node.high), m = middle - 0.5 * (low + high), across = m.cross(half).cwiseAbs();
    const Vec3 h = 0.5 * (high - low), v = half.cwiseAbs();
    const Vec3 reach = h + v,
               reach_across(h[1] * v[2] + h[2] * v[1], h[2] * v[0] + h[0] * v[2], h[0] * v[1] + h[1] * v[0]);
    return (m.cwiseAbs().array() <= reach.array()).all() && (across.array() <= reach_across.array()).all();
  }

  const Surface& mesh_;
  const Sweep& sweep_;
  double tolerance_;
  Manifold& out_;
};

}  // namespace

void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep ball = sweep(A, X);
  Ball(*B.surface, ball, Toucher::end0).touch(out);
}

void segment_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep segment = sweep(A, X);
  Ball first(*B.surface, segment, Toucher::end0), second(*B.surface, segment, Toucher::end1);
  first.touch(out);
  second.touch(out);
  if (segment.length > 0.0) Axis(*B.surface, segment, out).touch(first.is_inside() || second.is_inside());
}

void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  curved_mesh(A, B, X, out);
  if (out.count == 0) return;
  const Sweep capsule = sweep(A, X);
  const bool end_inside = is_inside(*B.surface, capsule.Q0_B) || is_inside(*B.surface, capsule.Q1_B);
  Axis(*B.surface, capsule, out).touch(end_inside);
}

}  // namespace contactlib

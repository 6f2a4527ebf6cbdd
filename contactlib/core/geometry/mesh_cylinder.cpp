// a cylinder against a mesh: points of its ends' circles as corners, its rims and its side as edges.
#include <algorithm>
#include <cmath>

#include "mesh_report.hpp"
#include "mesh_ridge.hpp"
#include "mesh_solid.hpp"
#include "mesh_target.hpp"
#include "rim.hpp"

namespace contactlib {

namespace {

constexpr double steep = 0.1;  // sine: faces that lean less against an end have no lowest point of its circle

// which thing of the cylinder touches: a point of a circle, the whole, or with each face or edge of the mesh ...
enum CylinderPart : std::int64_t { circle_points = 8, whole = 8, parts = 9, per_face = 2, per_edge = 5 };

class CylinderOnMesh {
 public:
  CylinderOnMesh(const Shape& A, const Surface& mesh, const Placement& X, Manifold& out) noexcept
      : R_(A.size[0]),
        half_(0.5 * A.size[1]),
        mesh_(mesh),
        X_(X),
        to_A_{X.R_WA.transpose() * X.R_WB, X.R_WA.transpose() * X.p_AB_W},
        to_B_(to_A_.inverse()),
        size_(std::min(mesh.size, 2.0 * (R_ + half_))),
        tol_(same_place * size_),
        noise_(rounded * size_),
        target_{mesh, false, tol_, noise_, true, 2.0 * (R_ + half_)},
        ends_{Sharing(tol_), Sharing(tol_)},
        out_(out) {}

  void touch() noexcept {
    if (mesh_.nodes.empty()) return;
    const int before = out_.needed;
    BoxNode box{{-R_, -R_, -half_}, {R_, R_, half_}, 0, 0};
    const Mat3 spread = to_A_.R.cwiseAbs();
    const auto meets = [&](const BoxNode& node) noexcept { return boxes_near(box, node, to_A_, spread, 0.5 * R_); };
    for_each_facet(mesh_, meets, [this](const Facet& facet) noexcept { look(facet); });
    for (const int end : {0, 1}) look_at_circle(end);
    for (Sharing& end : ends_) end.finish(out_);
    if (out_.needed == before) look_at_middle();
  }

 private:
  void look(const Facet& facet) noexcept {
    for (const int end : {0, 1}) look_at_face(facet, end);
    for (int i = 0; i < 3; ++i) {
      if (facet.owns & ridge << i) look_at_edge(facet.edge[i]);
      if ((facet.owns & its_vertex << i) && mesh_.convex_vertex[facet.vertex[i]]) look_at_corner(facet.vertex[i]);
    }
  }

  static double up(int end) noexcept { return end == 0 ? -1.0 : 1.0; }

  // of the circle's points, in A's axes, the one in the direction (x, y).
  Vec3 on_circle(int end, double x, double y) const noexcept { return {R_ * x, R_ * y, up(end) * half_}; }

  // a point of a circle is a corner whose edges lead to the middle of the end, and along the side.
  struct CircleFaces {
    Vec3 inward, along;

    bool operator()(const Vec3& n) const noexcept {
      return n.dot(inward) >= least_slope && n.dot(along) >= least_slope;
    }
  };

  CircleFaces faces_of(int end, const Vec3& p_A) const noexcept {
    return {to_B_.R * Vec3(-p_A[0] / R_, -p_A[1] / R_, 0.0), -up(end) * to_B_.R.col(2)};
  }

  // p: in A; g: out of B, in B's axes
  ManifoldPoint contact(const Vec3& p_A, const Vec3& g_B, double depth, std::int64_t feature) const noexcept {
    const Vec3 g_A = to_A_.R * g_B;
    return {X_.R_WA * (p_A + 0.5 * depth * g_A), -(X_.R_WB * g_B), depth, feature_number(feature)};
  }

  // the lowest point of an end's circle towards a face, if it is pushed out through that one.
  void look_at_face(const Facet& facet, int end) noexcept {
    const Vec3 n = to_A_.R * facet.n;
    const double across = std::sqrt(n[0] * n[0] + n[1] * n[1]);
    if (!(across > steep)) return;
    const Vec3 p_A = on_circle(end, -n[0] / across, -n[1] / across), p = to_B_(p_A);
    const double depth = -facet.n.dot(p - facet.corner[0]);
    if (!(depth > noise_ && depth <= 0.5 * R_)) return;
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = facet.corner[i == 2 ? 0 : i + 1] - facet.corner[i];
      if (facet.n.dot(e.cross(p - facet.corner[i])) < -tol_ * e.norm()) return;
    }
    const CircleFaces faces = faces_of(end, p_A);
    Push out;
    if (!faces(facet.n) || !target_.push(p, faces, out) || out.depth < (1.0 - 1e-9) * depth) return;
    ends_[end].add(contact(p_A, facet.n, depth, parts + per_face * facet.face + end));
  }

  // four points of an end's circle, from the lowest one on; but where something touches already, nearer than they are
  // deep.
  void look_at_circle(int end) noexcept {
    Place place;
    const Vec3 middle = to_B_(Vec3(0.0, 0.0, up(end) * half_));
    if (!nearest_place(mesh_, middle, std::numeric_limits<double>::infinity(), place) || !(place.phi < R_)) return;
    const Vec3 n = to_A_.R * place.g;
    const double across = std::sqrt(n[0] * n[0] + n[1] * n[1]);
    double x = across < 1e-9 ? 1.0 : -n[0] / across, y = across < 1e-9 ? 0.0 : -n[1] / across;
    for (int k = 0; k < 4; ++k) {
      const Vec3 p_A = on_circle(end, x, y);
      Push out;
      if (target_.push(to_B_(p_A), faces_of(end, p_A), out)) {
        const ManifoldPoint point = contact(p_A, out.g, out.depth, 4 * end + k);
        const double apart = std::max(tol_, out.depth);
        if (!ends_[0].has(point.p_AC_W, apart) && !ends_[1].has(point.p_AC_W, apart)) add_once(out_, point, apart);
      }
      const double turned = x;
      x = -y;
      y = turned;
    }
  }

  // nothing else was found: the whole against the tangent plane of the nearest place.
  void look_at_middle() noexcept {
    Place place;
    if (!nearest_place(mesh_, to_B_.p, std::numeric_limits<double>::infinity(), place) || !(place.phi < 0.0)) return;
    const Vec3 n = to_A_.R * place.g;
    const double across = std::sqrt(n[0] * n[0] + n[1] * n[1]), scale = across < 1e-9 ? 0.0 : R_ / across;
    const Vec3 p_A(-scale * n[0], -scale * n[1], std::copysign(half_, -n[2]));
    add(out_, contact(p_A, place.g, R_ * across + half_ * std::abs(n[2]) - place.phi, whole));
  }

  bool holds(const Vec3& p_A, double beside = 0.0) const noexcept {
    const double wide = R_ + tol_ + beside;
    return p_A[0] * p_A[0] + p_A[1] * p_A[1] <= wide * wide && std::abs(p_A[2]) <= half_ + tol_;
  }

  void look_at_edge(std::int32_t e) noexcept {
    const Ridge b = seen_from(to_A_, ridge_of(mesh_, mesh_.edges[e]));
    const Vec3 &p = b.line.p, &d = b.line.t;
    const double apart = p[0] * d[1] - p[1] * d[0], span2 = d[0] * d[0] + d[1] * d[1];
    const double wide = 1.25 * R_ + tol_;  // rims meet edges no deeper than R/2
    if (apart * apart > wide * wide * span2) return;
    const double z0 = p[2], z1 = b.line.at(b.line.length)[2];
    if (std::min(z0, z1) > half_ + tol_ || std::max(z0, z1) < -half_ - tol_) return;
    for (const int end : {0, 1}) {
      const Vec3 middle(0.0, 0.0, up(end) * half_);
      const RimMinima minima = rim_line_exact(R_, p - middle, d);
      for (int i = 0; i < minima.count; ++i) add_rim(rim_at(minima.E[i], end), b, e, 2 * end + i);
    }
    if (span2 > 1e-18) add_side(side_towards(b), b, e);
  }

  // the tangent of a rim as an edge between the end and the side: n0 x t leads to the end's middle.
  Ridge rim_at(const Vec3& E, int end) const noexcept {
    const Vec3 out = E / R_, t = up(end) * Vec3(-out[1], out[0], 0.0);
    return {{E + Vec3(0.0, 0.0, up(end) * half_) - 0.5 * R_ * t, t, R_}, Vec3(0.0, 0.0, up(end)), out};
  }

  // the line of the side that looks across to an edge.
  Ridge side_towards(const Ridge& b) const noexcept {
    Vec3 n = Vec3(-b.line.t[1], b.line.t[0], 0.0).normalized();
    if (n.dot(b.n0 + b.n1) > 0.0) n = -n;
    return {{R_ * n - Vec3(0.0, 0.0, half_), Vec3::UnitZ(), 2.0 * half_}, n, n};
  }

  // the rim as a whole must be as deep, or nearly, under the planes of both faces: else it is pushed out through one of
  // them. the edge may leave the side where it passes under the tangent, which is off the rim by the square of the
  // depth.
  void add_rim(const Ridge& a, const Ridge& b, std::int32_t e, int part) noexcept {
    Meeting m;
    if (!meet(a, b, tol_, noise_, m)) return;
    const Vec3 to_middle = Vec3(0.0, 0.0, a.line.p[2]) - b.line.p;
    for (const Vec3* n : {&b.n0, &b.n1})
      if (R_ * std::sqrt((*n)[0] * (*n)[0] + (*n)[1] * (*n)[1]) - n->dot(to_middle) < 0.5 * m.depth) return;
    if (holds(m.X_b, m.depth * m.depth / R_)) add_meeting(m, e, part);
  }

  // an end of the line that is inside the mesh and nearer than the depth stands for it.
  void add_side(const Ridge& a, const Ridge& b, std::int32_t e) noexcept {
    Meeting m;
    if (!meet(a, b, tol_, noise_, m) || !holds(m.X_b)) return;
    if (m.s_a < m.depth && target_.holds(to_B_(a.line.p))) return;
    if (a.line.length - m.s_a < m.depth && target_.holds(to_B_(a.line.at(a.line.length)))) return;
    add_meeting(m, e, 4);
  }

  void add_meeting(const Meeting& m, std::int32_t e, int part) noexcept {
    const Edge& edge = mesh_.edges[e];
    if (!target_.holds(to_B_(m.X_a))) return;
    if (end_stands(edge.v0, m.s_b, m.depth) || end_stands(edge.v1, edge.length - m.s_b, m.depth)) return;
    const std::int64_t feature = parts + per_face * static_cast<std::int64_t>(mesh_.faces.size()) + per_edge * e + part;
    add_once(out_, {X_.R_WA * m.C, X_.R_WA * m.n, m.depth, feature_number(feature), m.share}, tol_);
  }

  bool end_stands(std::int32_t v, double away, double depth) const noexcept {
    return away < depth && mesh_.convex_vertex[v] && holds(to_A_(mesh_.vertices[v]));
  }

  // a convex corner inside: out through the nearest of the side and the ends that it faces.
  void look_at_corner(std::int32_t v) noexcept {
    const Vec3 P = to_A_(mesh_.vertices[v]);
    if (!holds(P)) return;
    const double rho = std::sqrt(P[0] * P[0] + P[1] * P[1]);
    const Vec3 out = rho > 0.0 ? Vec3(P[0] / rho, P[1] / rho, 0.0) : Vec3(Vec3::UnitX());
    const Push ways[3] = {{out, R_ - rho}, {Vec3(0.0, 0.0, -1.0), half_ + P[2]}, {Vec3(0.0, 0.0, 1.0), half_ - P[2]}};
    const CornerFaces faces{mesh_, v, to_B_.R};
    const Push* least = nullptr;
    for (const Push& way : ways)
      if ((!least || way.depth < least->depth) && faces(way.g)) least = &way;
    if (!least || !(least->depth > noise_)) return;
    const auto before = static_cast<std::int64_t>(per_face * mesh_.faces.size() + per_edge * mesh_.edges.size());
    add_once(out_,
             {X_.R_WA * (P + 0.5 * least->depth * least->g), X_.R_WA * least->g, least->depth,
              feature_number(parts + before + v)},
             tol_);
  }

  const double R_, half_;  // m
  const Surface& mesh_;
  const Placement& X_;
  const Axes to_A_, to_B_;
  const double size_, tol_, noise_;  // m
  const Target target_;
  Sharing ends_[2];
  Manifold& out_;
};

}  // namespace

void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  CylinderOnMesh(A, *B.surface, X, out).touch();
}

}  // namespace contactlib

// Triangle, box, polyhedron or mesh A against the socket B: corners of A in B, corners of B in A, and convex edges of A
// that cross the rim or an edge of the box. See docs/manifolds.md, "Socket against solids".
#include <algorithm>
#include <cmath>

#include "pair.hpp"
#include "solids.hpp"

namespace contactlib::geometry {

namespace {

class PolytopeInSocket {
 public:
  PolytopeInSocket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : a_(*A.surface),
        pair_(A, a_.size, B, X, out),
        B_to_A_(pair_.A_to_B.inverse()),
        target_{a_, A.kind != ShapeKind::mesh, pair_.B.tol, pair_.B.noise, true, a_.size} {}

  void build_contacts() noexcept {
    const BoxNode& root = a_.nodes[0];
    const Mat3 spread = pair_.A_to_B.R.cwiseAbs();
    const Vec3 mid = pair_.A_to_B(middle(root)), reach = spread * half(root);
    const Vec3 low = mid - reach, high = mid + reach;
    if (pair_.misses(low, high)) return;
    outside_ = pair_.hollow || !pair_.B.clear_of_box(low, high);
    each([this](const Facet& facet) noexcept { evaluate(facet); });
    if (outside_ && !pair_.hollow)
      for (int k = 0; k < 8; ++k) evaluate_corner_of_B(k);
    if (pair_.found()) return;
    each([this](const Facet& facet) noexcept { evaluate_through(facet); });
    if (pair_.hollow && deepest_ == 0.0 && is_pierced()) evaluate_sheet();
    for (int e = 0; e < 12 && outside_ && target_.convex; ++e) evaluate_through(pair_.B.edge(e));
    if (deepest_ > pair_.B.noise) pair_.add(C_, n_, deepest_, last_number());
  }

 private:
  template <class Visit>
  void each(const Visit& visit) noexcept {
    const Axes& X = pair_.A_to_B;
    const BoxSolid box = pair_.B.solid.box();
    const Vec3 low = box.centre_B - box.half, high = box.centre_B + box.half;
    const BoxNode all{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}, 0, 0};
    const Mat3 spread = X.R.cwiseAbs();
    const auto meets = [&](const BoxNode& node) noexcept { return boxes_near(all, node, X, spread, pair_.B.tol); };
    for_each_facet(a_, meets, visit);
  }

  double above(const Vec3& x_B) const noexcept {
    const Vec3 x = B_to_A_(x_B);
    double most = -1e300;
    if (target_.convex) {
      for (const Face& face : a_.faces) most = std::max(most, face.n.dot(x) - face.d);
      return most;
    }
    Place place;
    return nearest_place(a_, x, std::numeric_limits<double>::infinity(), place) ? place.phi : 1e300;
  }

  std::int64_t corners() const noexcept { return static_cast<std::int64_t>(a_.vertices.size()); }
  std::int64_t edge_number(std::int32_t e) const noexcept {
    return corners() + 8 + static_cast<std::int64_t>(e) * crossings_per_edge;
  }
  std::int64_t last_number() const noexcept { return edge_number(static_cast<std::int32_t>(a_.edges.size())); }

  bool is_ridge(const Facet& facet, int i) const noexcept {
    return facet.owns & (pair_.hollow ? its_edge : ridge) << i;
  }

  void evaluate(const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      if ((facet.owns & its_vertex << i) && a_.convex_vertex[facet.vertex[i]]) evaluate_corner(facet.vertex[i]);
      if (!is_ridge(facet, i)) continue;
      const std::int32_t e = facet.edge[i];
      const auto above_A = [this](const Vec3& x) noexcept { return above(x); };
      pair_.cross(seen_from(pair_.A_to_B, ridge_of(a_, a_.edges[e])), above_A, outside_, edge_number(e));
    }
  }

  // Whether no edge of the corner leads steeply down from n, a normal in B's axes. Seams between coplanar faces are no
  // edges.
  bool faces(std::int32_t v, const Vec3& n_B) const noexcept {
    const Vec3 n = B_to_A_.R * n_B;
    for (std::int32_t k = a_.first_incident_edge[v]; k < a_.first_incident_edge[v + 1]; ++k) {
      const IncidentEdge& incident_edge = a_.incident_edges[k];
      const Edge& edge = a_.edges[incident_edge.edge];
      const bool seam = !pair_.hollow && edge.f1 >= 0 && std::abs(edge.bend) <= sharp;
      if (!seam && n.dot(incident_edge.t) < least_slope) return false;
    }
    return true;
  }

  void evaluate_corner(std::int32_t v) noexcept {
    const Vec3 x = pair_.A_to_B(a_.vertices[v]);
    Exit exit;
    int which = 0;
    if (pair_.B.find_exit(x, [&](const Vec3& n) noexcept { return faces(v, n); }, exit, which))
      pair_.add(x + 0.5 * exit.depth * exit.g, -exit.g, exit.depth, v);
  }

  void evaluate_corner_of_B(int k) noexcept {
    const Vec3 x_B = pair_.B.corner(k), x = B_to_A_(x_B);
    const Mat3& R = pair_.A_to_B.R;
    const auto faces = [&](const Vec3& n) noexcept { return SocketTarget::corner_faces(k, R * n); };
    Exit exit{Vec3::Zero(), 0.0};
    if (!target_.find_exit(x, faces, exit)) return;
    const Vec3 n = R * exit.g;
    pair_.add(x_B + 0.5 * exit.depth * n, n, exit.depth, corners() + k);
  }

  // No other contact: the deepest point of an edge of one body inside the other.
  void evaluate_through(const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) {
      if (!(facet.owns & its_edge << i)) continue;
      const Line line = seen_from(pair_.A_to_B, line_of(a_, a_.edges[facet.edge[i]]));
      const Vec3 q = line.at(line.length);
      if (pair_.B.is_in_hole(line.p) && pair_.B.is_in_hole(q)) continue;
      const Sweep sweep{line.p, q, line.t, line.length, 0.0, line.t, pair_.X.R_WB};
      double s = 0.0;
      Nearest nearest{};
      if (deepest_in_socket(sweep, pair_.B.solid, s, nearest))
        keep(line.at(s) - 0.5 * nearest.phi * nearest.g_B, -nearest.g_B, -nearest.phi);
    }
  }

  // above() is convex along the edge: Newton's method descends from the nearest face at either end to the lowest point.
  // Of the two faces that are equally near there, the edge leaves through the one with the shorter way out.
  void evaluate_through(const Ridge& b) noexcept {
    const Line line = seen_from(B_to_A_, b.line);
    double low = 0.0, high = line.length;
    const Face *at_low = nullptr, *at_high = nullptr;
    double s = 0.0, best = 0.0, least = 1e300;
    const auto above = [&](const Face& face, double at) noexcept { return face.n.dot(line.at(at)) - face.d; };
    const auto done = [&](const Face& only) noexcept {
      const bool two = at_low && at_high && best > 0.0 && best < line.length;
      const Face& face = !two ? only : above(*at_low, line.length) > above(*at_high, 0.0) ? *at_low : *at_high;
      const Vec3 n = pair_.A_to_B.R * face.n;
      if (least < 0.0) keep(b.line.at(best) - 0.5 * least * n, n, -least);
    };
    for (int i = 0; i < 64; ++i) {
      const Face* most = nullptr;
      double height = -1e300;
      for (const Face& face : a_.faces) {
        const double h = above(face, s);
        if (h > height) height = h, most = &face;
      }
      if (!most) return;  // not finite
      if (height < least) least = height, best = s;
      const double rate = most->n.dot(line.t);
      (rate < 0.0 ? at_low : at_high) = most;
      (rate < 0.0 ? low : high) = s;
      if (i == 0) {
        if (rate >= 0.0) return done(*most);
        s = line.length;
        continue;
      }
      if (!at_high || !at_low) return done(*most);
      const double fall = at_low->n.dot(line.t), rise = at_high->n.dot(line.t);
      const double next = (at_high->d - at_high->n.dot(line.p) - at_low->d + at_low->n.dot(line.p)) / (rise - fall);
      if (!(next > low && next < high)) return done(*most);
      s = next;
    }
  }

  // Whether an edge of the box passes through the triangle.
  bool is_pierced() const noexcept {
    const Face& face = a_.faces[0];
    for (int e = 0; e < 12; ++e) {
      const Line line = seen_from(B_to_A_, pair_.B.edge(e).line);
      const double s = (face.d - face.n.dot(line.p)) / face.n.dot(line.t);
      bool inside = s >= 0.0 && s <= line.length;
      for (int i = 0; i < 3; ++i) {
        const Vec3 p = a_.corner(face, i), side = a_.corner(face, (i + 1) % 3) - p;
        inside = inside && face.n.dot(side.cross(line.at(s) - p)) >= 0.0;
      }
      if (inside) return true;
    }
    return false;
  }

  // The box leaves to the side of the sheet on which its lowest corner is nearer.
  void evaluate_sheet() noexcept {
    double depth[2] = {-1e300, -1e300};
    Vec3 C[2];
    for (int k = 0; k < 8; ++k)
      for (int side = 0; side < 2; ++side) {
        const Vec3 y = pair_.B.corner(k), n = pair_.A_to_B.R * a_.faces[side].n;
        const double deep = a_.faces[side].d - a_.faces[side].n.dot(B_to_A_(y));
        if (deep > depth[side]) depth[side] = deep, C[side] = y + 0.5 * deep * n;
      }
    const int side = depth[1] < depth[0];
    keep(C[side], pair_.A_to_B.R * a_.faces[side].n, depth[side]);
  }

  void keep(const Vec3& C, const Vec3& n, double depth) noexcept {
    if (depth > deepest_ + 100.0 * pair_.B.noise) C_ = C, n_ = n, deepest_ = depth;  // equals: the first
  }

  const Surface& a_;
  SocketPair pair_;
  const Axes B_to_A_;
  const Target target_;
  bool outside_ = true;  // A is not clear of the box's edges
  double deepest_ = 0.0;
  Vec3 C_ = Vec3::Zero(), n_ = Vec3::Zero();
};

}  // namespace

void polytope_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  if (!A.surface->nodes.empty()) PolytopeInSocket(A, B, X, out).build_contacts();
}

// The mesh stands after the socket in the pair table.
void socket_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  polytope_socket(B, A, {X.R_WB, X.R_WA, -X.p_AB_W, X.hint_W}, out);
}

}  // namespace contactlib::geometry

// A solid A against the socket B: corners inside the other body, and crossings of two convex edges, straight or round
// (docs/manifolds.md, "Socket against solids"). All in B's axes.
#pragma once

#include <cmath>

#include "circle_edge.hpp"
#include "geometry/mesh/report.hpp"
#include "geometry/mesh/ridge.hpp"
#include "geometry/mesh/target.hpp"
#include "solid.hpp"

namespace contactlib::geometry {

// A point on a convex edge of A or B.
struct Spot {
  Vec3 E, t;    // m; unit tangent
  Vec3 n0, n1;  // unit, out of the faces that meet there; the same on a round side, opposite on a sheet

  // Of a sheet, only the side towards the other body counts.
  bool has_face(const Vec3& m, const Vec3& n) const noexcept { return n0.dot(n1) > -1.0 + 1e-12 || m.dot(n) > -0.7; }
};

// The support function of an edge along m.
inline double reach(const Line& line, const Vec3& m) noexcept {
  return std::max(m.dot(line.p), m.dot(line.at(line.length)));
}
inline double reach(const CircleEdge& circle_edge, const Vec3& m) noexcept {
  return m.dot(circle_edge.c) + circle_edge.R * m.cross(circle_edge.axis).norm();
}

// Whether an edge of A contains its point at s along its tangent, and how far the edge may be off the tangent there:
// for a circle z^2/2R.
inline bool goes_on(const Line& line, double s, double tol) noexcept { return s >= -tol && s <= line.length + tol; }
inline bool goes_on(const CircleEdge&, double, double) noexcept { return true; }
inline double bow(const Line&, double) noexcept { return 0.0; }
inline double bow(const CircleEdge& circle_edge, double z) noexcept { return z * z / circle_edge.R; }

inline Spot spot_on(const Ridge& ridge, double s) noexcept {
  return {ridge.line.at(s), ridge.line.t, ridge.n0, ridge.n1};
}
// E: from the circle_edge's middle, |E| = R
inline Spot spot_on(const CircleEdge& circle_edge, const Vec3& E) noexcept {
  const Vec3 out = E / circle_edge.R;
  return {circle_edge.c + E, circle_edge.axis.cross(out), circle_edge.axis, circle_edge.side * out};
}

// The local minima of the distance between a circle and a line, or another circle.
CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const Line& line) noexcept;
CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const CircleEdge& other) noexcept;

// The feet of the common perpendicular of two lines, no further than `tol` beyond their ends. Returns false if the
// lines are parallel.
bool feet(const Line& a, const Line& b, double tol, double& s_a, double& s_b) noexcept;

// A crossing of two edges: along n, across both, they separate after `depth`, and not earlier along the normal of any
// of their faces.
struct EdgeCrossing {
  Vec3 n, C;  // unit, from A to B; half-way between the two points
  double depth;  // m, > 0
};
bool leads_across(const Spot& a, const Spot& b, double noise, EdgeCrossing& out) noexcept;

template <class EdgeA, class EdgeB>
bool crosses(const EdgeA& a, const Spot& at_a, const EdgeB& b, const Spot& at_b, double noise,
             EdgeCrossing& out) noexcept {
  if (!leads_across(at_a, at_b, noise, out)) return false;
  const double least = (1.0 - 1e-9) * out.depth;
  for (const Vec3* m : {&at_a.n0, &at_a.n1})
    if (at_a.has_face(*m, out.n) && !(reach(b, -*m) + m->dot(at_a.E) >= least)) return false;
  for (const Vec3* m : {&at_b.n0, &at_b.n1})
    if (at_b.has_face(*m, -out.n) && !(reach(a, -*m) + m->dot(at_b.E) >= least)) return false;
  return true;
}

// The socket as the target of other bodies.
struct SocketTarget {
  SocketSolid solid;
  double tol, noise;  // m: how far outside still counts as inside; rounding, no depth

  // The greatest height over the box's faces and the hole: 0 on the surface, < 0 inside.
  double above(const Vec3& x) const noexcept;
  // Whether x is in the hole or above its mouth; together these are convex.
  bool is_in_hole(const Vec3& x) const noexcept { return from_core(solid, x).squaredNorm() < solid.R * solid.R; }
  // The same over those faces only that do not contain the point E.
  double above_others(const Vec3& x, const Vec3& E) const noexcept;
  Ridge edge(int e) const noexcept;
  Vec3 corner(int k) const noexcept;
  // Whether no edge leads steeply down from n, in the socket's axes, at corner k: the edges run against the corner's
  // signs.
  static bool corner_faces(int k, const Vec3& n) noexcept;
  CircleEdge rim() const noexcept { return {Vec3::Zero(), Vec3::UnitZ(), solid.R, -1.0}; }
  // Whether the box from `low` to `high` stays further than `tol` from the socket's sides and bottom: then it meets no
  // edge or corner of the socket's box. The margin is that of `passes` and `find_exit`, so that rounding cannot decide.
  bool clear_of_box(const Vec3& low, const Vec3& high) const noexcept;

  // The way out through the nearest face for whose normal `faces(n)` holds, wall and cap included. `which`: 0..5 -x,
  // +x, -y, .. +z, 6 the hole
  template <class Faces>
  bool find_exit(const Vec3& x, const Faces& faces, Exit& out, int& which) const noexcept {
    if (!(above(x) <= tol)) return false;
    const Nearest hole = nearest_in_hole(solid, from_core(solid, x));
    out = {hole.g_B, faces(hole.g_B) ? -hole.phi : 1e300};
    which = 6;
    for (int k = 0; k < 6; ++k) {
      const double side = k % 2 ? 1.0 : -1.0, depth = -height(k, x);
      const Vec3 n = side * Vec3::Unit(k / 2);
      if (depth < out.depth && faces(n)) out = {n, depth}, which = k;
    }
    return out.depth > noise && out.depth < 1e300;
  }

  double height(int k, const Vec3& x) const noexcept {
    if (k == 6) return nearest_in_hole(solid, from_core(solid, x)).phi;
    const int i = k / 2;
    const double side = k % 2 ? 1.0 : -1.0, size = solid.shape.size[i];
    return i < 2 ? side * x[i] - 0.5 * size : k == 5 ? x[2] : -x[2] - size;
  }
};

// The pair; contacts are added to `out`.
struct SocketPair {
  SocketTarget B;
  Axes A_to_B;
  const Placement& X;
  Manifold& out;
  const bool hollow;        // A is a triangle
  const bool socket_first;  // the caller has A and B in the other order
  const int before;         // contacts that others had found

  SocketPair(const Shape& A, double size_A, const Shape& B, const Placement& X, Manifold& out) noexcept;

  // Of contacts at one point the deepest counts.
  void add(const Vec3& C_B, const Vec3& n_B, double depth, std::int64_t number) const noexcept;
  bool found() const noexcept { return out.needed > before; }

  // Whether the box from `low_B` to `high_B` is clear of the socket's box.
  bool misses(const Vec3& low_B, const Vec3& high_B) const noexcept;

  // Crossings of a straight edge of A with the rim and, unless A is clear of it, with the box's edges. above_A(x_B):
  // height of x above A's surface.
  template <class Above>
  void cross(const Ridge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept;
  // Crossings of a circle of A.
  template <class Above>
  void cross(const CircleEdge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept;

  // Adds the crossing of an edge of A and one of B, if there is one. s_a, s_b: positions along the edges
  template <class EdgeA, class EdgeB, class Above>
  void meet(const EdgeA& a, const Spot& at_a, double s_a, const EdgeB& b, const Spot& at_b, double s_b,
            const Above& above_A, std::int64_t number) const noexcept {
    EdgeCrossing found;
    if (!crosses(a, at_a, b, at_b, B.noise, found)) return;
    const auto above_B = [this](const Vec3& x) noexcept { return B.above(x); };
    if (!passes(a, at_a, s_a, at_b, above_B)) return;
    if (hollow ? B.above_others(at_a.E, at_b.E) <= -found.depth : passes(b, at_b, s_b, at_a, above_A))
      add(found.C, found.n, found.depth, number);
  }

 private:
  // Whether an edge passes through the other body near the crossing.
  template <class Edge, class Above>
  bool passes(const Edge& edge, const Spot& at, double s, const Spot& other, const Above& above) const noexcept {
    double z = 0.0;
    if (!passes_behind(at.E - other.E, at.t, other.n0, other.n1, B.tol, z) || !goes_on(edge, s + z, B.tol))
      return false;
    return above(at.E + z * at.t) <= 2.0 * B.tol + bow(edge, z);
  }
};

// Number of crossings that an edge of A can have with the socket: some with the rim, two with each of twelve edges.
inline constexpr int crossings_per_edge = CircleEdgeMinima::most + 24;

template <class Above>
void SocketPair::cross(const Ridge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept {
  const CircleEdge rim = B.rim();
  const Vec3 &p = a.line.p, q = a.line.at(a.line.length);
  const double squared = rim.R * rim.R;
  const bool in_hole = p.head<2>().squaredNorm() < squared && q.head<2>().squaredNorm() < squared;
  if (!in_hole && std::min(p[2], q[2]) < 0.0) {  // else a face of the socket tells that it is not under the rim
    const CircleEdgeMinima minima = nearest_on_circle_edge(rim, a.line);
    for (int i = 0; i < minima.count; ++i) {
      const double s = (minima.E[i] - p).dot(a.line.t);
      if (!(s >= -B.tol && s <= a.line.length + B.tol)) continue;
      meet(a.line, spot_on(a, s), s, rim, spot_on(rim, minima.E[i]), 0.0, above_A, number + i);
    }
  }
  for (int e = 0; box_too && e < 12; ++e) {
    const Ridge b = B.edge(e);
    double s_a = 0.0, s_b = 0.0;
    if (feet(a.line, b.line, B.tol, s_a, s_b))
      meet(a.line, spot_on(a, s_a), s_a, b.line, spot_on(b, s_b), s_b, above_A,
           number + CircleEdgeMinima::most + 2 * e);
  }
}

template <class Above>
void SocketPair::cross(const CircleEdge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept {
  const CircleEdge rim = B.rim();
  const bool is_rim = a.side < 0.0;  // the edge of a socket: the result must not depend on the order of two sockets
  if (-reach(a, -Vec3::UnitZ()) < 0.0 && (is_rim || reach(a, Vec3::UnitZ()) > -rim.R)) {
    const CircleEdgeMinima minima = nearest_on_circle_edge(rim, a);
    for (int i = 0; i < minima.count; ++i) {
      const Vec3 w = minima.E[i] - a.c, across = w - w.dot(a.axis) * a.axis;
      const double length = across.norm();
      if (length > 0.0)
        meet(a, spot_on(a, across * (a.R / length)), 0.0, rim, spot_on(rim, minima.E[i]), 0.0, above_A, number + i);
    }
  }
  for (int e = 0; box_too && e < 12; ++e) {
    const Ridge b = B.edge(e);
    const CircleEdgeMinima minima = nearest_on_circle_edge(a, b.line);
    for (int i = 0; i < minima.count; ++i) {
      const double s = (a.c + minima.E[i] - b.line.p).dot(b.line.t);
      if (!(s >= -B.tol && s <= b.line.length + B.tol)) continue;
      meet(a, spot_on(a, minima.E[i]), 0.0, b.line, spot_on(b, s), s, above_A,
           number + CircleEdgeMinima::most + 2 * e + i);
    }
  }
}

}  // namespace contactlib::geometry

// a solid A against the socket B: corners that are pushed out of it, and two convex edges, straight or round, of which
// one passes under the other (docs/manifolds.md, "Socket against solids"). all in B's axes.
#pragma once

#include <cmath>

#include "circle_edge.hpp"
#include "geometry/mesh/report.hpp"
#include "geometry/mesh/ridge.hpp"
#include "geometry/mesh/target.hpp"
#include "solid.hpp"

namespace contactlib::geometry {

// a place on a convex edge of one of the two.
struct Spot {
  Vec3 E, t;    // m; unit tangent
  Vec3 n0, n1;  // unit, out of the faces that meet there; the same on a round side, opposite on a sheet

  // a sheet does not part from what is in front of it through its other side.
  bool has_face(const Vec3& m, const Vec3& n) const noexcept { return n0.dot(n1) > -1.0 + 1e-12 || m.dot(n) > -0.7; }
};

// how far an edge reaches along m.
inline double reach(const Line& line, const Vec3& m) noexcept {
  return std::max(m.dot(line.p), m.dot(line.at(line.length)));
}
inline double reach(const CircleEdge& circle_edge, const Vec3& m) noexcept {
  return m.dot(circle_edge.c) + circle_edge.R * m.cross(circle_edge.axis).norm();
}

// how far along its tangent an edge of A goes on at s, and how far it may be off it there at z: of a circle z^2/2R.
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

// the local minima of the distance between a circle and a line, or another circle.
CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const Line& line) noexcept;
CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const CircleEdge& other) noexcept;

// the feet of the common perpendicular of two lines, no further than `tol` beyond their ends; false if they are
// parallel.
bool feet(const Line& a, const Line& b, double tol, double& s_a, double& s_b) noexcept;

// two edges cross: along n, across both, they part by `depth`, and by no less along the normal of any face that meets
// there.
struct EdgeCrossing {
  Vec3 n, C;     // unit, from A to B; half-way between the two places
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

// the socket as others meet it.
struct SocketTarget {
  SocketSolid solid;
  double tol, noise;  // m: how far outside still counts as inside; rounding, no depth

  // the greatest of the heights over the box's faces and of the depth in the hole: 0 on the surface, < 0 inside.
  double above(const Vec3& x) const noexcept;
  // in the hole or above its mouth, which together are convex
  bool is_in_hole(const Vec3& x) const noexcept { return from_core(solid, x).squaredNorm() < solid.R * solid.R; }
  // the same over those faces only that the place E is not on
  double above_others(const Vec3& x, const Vec3& E) const noexcept;
  Ridge edge(int e) const noexcept;
  Vec3 corner(int k) const noexcept;
  // no edge leads steeply down from n, in the socket's axes, at corner k: they run against its signs.
  static bool corner_faces(int k, const Vec3& n) noexcept;
  CircleEdge rim() const noexcept { return {Vec3::Zero(), Vec3::UnitZ(), solid.R, -1.0}; }
  // Whether the box from `low` to `high` stays further than `tol` from the socket's sides and bottom: then it meets no
  // edge or corner of the socket's box. The margin is that of `passes` and `push`, so that rounding cannot decide.
  bool clear_of_box(const Vec3& low, const Vec3& high) const noexcept;

  // the way out through the nearest face for whose normal `faces(n)` holds, the wall and the cap among them. `which`:
  // 0..5 -x, +x, -y, .. +z, 6 the hole
  template <class Faces>
  bool push(const Vec3& x, const Faces& faces, Push& out, int& which) const noexcept {
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

// the pair: what is found goes to `out`.
struct SocketPair {
  SocketTarget B;
  Axes A_to_B;
  const Placement& X;
  Manifold& out;
  const bool hollow;        // A is a triangle
  const bool socket_first;  // for the world A and B are the other way round
  const int before;         // contacts that others had found

  SocketPair(const Shape& A, double size_A, const Shape& B, const Placement& X, Manifold& out) noexcept;

  // of contacts at one place the deepest counts.
  void add(const Vec3& C_B, const Vec3& n_B, double depth, std::int64_t number) const noexcept;
  bool found() const noexcept { return out.needed > before; }

  // the box of A's axes `middle +- half`, seen from B, does not touch the socket's.
  bool misses(const Vec3& low_B, const Vec3& high_B) const noexcept;

  // a straight edge of A against the rim and, unless A is clear of it, against the box's edges. above_A(x_B): how far x
  // is above A's surface.
  template <class Above>
  void cross(const Ridge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept;
  // a circle of A.
  template <class Above>
  void cross(const CircleEdge& a, const Above& above_A, bool box_too, std::int64_t number) const noexcept;

  // an edge of A against one of B, at these spots. s_a, s_b: where they are along the edges
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
  // an edge passes through the other body near where it is met.
  template <class Edge, class Above>
  bool passes(const Edge& edge, const Spot& at, double s, const Spot& other, const Above& above) const noexcept {
    double z = 0.0;
    if (!passes_behind(at.E - other.E, at.t, other.n0, other.n1, B.tol, z) || !goes_on(edge, s + z, B.tol))
      return false;
    return above(at.E + z * at.t) <= 2.0 * B.tol + bow(edge, z);
  }
};

// how many things of the socket an edge of A can cross: its rim in some places, and twelve edges in two.
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
  const bool is_rim = a.side < 0.0;  // of a socket: to the other one all must look the same
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

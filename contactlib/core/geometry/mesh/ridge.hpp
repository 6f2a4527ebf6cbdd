// Two convex edges that cross: the edge of A leaves B through a face of B's edge, and B's edge leaves A through a face
// of A's edge. Such crossings are the corners of an overlap that are corners of neither body.
#pragma once

#include "geometry/surface/boxes.hpp"

namespace contactlib::geometry {

// The points p + s t, 0 <= s <= length.
struct Line {
  Vec3 p, t;      // t: unit
  double length;  // m

  Vec3 at(double s) const noexcept { return p + s * t; }
};

inline Line seen_from(const Axes& X, const Line& line) noexcept { return {X(line.p), X.R * line.t, line.length}; }
inline Line line_of(const Surface& surface, const Edge& edge) noexcept {
  return {surface.vertices[edge.v0], edge.t, edge.length};
}

// The feet of the common perpendicular, at s_a and s_b along the lines:
//   c = t_A x t_B,  w = p_B - p_A,  s_A = (w x t_B).c / c^2,  s_B = (w x t_A).c / c^2,  w.c = -depth |c|
struct Perpendicular {
  Vec3 c;
  double c2, along;  // along = w.c
  double s_a, s_b;   // times c2

  Perpendicular(const Line& a, const Line& b) noexcept : c(a.t.cross(b.t)), c2(c.squaredNorm()) {
    const Vec3 w = b.p - a.p;
    along = w.dot(c);
    s_a = w.cross(b.t).dot(c);
    s_b = w.cross(a.t).dot(c);
  }
  bool is_parallel() const noexcept { return !(c2 > 1e-18); }
};

// The s nearest to zero at which e + s t is at most tol above the planes n0 and n1 through the origin. Returns false if
// there is none.
bool passes_behind(const Vec3& e, const Vec3& t, const Vec3& n0, const Vec3& n1, double tol, double& s) noexcept;

// Whether the common perpendicular of two lines can be a crossing: its depth is at most half the shorter line, and its
// feet are not far beyond the ends.
bool lines_near(const Line& a, const Line& b) noexcept;

// A convex edge and the two planes that meet in it. On the border of an open mesh the second plane is a skirt that
// continues straight down, so that the edge acts like that of a slab.
struct Ridge {
  Line line;
  Vec3 n0, n1;  // unit, outward; of a sheet n1 = -n0

  bool sheet() const noexcept { return (n0 + n1).squaredNorm() < 1e-12; }
};

// The outward direction of the skirt below a border along t of a face with normal n.
inline Vec3 skirt(const Vec3& t, const Vec3& n) noexcept { return t.cross(n); }

inline Ridge ridge_of(const Surface& surface, const Edge& edge) noexcept {
  const Vec3& n0 = surface.faces[edge.f0].n;
  const Vec3 n1 = edge.f1 < 0 ? skirt(edge.t, n0) : surface.faces[edge.f1].n;
  return {line_of(surface, edge), n0, n1};
}

inline Ridge seen_from(const Axes& X, const Ridge& ridge) noexcept {
  return {seen_from(X, ridge.line), X.R * ridge.n0, X.R * ridge.n1};
}

struct RidgeCrossing {
  Vec3 n;        // unit, from A to B, across both edges
  double depth;  // m, > 0
  double load_share;  // 1 where n leads out of both edges, less where it leans over one of their faces
  Vec3 C;  // half-way between the feet of the common perpendicular
  double s_a, s_b;
  Vec3 X_a, X_b;  // where the edges pass under each other: at s_a along a and s_b along b
};

// Returns false if they do not cross. `tol`, m: largest distance of a foot beyond an end; `noise`, m: depths that are
// rounding.
bool meet(const Ridge& a, const Ridge& b, double tol, double noise, RidgeCrossing& out) noexcept;

}  // namespace contactlib::geometry

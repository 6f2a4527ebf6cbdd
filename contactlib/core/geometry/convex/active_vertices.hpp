// Active vertices: corners of the Minkowski difference that are equally far along a direction.
#pragma once

#include "support.hpp"

namespace contactlib::geometry {

// A corner of the difference's polytope: corner a of A minus corner b of B.
struct ActiveVertex {
  Vec3 w;
  int a, b;
};

// Up to three active vertices and a point of their hull.
struct ActiveVertices {
  int count = 0;
  ActiveVertex active_vertex[3];
  double weight[3] = {0.0, 0.0, 0.0};
};

// Barycentric weights of 0 in the triangle. Returns false if the corners lie on a line.
inline bool divide(const Vec3 (&q)[3], const Vec3& n, double (&weight)[3]) noexcept {
  const Vec3 along = q[1] - q[0], beside = q[2] - q[0];
  const double area = n.dot(along.cross(beside));
  if (!(area * area > 1e-30 * along.squaredNorm() * beside.squaredNorm())) return false;
  weight[1] = n.dot(q[2].cross(q[0])) / area;
  weight[2] = n.dot(q[0].cross(q[1])) / area;
  weight[0] = 1.0 - weight[1] - weight[2];
  return true;
}

// Moves the point to the foot, which may lie outside their triangle. Returns false if the three lie on a line.
inline bool reach(ActiveVertices& active_vertices, const Vec3& n, const Vec3& foot) noexcept {
  const Vec3 q[3] = {active_vertices.active_vertex[0].w - foot, active_vertices.active_vertex[1].w - foot,
                     active_vertices.active_vertex[2].w - foot};
  return divide(q, n, active_vertices.weight);
}

// The point p + s (q - p) of the segment from p to q that is nearest to 0.
inline double nearest_on_segment(const Vec3& p, const Vec3& q) noexcept {
  const Vec3 along = q - p;
  const double s = -p.dot(along), squared = along.squaredNorm();
  return s > 0.0 ? std::min(1.0, s / squared) : 0.0;
}

// Keeps the active vertices i and j, or one of them, with the point at s between them.
inline void keep(ActiveVertices& active_vertices, int i, int j, double s, bool both) noexcept {
  const ActiveVertex first = active_vertices.active_vertex[i], second = active_vertices.active_vertex[j];
  active_vertices.count = both || (s > 0.0 && s < 1.0) ? 2 : 1;
  active_vertices.active_vertex[0] = both || s < 1.0 ? first : second;
  active_vertices.active_vertex[1] = second;
  active_vertices.weight[0] = active_vertices.count == 2 ? 1.0 - s : 1.0;
  active_vertices.weight[1] = s;
}

// Moves the point to the place of the active vertices' hull nearest to `foot`, in the plane across n. Returns its
// distance from the foot. Drops the active vertices that this place does not need, unless it is the foot to `fine`.
inline Vec3 nearest(ActiveVertices& active_vertices, const Vec3& n, const Vec3& foot, double fine) noexcept {
  const Vec3 q[3] = {active_vertices.active_vertex[0].w - foot, active_vertices.active_vertex[1].w - foot,
                     active_vertices.active_vertex[2].w - foot};
  if (active_vertices.count == 1) {
    active_vertices.weight[0] = 1.0;
    return q[0];
  }
  double* const weight = active_vertices.weight;
  const bool area = active_vertices.count == 3 && divide(q, n, active_vertices.weight);
  if (area && (weight[0] >= 0.0) & (weight[1] >= 0.0) & (weight[2] >= 0.0)) return Vec3::Zero();

  // The side of the triangle beyond which the point lies, or the nearer of two; for corners on a line the nearest side.
  int first = 0, second = 1;
  double best = 0.0, least = 1e300;
  Vec3 found = q[0];
  for (int k = active_vertices.count == 3 ? 0 : 2; k < 3; ++k) {
    if (area && weight[k] >= 0.0) continue;
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const double s = nearest_on_segment(q[i], q[j]);
    const Vec3 point = q[i] + s * (q[j] - q[i]);
    const double squared = point.squaredNorm();
    if (squared < least) first = i, second = j, best = s, least = squared, found = point;
  }
  const bool at_foot = least <= fine * fine;
  if (!at_foot || !area) {
    keep(active_vertices, first, second, best, at_foot);
    return found;
  }
  weight[3 - first - second] = 0.0;
  weight[first] = 1.0 - best, weight[second] = best;
  return Vec3::Zero();
}

// The features of A and B whose normal a direction is.
struct Sharp {
  enum Of { unknown, face_A, face_B, edges };  // edges: and of no face

  Of of = unknown;
  int face = -1;
};

inline bool distinct(int i, int j, int k) noexcept { return (i != j) & (j != k) & (k != i); }
inline bool same(int i, int j, int k) noexcept { return (i == j) & (j == k); }

// A face around corner v whose normal is n to rounding; -1 if there is none.
inline int face_at(const Shape& shape, int v, const Vec3& n) noexcept {
  if (!shape.surface) return -1;
  const int face = face_along(*shape.surface, v, n);
  return face >= 0 && (shape.surface->faces[face].n - n).squaredNorm() < 1e-12 ? face : -1;
}

// Whether n differs clearly from the normals of the two faces that meet between the corners v and w.
inline bool is_between_faces(const Solid& solid, int v, int w, const Vec3& n) noexcept {
  if (!solid.shape.surface) return true;
  const Corners& c = solid.corners;
  for (int k = c.first[v]; k < c.first[v + 1]; ++k) {
    const Edge& edge = c.edges[c.incident_edges[k].edge];
    if (c.incident_edges[k].to != w || edge.f1 < 0) continue;
    const std::vector<Face>& faces = solid.shape.surface->faces;
    return (faces[edge.f0].n - n).squaredNorm() > 1e-16 && (faces[edge.f1].n - n).squaredNorm() > 1e-16;
  }
  return false;
}

// Sets n, which is near the normal of three active vertices, to the exact normal of the faces or edges they belong to.
inline Sharp sharpen(const MinkowskiDifference& D, const ActiveVertices& active_vertices, Vec3& n) noexcept {
  const ActiveVertex &p = active_vertices.active_vertex[0], &q = active_vertices.active_vertex[1],
                     &r = active_vertices.active_vertex[2];
  if (distinct(p.a, q.a, r.a)) {
    const int face = face_at(D.A.shape, p.a, n);
    if (face >= 0) {
      n = D.A.shape.surface->faces[face].n;
      return {Sharp::face_A, face};
    }
  }
  const Vec3 n_B = D.against_B(n);
  if (distinct(p.b, q.b, r.b)) {
    const int face = face_at(D.B.shape, p.b, n_B);
    if (face >= 0) {
      n = -(D.R_AB * D.B.shape.surface->faces[face].n);
      return {Sharp::face_B, face};
    }
  }

  Vec3 along = q.w - p.w, beside = r.w - p.w;
  Sharp sharp;
  if (!(distinct(p.a, q.a, r.a) | distinct(p.b, q.b, r.b) | same(p.a, q.a, r.a) | same(p.b, q.b, r.b))) {
    const int a = p.a == q.a ? r.a : q.a, b = p.b == q.b ? r.b : q.b;
    along = D.A.corners.x[a] - D.A.corners.x[p.a];
    beside = D.R_AB * (D.B.corners.x[b] - D.B.corners.x[p.b]);
    if (is_between_faces(D.A, p.a, a, n) && is_between_faces(D.B, p.b, b, n_B)) sharp.of = Sharp::edges;
  }
  const Vec3 across = along.cross(beside);
  const double length = across.norm();
  if (length > 0.0) n = across / std::copysign(length, across.dot(n));
  return sharp;
}

}  // namespace contactlib::geometry

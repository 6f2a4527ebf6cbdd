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

// Moves the point to the place of the active vertices' hull nearest to `foot`, in the plane across n. Returns its
// distance from the foot. Drops the active vertices that this place does not need, unless it is the foot to `fine`.
Vec3 nearest(ActiveVertices& active_vertices, const Vec3& n, const Vec3& foot, double fine) noexcept;

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

// The features of A and B whose normal a direction is.
struct Sharp {
  enum Of { unknown, face_A, face_B, edges };  // edges: and of no face

  Of of = unknown;
  int face = -1;
};

// Sets n, which is near the normal of three active vertices, to the exact normal of the faces or edges they belong to.
Sharp sharpen(const MinkowskiDifference& D, const ActiveVertices& active_vertices, Vec3& n) noexcept;

}  // namespace contactlib::geometry

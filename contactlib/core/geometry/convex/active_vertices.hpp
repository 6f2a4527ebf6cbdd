// corners of the difference that are equally far along a direction.
#pragma once

#include "support.hpp"

namespace contactlib {

// a corner of the difference's polytope: corner a of A minus corner b of B.
struct ActiveVertex {
  Vec3 w;
  int a, b;
};

// and a point between them.
struct ActiveVertices {
  int count = 0;
  ActiveVertex active_vertex[3];
  double weight[3] = {0.0, 0.0, 0.0};
};

// moves the point between the ties to the one nearest to `foot`, in the plane across n; how far from the foot it is.
// ties that it does not need go, unless it is the foot, to `fine`.
Vec3 nearest(ActiveVertices& active_vertices, const Vec3& n, const Vec3& foot, double fine) noexcept;

// where 0 lies in the triangle: how its corners weigh. false if they are on a line.
inline bool divide(const Vec3 (&q)[3], const Vec3& n, double (&weight)[3]) noexcept {
  const Vec3 along = q[1] - q[0], beside = q[2] - q[0];
  const double area = n.dot(along.cross(beside));
  if (!(area * area > 1e-30 * along.squaredNorm() * beside.squaredNorm())) return false;
  weight[1] = n.dot(q[2].cross(q[0])) / area;
  weight[2] = n.dot(q[0].cross(q[1])) / area;
  weight[0] = 1.0 - weight[1] - weight[2];
  return true;
}

// moves it to the foot, which may lie beyond them. false if the three are on a line.
inline bool reach(ActiveVertices& active_vertices, const Vec3& n, const Vec3& foot) noexcept {
  const Vec3 q[3] = {active_vertices.active_vertex[0].w - foot, active_vertices.active_vertex[1].w - foot,
                     active_vertices.active_vertex[2].w - foot};
  return divide(q, n, active_vertices.weight);
}

// what a direction is the normal of.
struct Sharp {
  enum Of { unknown, face_A, face_B, edges };  // edges: and of no face

  Of of = unknown;
  int face = -1;
};

// makes n, near the normal of three ties, that of the faces or edges they belong to.
Sharp sharpen(const MinkowskiDifference& D, const ActiveVertices& active_vertices, Vec3& n) noexcept;

}  // namespace contactlib

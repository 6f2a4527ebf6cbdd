// Ray queries: the first point of a shape on a ray.
#pragma once

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// The hit of a ray on a shape. `n` is the outward unit normal there; `feature`:
//   box, socket  face 2 k + s across axis k, s = 0 on its - side; socket also wall 6, cap of the hole 7
//   capsule, cylinder  end -z 0, end +z 1, side 2 | triangle  side its corners turn left on 0, other side 1
//   polyhedron, mesh  the face | all others  0
struct RayHit {
  bool hit = false;
  double distance = 0.0;  // m, along the ray
  Vec3 n = Vec3::Zero();
  std::int32_t feature = -1;
};

// The first point at which the ray from p_S along the unit vector d_S, in the shape's axes, enters the shape, if it is
// no further than `longest`. A ray that starts in a solid, or on its surface, hits it at distance 0; inside, n = -d_S
// and the feature is -1. A triangle is hit from both sides. An open mesh has no inside: it is hit only from the front
// of a triangle. Points and segments are never hit, and a ray that is not finite hits nothing.
RayHit cast_ray(const Shape& shape, const Vec3& p_S, const Vec3& d_S, double longest) noexcept;

}  // namespace contactlib::geometry

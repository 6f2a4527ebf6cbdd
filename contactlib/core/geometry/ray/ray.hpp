// rays as queries: where a ray first meets a shape.
#pragma once

#include "geometry/surface/surface.hpp"

namespace contactlib {

// where a ray meets a shape. `n` is the unit normal there, out of the solid; `feature`:
//   box, socket  face 2 k + s across axis k, s = 0 on its - side; socket also wall 6, cap of the hole 7
//   capsule, cylinder  end -z 0, end +z 1, side 2 | triangle  side its corners turn left on 0, other side 1
//   polyhedron, mesh  the face | all others  0
struct RayHit {
  bool hit = false;
  double distance = 0.0;  // m, along the ray
  Vec3 n = Vec3::Zero();
  std::int32_t feature = -1;
};

// the first point at which the ray from p_S along the unit vector d_S, in the shape's axes, enters the shape, if that
// is no further than `longest`. a ray that starts in a solid, or on its surface, hits it there: distance 0, and inside
// n = -d_S, feature -1. a triangle is met from both sides. an open mesh has no inside: it is hit only where the ray
// comes from in front of a triangle. points and segments are never hit, and nothing by a ray that is not finite.
RayHit cast_ray(const Shape& shape, const Vec3& p_S, const Vec3& d_S, double longest) noexcept;

}  // namespace contactlib

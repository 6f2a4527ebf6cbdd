// A watertight ray-triangle test: no ray passes between two neighbours.
#pragma once

#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// The crossing of a ray and a triangle. turn < 0: from the side on which the corners run counter-clockwise, > 0: from
// behind, 0: no crossing.
struct RayCrossing {
  int turn = 0;
  double t = 0.0;
};

// Ray coordinates: x and y across an axis of the shape, sheared so that the ray is x = y = 0, and t along the ray. A
// corner has the same coordinates in all its triangles, so that neighbours agree on which side of their edge the ray
// passes.
class Shear {
 public:
  Shear(const Vec3& p, const Vec3& d) noexcept : p_(p) {
    d.cwiseAbs().maxCoeff(&z_);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    sx_ = d[x_] / d[z_];
    sy_ = d[y_] / d[z_];
    sz_ = 1.0 / d[z_];
  }

  RayCrossing crossing(const Vec3& a, const Vec3& b, const Vec3& c) const noexcept;

 private:
  struct Corner {
    double x, y, t;
  };
  Corner corner(const Vec3& v) const noexcept;

  Vec3 p_;
  int x_ = 0, y_ = 0, z_ = 0;
  double sx_, sy_, sz_;
};

struct MeshCrossing {
  bool inside = false;  // a closed mesh, and the ray starts inside
  double t = 0.0;
  std::int32_t face = -1;  // the first one that is passed from in front, no further than `longest`
};

MeshCrossing cross_mesh(const Surface& surface, const Vec3& p, const Vec3& d, double longest) noexcept;

}  // namespace contactlib::geometry

// the distance between a circle and a line or a point: exact, and by the search of the RWTH paper.
#pragma once

#include "../contact.hpp"

namespace contactlib {

// points of the circle of radius R about the origin in the plane z = 0.
struct RimMinima {
  int count = 0;
  Vec3 E[2] = {Vec3::Zero(), Vec3::Zero()};  // m; every local minimum of the distance, the global one first
};

// circle against the line through Q along the unit vector d.
RimMinima rim_line_exact(double R, const Vec3& Q, const Vec3& d) noexcept;

// circle against the point P. on the axis every rim point is nearest; the one at +x is returned.
Vec3 rim_point_exact(double R, const Vec3& P) noexcept;

// eight rim points, the best one and its neighbours span the next interval, `levels` times. `ends`: the eight points
// include the interval's ends. d = 0 searches against the point Q.
Vec3 rim_subdivision(double R, const Vec3& Q, const Vec3& d, int levels, bool ends) noexcept;

}  // namespace contactlib

// The point of a hole's wall and cap nearest to a convex solid in the hole.
#pragma once

#include "geometry/socket/solid.hpp"
#include "mesh_distance.hpp"

namespace contactlib::geometry {

// Evaluates the extreme points of the solid below the mouth: corners, points of a cylinder's two edges, or the surface
// of an ellipsoid.
class HolePoints {
 public:
  HolePoints(const Solid& solid, const Axes& A_to_B, const SocketSolid& socket) noexcept
      : solid_(solid), A_to_B_(A_to_B), socket_(socket) {}

  // Replaces `out`, in B's axes, if wall or cap is nearer than out.distance. Returns whether it was replaced.
  bool find(NearestPoints& out) const noexcept;

 private:
  double distance(const Vec3& x) const noexcept;
  bool offer(const Vec3& x, NearestPoints& out) const noexcept;
  bool evaluate_edge(const Vec3& middle, double r, NearestPoints& out) const noexcept;
  bool evaluate_ellipsoid(NearestPoints& out) const noexcept;
  Vec3 climb(Vec3 x) const noexcept;

  const Solid& solid_;
  const Axes& A_to_B_;
  const SocketSolid& socket_;
};

}  // namespace contactlib::geometry

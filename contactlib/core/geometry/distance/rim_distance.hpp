// The point of a hole's rim nearest to a convex solid.
#pragma once

#include "mesh_distance.hpp"

namespace contactlib::geometry {

// The rim: the circle of radius R about B's origin, across z.
class RimDistance {
 public:
  RimDistance(const SolidSource& piece, const Axes& A_to_B, double R) noexcept;

  // Replaces `out`, in B's axes, if the rim is nearer than out.distance. Its distance is 0 if the solid overlaps the
  // rim. Returns whether it was replaced.
  bool find(NearestPoints& out) const noexcept;

 private:
  // A rim point at an angle, the solid's distance from it, and the distance's derivative by the angle.
  struct At {
    double angle, distance, slope;  // rad, m, m
    NearestPoints points;           // in B's axes
  };
  struct Search;

  double bound(const Solid& solid) const noexcept;
  At at(double angle) const noexcept;
  void refine(const At& low, const At& high, int depth, Search& search) const noexcept;
  void descend(const At& low, const At& high, Search& search) const noexcept;

  const SolidSource& piece_;
  const Axes& A_to_B_;
  double R_;
  Shape spot_;
};

}  // namespace contactlib::geometry

// The nearest points of the cores of two separated convex solids (swept_radius).
#pragma once

#include "descent.hpp"
#include "geometry/surface/boxes.hpp"

namespace contactlib::geometry {

// In the axes of one of the two shapes, about its origin.
struct NearestPoints {
  double distance;  // m, > 0
  Vec3 n;           // unit, from A to B
  Vec3 P, Q;        // m, of A and of B: Q = P + distance n
};

enum class Nearness { apart, beyond, overlap };  // beyond: further apart than asked for

// Writes `out`, in A's axes, if the two are apart and not further than `longest`.
Nearness convex_distance(const MinkowskiDifference& D, double longest, NearestPoints& out) noexcept;

// From the cores of swept solids to their surfaces. Returns false if nothing is left of the distance.
inline bool subtract_radii(double r_A, double r_B, NearestPoints& out) noexcept {
  out.distance -= r_A + r_B;
  out.P += r_A * out.n;
  out.Q -= r_B * out.n;
  return out.distance > 0.0;
}

// In other axes.
inline NearestPoints transformed(const Axes& to, const NearestPoints& points) noexcept {
  return {points.distance, to.R * points.n, to(points.P), to(points.Q)};
}

// From B to A.
inline NearestPoints exchanged(const NearestPoints& points) noexcept {
  return {points.distance, -points.n, points.Q, points.P};
}

}  // namespace contactlib::geometry

// Intersection of two triangles.
#pragma once

#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

struct Triangle {
  Vec3 v[3];  // m, counter-clockwise as seen from outside
  Vec3 n;     // unit, outward
};

// The common segment of two triangles runs from p to q along n_b x n_a: on b, the part inside a lies to its left.
struct TriangleCrossing {
  Vec3 p, q;
  bool proper;  // false: contact within the tolerance only; p and q are not set
};

// Returns false if the triangles are further apart than `tol`.
bool crosses(const Triangle& b, const Triangle& a, double tol, TriangleCrossing& out) noexcept;

}  // namespace contactlib::geometry

// where two triangles cross.
#pragma once

#include "geometry/surface/surface.hpp"

namespace contactlib {

struct Triangle {
  Vec3 v[3];  // m, counter-clockwise as seen from outside
  Vec3 n;     // unit, outward
};

// the segment in which two triangles cross runs from p to q along n_b x n_a: what is inside a lies to the left of it on
// b.
struct Crossing {
  Vec3 p, q;
  bool proper;  // false: they only touch, within the tolerance; p and q are not set
};

// false if the triangles are further apart than `tol`.
bool crosses(const Triangle& b, const Triangle& a, double tol, Crossing& out) noexcept;

}  // namespace contactlib

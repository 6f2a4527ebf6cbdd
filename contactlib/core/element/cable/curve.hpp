// The cubic of one element.
#pragma once

#include "base/vectors.hpp"

namespace contactlib::element {

// r = c0 + c1 xi + c2 xi^2 + c3 xi^3
struct CableCurve {
  Vec3 c0, c1, c2, c3;

  CableCurve() = default;
  // q: of the element's first node; its second node follows.
  CableCurve(const double* q, double length) noexcept {
    const Eigen::Map<const Vec3> r0(q), t0(q + 3), r1(q + 6), t1(q + 9);
    const Vec3 chord = r1 - r0;
    c0 = r0;
    c1 = length * t0;
    c2 = 3.0 * chord - length * (2.0 * t0 + t1);
    c3 = length * (t0 + t1) - 2.0 * chord;
  }

  Vec3 at(double xi) const noexcept { return c0 + xi * (c1 + xi * (c2 + xi * c3)); }
  Vec3 slope(double xi) const noexcept { return c1 + xi * (2.0 * c2 + (3.0 * xi) * c3); }  // dr/dxi
  Vec3 bend(double xi) const noexcept { return 2.0 * c2 + (6.0 * xi) * c3; }               // d2r/dxi2
};

}  // namespace contactlib::element

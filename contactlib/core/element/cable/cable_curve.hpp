// the cubic of one element, and its parts.
#pragma once

#include <algorithm>
#include <cmath>

#include "cable_skin.hpp"

namespace contactlib {

// r = c0 + c1 xi + c2 xi^2 + c3 xi^3
struct CableCurve {
  Vec3 c0, c1, c2, c3;

  // q: of the element's first node; its second follows.
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

// the part [from, to] of a curve as a capsule's axis.
struct CablePart {
  const CableCurve* curve;
  double from, to;
  Vec3 middle, half;  // m, of the chord: middle -+ half are its ends
  double sag;         // m, the curve is no further from the same part of its chord: max |r''| dxi^2/8, r'' is linear
  double length;      // m, along the unloaded cable

  CablePart() = default;
  CablePart(const CableCurve& of, double from, double to, double element_length) noexcept
      : curve(&of), from(from), to(to), length((to - from) * element_length) {
    const Vec3 a = of.at(from), b = of.at(to);
    middle = 0.5 * (a + b);
    half = 0.5 * (b - a);
    const double d = to - from;
    sag = 0.125 * d * d * std::sqrt(std::max(of.bend(from).squaredNorm(), of.bend(to).squaredNorm()));
  }

  // where along the curve a place on the chord is, s from -1 to 1.
  double xi(double s) const noexcept { return from + 0.5 * (1.0 + std::clamp(s, -1.0, 1.0)) * (to - from); }
};

inline CablePlace place_on_cable(std::size_t cable, std::size_t element, double length, double xi) noexcept {
  const double xi2 = xi * xi, xi3 = xi2 * xi;
  return {static_cast<std::int32_t>(cable),
          static_cast<std::int32_t>(element),
          xi,
          {1.0 - 3.0 * xi2 + 2.0 * xi3, length * (xi - 2.0 * xi2 + xi3), 3.0 * xi2 - 2.0 * xi3, length * (xi3 - xi2)}};
}

}  // namespace contactlib

// Symmetric matrices of 2 by 2, as (xx, xy, yy).
#pragma once

#include <cmath>

#include "math/elementary.hpp"

namespace contactlib::geometry {

// A matrix by its eigenvalues l[0] >= l[1] and the eigenvector (c, s) of l[0].
struct Eigen2 {
  double l[2], c, s;
};

inline Eigen2 eigen_of(double xx, double xy, double yy) noexcept {
  const double half = 0.5 * (xx - yy), mean = 0.5 * (xx + yy), root = math::hypot(half, xy);
  if (!(root > 0.0)) return {{mean, mean}, 1.0, 0.0};
  // half of the double angle (half, xy)/root, without cancellation
  const double c2 = half / root, s2 = xy / root;
  const double c = std::sqrt(0.5 * (1.0 + std::abs(c2))), s = 0.5 * std::abs(s2) / c;
  const double high = mean + root;
  const double low = high > 0.0 ? (xx * yy - xy * xy) / high : mean - root;
  return c2 >= 0.0 ? Eigen2{{high, low}, c, std::copysign(s, s2)} : Eigen2{{high, low}, s, std::copysign(c, s2)};
}

// The matrix with the same eigenvectors and the eigenvalues l0, l1.
inline void compose(const Eigen2& e, double l0, double l1, double* out) noexcept {
  out[0] = l0 * e.c * e.c + l1 * e.s * e.s;
  out[1] = (l0 - l1) * e.c * e.s;
  out[2] = l0 * e.s * e.s + l1 * e.c * e.c;
}

// a b a for symmetric a, b
inline void sandwich(const double* a, const double* b, double* out) noexcept {
  const double xx = a[0] * b[0] + a[1] * b[1], xy = a[0] * b[1] + a[1] * b[2];
  const double yx = a[1] * b[0] + a[2] * b[1], yy = a[1] * b[1] + a[2] * b[2];
  out[0] = xx * a[0] + xy * a[1];
  out[1] = xx * a[1] + xy * a[2];
  out[2] = yx * a[1] + yy * a[2];
}

// a x
inline void times(const double* a, const double* x, double* out) noexcept {
  const double y = a[1] * x[0] + a[2] * x[1];
  out[0] = a[0] * x[0] + a[1] * x[1];
  out[1] = y;
}

}  // namespace contactlib::geometry

// Unit quaternions, scalar first.
#pragma once

#include "base/vectors.hpp"
#include "math/elementary.hpp"

namespace contactlib::math {

inline Mat3 matrix(const Quat& q) noexcept {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  Mat3 R;
  // clang-format off
  R << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y);
  // clang-format on
  return R;
}

inline Quat product(const Quat& a, const Quat& b) noexcept {
  // clang-format off
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  // clang-format on
}

// q rotated by the rotation vector phi, given in world axes: exp(phi/2) q, normalised.
inline Quat turned(const Quat& q, const Vec3& phi_W) noexcept {
  const double angle = phi_W.norm();
  const SinCos half = sin_cos(0.5 * angle);
  const double scale = angle > 1e-8 ? half.sin / angle : 0.5 - angle * angle / 48.0;
  Quat turn(half.cos, scale * phi_W[0], scale * phi_W[1], scale * phi_W[2]);
  return product(turn, q).normalized();
}

// The smallest rotation that takes the unit vector a to the unit vector b (not opposite to it). Of a vector v:
//   v' = v + (a x b) x v + (a x b) x ((a x b) x v) / (1 + a.b)
struct SmallestRotation {
  Vec3 axis;
  double denominator;

  SmallestRotation(const Vec3& a, const Vec3& b) noexcept : axis(a.cross(b)), denominator(1.0 + a.dot(b)) {}
  Vec3 operator*(const Vec3& v) const noexcept {
    const Vec3 once = axis.cross(v);
    return v + once + axis.cross(once) / denominator;
  }
};

}  // namespace contactlib::math

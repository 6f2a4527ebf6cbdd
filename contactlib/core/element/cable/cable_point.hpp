// what the strains at Gauss points are made of, of two elements side by side: one in each lane.
#pragma once

#include <algorithm>
#include <cmath>

#include "cable.hpp"

namespace contactlib {

inline constexpr int lanes = 2;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

inline Lanes all(double x) noexcept { return Lanes{} + x; }

inline Lanes root(Lanes x) noexcept {
  for (int k = 0; k < lanes; ++k) x[k] = std::sqrt(x[k]);
  return x;
}

inline Lanes positive(Lanes x) noexcept {
  for (int k = 0; k < lanes; ++k) x[k] = std::max(x[k], 0.0);
  return x;
}

struct Lanes3 {
  Lanes x, y, z;
};
inline Lanes3 operator*(Lanes s, const Lanes3& a) noexcept { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes3 operator+(const Lanes3& a, const Lanes3& b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(const Lanes3& a, const Lanes3& b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes dot(const Lanes3& a, const Lanes3& b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }

// what an element bends and stretches by: its chord over its length and both slopes, so that
//   r' = f0 (r1 - r0)/l + f1 t0 + f2 t1,   l r'' = s0 (r1 - r0)/l + s1 t0 + s2 t1.
inline constexpr int shapes = 3;
struct CableShape {
  Lanes3 u[shapes];
};

// the shape functions of r' and l r'' at one Gauss point.
struct CablePoint {
  double weight = 0.0;
  double f[shapes] = {}, s[shapes] = {};
};
struct CablePoints {
  int count;
  CablePoint point[5];
};
const CablePoints& axial_points(CableQuadrature quadrature) noexcept;
const CablePoints& bending_points(CableQuadrature quadrature) noexcept;

inline Lanes3 combine(const double (&factor)[shapes], const CableShape& shape) noexcept {
  return all(factor[0]) * shape.u[0] + all(factor[1]) * shape.u[1] + all(factor[2]) * shape.u[2];
}

// stretching at a point: strain, and its derivative by r'.
template <StrainMeasure measure>
struct AxialStrain {
  Lanes n, length, strain;  // n = r'.r', and its root where it is needed
  Lanes3 g;

  AxialStrain(const CablePoint& point, const CableShape& shape) noexcept {
    const Lanes3 r1 = combine(point.f, shape);
    n = dot(r1, r1);
    if constexpr (measure == StrainMeasure::green) {
      length = all(1.0);
      strain = 0.5 * (n - 1.0);
      g = r1;
    } else {
      length = root(n);
      strain = length - 1.0;
      g = (1.0 / length) * r1;
    }
  }
};

// bending at a point. with b the part of r'' across r' and B = b.b, |k|^2 = n B/n^p.
template <StrainMeasure measure>
struct BendingStrain {
  static constexpr double p = measure == StrainMeasure::green ? 3.0 : 2.0;

  Lanes3 r1, b;
  Lanes n, mu, B, scale;  // mu = r'.r''/n, scale = 1/n^p

  BendingStrain(const CablePoint& point, const CableShape& shape, Lanes inverse_length) noexcept {
    r1 = combine(point.f, shape);
    const Lanes3 r2 = inverse_length * combine(point.s, shape);
    n = dot(r1, r1);
    const Lanes inverse = 1.0 / n;
    mu = inverse * dot(r1, r2);
    b = r2 - mu * r1;
    B = dot(b, b);
    scale = measure == StrainMeasure::green ? inverse * inverse * inverse : inverse * inverse;
  }

  Lanes curvature() const noexcept { return root(n * B * scale); }
};

}  // namespace contactlib

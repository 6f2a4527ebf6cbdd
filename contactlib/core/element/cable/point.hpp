// The terms of the strains at Gauss points, of four elements side by side: one in each lane.
#pragma once

#include <algorithm>
#include <cmath>

#include "cable.hpp"
#include "solve/fours.hpp"

namespace contactlib::element {

using math::dot, math::root;

using Lanes = math::FourLanes;
using Lanes3 = math::Lanes3<Lanes>;
inline constexpr int cable_lanes = math::lanes<Lanes>;

inline Lanes all(double x) noexcept { return Lanes{x, x, x, x}; }

inline Lanes positive(const Lanes& x) noexcept { return x < Lanes{} ? Lanes{} : x; }

// Elements side by side, from element e on; the last one again in lanes without an element.
struct CableGroup {
  std::size_t at[cable_lanes];
  int count;  // of elements

  CableGroup(const CableDesign& design, std::size_t e) noexcept
      : count(static_cast<int>(std::min<std::size_t>(cable_lanes, design.elements.size() - e))) {
    for (int k = 0; k < cable_lanes; ++k) at[k] = e + static_cast<std::size_t>(std::min(k, count - 1));
  }
};

// Both nodes of each element: positions and slopes, or their rates.
struct CableNodes {
  Lanes3 r0, t0, r1, t1;

  CableNodes(const double* of, const CableGroup& group) noexcept {
    Lanes3* const parts[] = {&r0, &t0, &r1, &t1};
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < cable_lanes; ++k) {
        const double* const from = of + BlockCholesky::size * group.at[k] + 3 * i;
        parts[i]->x[k] = from[0];
        parts[i]->y[k] = from[1];
        parts[i]->z[k] = from[2];
      }
  }
};

// Bending and stretching of an element depend on its chord over its length and both slopes:
//   r' = f0 (r1 - r0)/l + f1 t0 + f2 t1,   l r'' = s0 (r1 - r0)/l + s1 t0 + s2 t1.
inline constexpr int shapes = 3;
struct CableShape {
  Lanes3 u[shapes];
};

// The shape functions of r' and l r'' at one Gauss point, and their products.
struct CablePoint {
  double weight = 0.0;
  double f[shapes] = {}, s[shapes] = {};
  double ff[shapes][shapes] = {}, ss[shapes][shapes] = {}, sf[shapes][shapes] = {};
};
struct CablePoints {
  int count;
  CablePoint point[5];
};
// Of r = S1 r0 + S2 t0 + S3 r1 + S4 t1, differentiated once and twice by x = l xi.
constexpr CablePoint cable_point(double xi, double weight) {
  CablePoint out = {weight,
                    {6.0 * xi * (1.0 - xi), (1.0 - xi) * (1.0 - 3.0 * xi), xi * (3.0 * xi - 2.0)},
                    {6.0 - 12.0 * xi, 6.0 * xi - 4.0, 6.0 * xi - 2.0}};
  for (int i = 0; i < shapes; ++i)
    for (int j = 0; j < shapes; ++j) {
      out.ff[i][j] = out.f[i] * out.f[j];
      out.ss[i][j] = out.s[i] * out.s[j];
      out.sf[i][j] = out.s[i] * out.f[j];
    }
  return out;
}

// A Gauss point at offset x of [-1, 1].
constexpr CablePoint gauss_point(double x, double weight) { return cable_point(0.5 * (1.0 + x), 0.5 * weight); }

inline constexpr double gauss_2 = 0.57735026918962576451;  // 1/sqrt(3)
inline constexpr double gauss_3 = 0.77459666924148337704;  // sqrt(3/5)
// sqrt(5 -+ 2 sqrt(10/7))/3 and (322 +- 13 sqrt(70))/900
inline constexpr double gauss_5a = 0.53846931010568309104, weight_5a = 0.47862867049936646804;
inline constexpr double gauss_5b = 0.90617984593866399280, weight_5b = 0.23692688505618908751;

inline constexpr CablePoints two_points = {2, {gauss_point(-gauss_2, 1.0), gauss_point(gauss_2, 1.0)}};
inline constexpr CablePoints three_points = {
    3, {gauss_point(-gauss_3, 5.0 / 9.0), gauss_point(0.0, 8.0 / 9.0), gauss_point(gauss_3, 5.0 / 9.0)}};
inline constexpr CablePoints five_points = {
    5,
    {gauss_point(-gauss_5b, weight_5b), gauss_point(-gauss_5a, weight_5a), gauss_point(0.0, 128.0 / 225.0),
     gauss_point(gauss_5a, weight_5a), gauss_point(gauss_5b, weight_5b)}};

inline const CablePoints& axial_points(CableQuadrature quadrature) noexcept {
  return quadrature == CableQuadrature::full ? five_points : three_points;
}

inline const CablePoints& bending_points(CableQuadrature quadrature) noexcept {
  return quadrature == CableQuadrature::full ? three_points : two_points;
}

inline Lanes3 combine(const double (&factor)[shapes], const CableShape& shape) noexcept {
  return all(factor[0]) * shape.u[0] + all(factor[1]) * shape.u[1] + all(factor[2]) * shape.u[2];
}

// Stretching at a point: strain, and its derivative by r'.
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

// Bending at a point. With b the part of r'' across r' and B = b.b, |k|^2 = n B/n^p.
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

}  // namespace contactlib::element

#include "cable_point.hpp"

namespace contactlib {

namespace {

// of r = S1 r0 + S2 t0 + S3 r1 + S4 t1, derived once and twice by x = l xi.
constexpr CablePoint point_at(double xi, double weight) {
  return {weight,
          {6.0 * xi * (1.0 - xi), (1.0 - xi) * (1.0 - 3.0 * xi), xi * (3.0 * xi - 2.0)},
          {6.0 - 12.0 * xi, 6.0 * xi - 4.0, 6.0 * xi - 2.0}};
}

// a Gauss point at offset x of [-1, 1].
constexpr CablePoint gauss(double x, double weight) { return point_at(0.5 * (1.0 + x), 0.5 * weight); }

constexpr double x2 = 0.57735026918962576451;  // 1/sqrt(3)
constexpr double x3 = 0.77459666924148337704;  // sqrt(3/5)
// sqrt(5 -+ 2 sqrt(10/7))/3 and (322 +- 13 sqrt(70))/900
constexpr double x5a = 0.53846931010568309104, w5a = 0.47862867049936646804;
constexpr double x5b = 0.90617984593866399280, w5b = 0.23692688505618908751;

constexpr CablePoints two = {2, {gauss(-x2, 1.0), gauss(x2, 1.0)}};
constexpr CablePoints three = {3, {gauss(-x3, 5.0 / 9.0), gauss(0.0, 8.0 / 9.0), gauss(x3, 5.0 / 9.0)}};
constexpr CablePoints five = {
    5, {gauss(-x5b, w5b), gauss(-x5a, w5a), gauss(0.0, 128.0 / 225.0), gauss(x5a, w5a), gauss(x5b, w5b)}};

}  // namespace

const CablePoints& axial_points(CableQuadrature quadrature) noexcept {
  return quadrature == CableQuadrature::full ? five : three;
}

const CablePoints& bending_points(CableQuadrature quadrature) noexcept {
  return quadrature == CableQuadrature::full ? three : two;
}

}  // namespace contactlib

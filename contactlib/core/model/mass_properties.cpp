#include "mass_properties.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace contactlib::model {

namespace {

constexpr double rounding = 1e-9;  // of the largest principal moment; as in contactlib/shapes/mass.py

Mat3 inertia_matrix(const MassProperties& properties) noexcept {
  const Vec3 &d = properties.moments, &p = properties.products;
  Mat3 I;
  I << d[0], p[0], p[1], p[0], d[1], p[2], p[1], p[2], d[2];
  return I;
}

bool positive_definite(const Mat3& matrix) noexcept { return Eigen::LLT<Mat3>(matrix).info() == Eigen::Success; }

}  // namespace

bool operator==(const MassProperties& a, const MassProperties& b) noexcept {
  return a.mass == b.mass && a.p_BBcm == b.p_BBcm && a.moments == b.moments && a.products == b.products;
}

MassProperties mass_properties_of(const Body& body) noexcept {
  const Mat3& I = body.I_BBcm;
  return {body.mass, body.p_BBcm, I.diagonal(), {I(0, 1), I(0, 2), I(1, 2)}};
}

void set_mass_properties(Body& body, const MassProperties& properties) noexcept {
  body.mass = properties.mass;
  body.p_BBcm = properties.p_BBcm;
  body.I_BBcm = inertia_matrix(properties);
  body.I_BBcm_inverse = body.I_BBcm.inverse();
}

// With principal moments A <= B <= C: A + B >= C if no eigenvalue of (A + B + C)/2 - I is negative.
InertiaFault inertia_fault(const MassProperties& properties) noexcept {
  const Mat3 I = inertia_matrix(properties);
  if (!positive_definite(I) || !Mat3(I.inverse()).allFinite()) return InertiaFault::not_definite;
  const double half_sum = 0.5 * I.trace();
  const Mat3 second_moments = (1.0 + 0.5 * rounding) * half_sum * Mat3::Identity() - I;
  return positive_definite(second_moments) ? InertiaFault::none : InertiaFault::exceeds_sum;
}

}  // namespace contactlib::model

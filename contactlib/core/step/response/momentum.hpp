// Rigid bodies about their centres of mass, world axes.
#pragma once

#include "math/rotation.hpp"
#include "state/data.hpp"

namespace contactlib::step {

using math::matrix;
using model::Body, model::BodyState, model::Frame;
using state::Data, state::Wrench;

struct Momentum {
  Vec3 r_c_W, v_c_W;  // m, m/s, of the centre of mass
  Vec3 L_W;           // N m s, about the centre of mass

  Momentum(const Body& body, const BodyState& s) noexcept {
    const Mat3 R = matrix(s.q_WB);
    const Vec3 c_W = R * body.p_BBcm;
    r_c_W = s.r_WB + c_W;
    v_c_W = s.v_WB + s.w_WB.cross(c_W);
    L_W = R * (body.I_BBcm * (R.transpose() * s.w_WB));
  }
};

// The attitude half-way between two attitudes.
inline Mat3 middle_rotation(const Quat& q0, const Quat& q1) noexcept {
  return matrix((q0 + (q0.dot(q1) < 0.0 ? -1.0 : 1.0) * q1).normalized());
}

// Transforms a wrench of the boundary (axes: resolve_in; torque about the origin) to world axes, about the centre of
// mass.
inline Wrench about_centre_of_mass(const Data& data, const Body& body, const Wrench& given, const Mat3& R) noexcept {
  const bool in_world = data.globals().resolve_in == static_cast<double>(Frame::world);
  const Vec3 f_W = in_world ? given.force : Vec3(R * given.force);
  const Vec3 t_W = in_world ? given.torque : Vec3(R * given.torque);
  return {f_W, t_W - (R * body.p_BBcm).cross(f_W)};
}

}  // namespace contactlib::step

#include "verlet.hpp"

#include "impulses.hpp"
#include "math/rotation.hpp"

namespace contactlib::step {

using math::matrix, math::turned;
using model::Body;

namespace {

double* load_at(Data& data, std::size_t i) noexcept { return data.trial.loads.data() + 6 * i; }

void predict_body(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept {
  const Body& body = data.plant[i];
  BodyState& s = data.bodies()[i];
  const Mat3 R = matrix(s.q_WB);
  const Vec3 c_W = R * body.p_BBcm;
  const auto [force, torque] = load_on(model, data, motion, i, R, c_W);
  std::copy_n(force.data(), 3, load_at(data, i));
  std::copy_n(torque.data(), 3, load_at(data, i) + 3);
  const Vec3 v_c = s.v_WB + s.w_WB.cross(c_W), L_W = R * (body.I_BBcm * (R.transpose() * s.w_WB));
  const Mat3 R_half = matrix(turned(s.q_WB, 0.5 * h * s.w_WB));
  const Vec3 L_half_W = L_W + 0.5 * h * torque, L_end_W = L_W + h * torque;
  const Vec3 w_half_W = R_half * (body.I_BBcm_inverse * (R_half.transpose() * L_half_W));
  s.q_WB = turned(s.q_WB, h * w_half_W);
  const Mat3 R_new = matrix(s.q_WB);
  const Vec3 c_new_W = R_new * body.p_BBcm;
  s.w_WB = R_new * (body.I_BBcm_inverse * (R_new.transpose() * L_end_W));
  s.r_WB += h * (v_c + 0.5 * h / body.mass * force) + (c_W - c_new_W);
  s.v_WB = v_c + h / body.mass * force - s.w_WB.cross(c_new_W);
}

}  // namespace

void predict_motion(const Model& model, Data& data, const Substep& now) noexcept {
  const auto [motion, tau, h, sums] = now;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (integrates(model, motion, i))
      predict_body(model, data, motion, i, h);
    else if (under_load(model, motion, i))
      under_held_wrench(model, data, motion, i, h);
  }
  extrapolate(model, data, motion, tau + h);
}

void correct_motion(const Model& model, Data& data, const Substep& now) noexcept {
  const auto [motion, tau, h, sums] = now;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!integrates(model, motion, i)) continue;
    BodyState& s = data.bodies()[i];
    const Mat3 R = matrix(s.q_WB);
    const Load load = load_on(model, data, motion, i, R, R * data.plant[i].p_BBcm);
    const Vec3 force(load_at(data, i)), torque(load_at(data, i) + 3);
    change_momentum(data.plant[i], 0.5 * h * (load.force - force), 0.5 * h * (load.torque - torque), s);
  }
}

}  // namespace contactlib::step

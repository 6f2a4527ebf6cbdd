#include "motion.hpp"

#include <cmath>
#include <utility>

#include "element/elements.hpp"
#include "impulses.hpp"
#include "math/rotation.hpp"
#include "monitor/energy.hpp"
#include "response/response.hpp"

namespace contactlib::step {

using element::add_energy, element::extrapolate_commands;
using math::matrix, math::product, math::turned;
using model::Body, model::Frame, model::Integrator, model::Motion;
using monitor::add_work_at_node;
using state::Wrench;

namespace {

// The load input of a free body, extrapolated with its rate, in world axes.
Wrench given_load(Data& data, std::size_t i, const Mat3& R) noexcept {
  const Wrench &load = data.loads()[i], &rate = data.input_rates()[i];
  const Vec3 force = load.force + data.tau * rate.force, torque = load.torque + data.tau * rate.torque;
  if (data.globals().resolve_in != static_cast<double>(Frame::body)) return {force, torque};
  return {R * force, R * torque};
}

// The wrench that moves an interface body, world axes, about its origin.
Wrench driving_wrench(Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R) noexcept {
  if (motion == InterfaceMotion::present_wrench) return data.wrenches_W()[i];
  const Wrench& held = data.outputs()[i];
  if (data.globals().resolve_in == static_cast<double>(Frame::world)) return held;
  return {R * held.force, R * held.torque};
}

}  // namespace

Load load_on(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R,
             const Vec3& p_BBcm_W) noexcept {
  if (model.bodies[i].motion != Motion::free) {
    const Wrench &outside = data.interfaces()[i].outside, wrench = driving_wrench(data, motion, i, R);
    const Wrench about_c{wrench.force, wrench.torque - p_BBcm_W.cross(wrench.force)};
    const Wrench caused = response_to(model, data, i, R, about_c);
    return {caused.force + outside.force, caused.torque + outside.torque};
  }
  const Wrench& contact = data.wrenches_W()[i];
  const Wrench& applied = data.applied()[i];
  const Wrench& thrust = data.thrust()[i];
  const Wrench given = given_load(data, i, R);
  const Vec3 force = contact.force + (applied.force + R * thrust.force) + given.force;
  const Vec3 torque = contact.torque + (applied.torque + R * thrust.torque) + given.torque - p_BBcm_W.cross(force);
  return {force + data.plant[i].mass * model.options.gravity_W, torque};
}

namespace {

// Semi-implicit Euler with velocities of the centre of mass:
//   v += h f/m,   L = I w + h t,   r += h v,   q <- exp(h I^-1 L) q,   w = I(q)^-1 L
// The rotation does not change L, so angular momentum is conserved to rounding.
void semi_implicit_euler(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept {
  const Body& body = data.plant[i];
  BodyState& s = data.bodies()[i];
  const Mat3 R = matrix(s.q_WB);
  const Vec3 c_W = R * body.p_BBcm;
  const auto [v_c, L_W, w_W] = kick(model, data, motion, i, R, h);
  s.q_WB = turned(s.q_WB, h * w_W);
  const Mat3 R_new = matrix(s.q_WB);
  const Vec3 c_new_W = R_new * body.p_BBcm;
  s.w_WB = R_new * (body.I_BBcm_inverse * (R_new.transpose() * L_W));
  s.r_WB += h * v_c + (c_W - c_new_W);
  s.v_WB = v_c - s.w_WB.cross(c_new_W);
}

}  // namespace

// Motion under a wrench that is known before the step, exact if it is constant: r += h (v + v')/2.
void under_held_wrench(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept {
  const Body& body = data.plant[i];
  BodyState& s = data.bodies()[i];
  const Mat3 R = matrix(s.q_WB);
  const Vec3 c_W = R * body.p_BBcm;
  const Kick half = kick(model, data, motion, i, R, 0.5 * h), whole = kick(model, data, motion, i, R, h);
  s.q_WB = turned(s.q_WB, h * half.w_W);
  const Mat3 R_new = matrix(s.q_WB);
  const Vec3 c_new_W = R_new * body.p_BBcm;
  s.w_WB = R_new * (body.I_BBcm_inverse * (R_new.transpose() * whole.L_W));
  s.r_WB += h * half.v_c_W + (c_W - c_new_W);
  s.v_WB = whole.v_c_W - s.w_WB.cross(c_new_W);
}

bool under_load(const Model& model, InterfaceMotion motion, std::size_t i) noexcept {
  return model.bodies[i].motion == Motion::free || (motion != InterfaceMotion::twist && model.bodies[i].interface());
}

bool integrates(const Model& model, InterfaceMotion motion, std::size_t i) noexcept {
  if (motion == InterfaceMotion::held_wrench) return model.bodies[i].motion == Motion::free;
  return under_load(model, motion, i);
}

bool any_integrates(const Model& model, InterfaceMotion motion) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (integrates(model, motion, i)) return true;
  return false;
}

Kick kick(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, const Mat3& R, double h) noexcept {
  const Body& body = data.plant[i];
  const BodyState& s = data.bodies()[i];
  const Vec3 c_W = R * body.p_BBcm;
  const Load load = load_on(model, data, motion, i, R, c_W);
  const Vec3 L_W = R * (body.I_BBcm * (R.transpose() * s.w_WB)) + h * load.torque;
  return {s.v_WB + s.w_WB.cross(c_W) + h / body.mass * load.force, L_W,
          R * (body.I_BBcm_inverse * (R.transpose() * L_W))};
}

BodyState rate_of(const Model& model, Data& data, InterfaceMotion motion, std::size_t i) noexcept {
  const Body& body = data.plant[i];
  const BodyState& s = data.bodies()[i];
  const Mat3 R = matrix(s.q_WB);
  const Vec3 c_W = R * body.p_BBcm;
  const Load load = load_on(model, data, motion, i, R, c_W);
  const Vec3 w_B = R.transpose() * s.w_WB;
  const Vec3 t_B = R.transpose() * load.torque;
  const Vec3 wdot_W = R * (body.I_BBcm_inverse * (t_B - w_B.cross(body.I_BBcm * w_B)));
  BodyState d;
  d.r_WB = s.v_WB;
  d.q_WB = 0.5 * product(Quat(0.0, s.w_WB[0], s.w_WB[1], s.w_WB[2]), s.q_WB);
  // v_o = v_c - w x c
  d.v_WB = load.force / body.mass - wdot_W.cross(c_W) - s.w_WB.cross(s.w_WB.cross(c_W));
  d.w_WB = wdot_W;
  return d;
}

namespace {

void add_scaled(BodyState& s, double h, const BodyState& d) noexcept {
  s.r_WB += h * d.r_WB;
  s.q_WB += h * d.q_WB;
  s.v_WB += h * d.v_WB;
  s.w_WB += h * d.w_WB;
}

// y + h (k1 + 2 k2 + 2 k3 + k4)/6; the stages advance copies of the friction states only.
Status rk4(const Model& model, Data& data, const Substep& now, Evaluate evaluate_at) noexcept {
  const auto [motion, tau, h, sums] = now;
  constexpr double node[4] = {0.0, 0.5, 0.5, 1.0};
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const std::size_t bodies = model.bodies.size();
  BodyState* start = data.stage.data();
  BodyState* sum = start + bodies;
  for (std::size_t i = 0; i < bodies; ++i) start[i] = sum[i] = data.bodies()[i];
  for (int k = 0; k < 4; ++k) {
    if (k > 0) {
      extrapolate(model, data, motion, tau + node[k] * h);
      if (Status status = evaluate_at(model, data, motion, node[k] * h); !status) return status;
    }
    add_energy(model, data, h * weight[k], 0.0);
    add_work_at_node(model, data, h * weight[k]);
    add_impulses(model, data, h * weight[k], sums);
    add_free_work(model, data, h * weight[k], sums);
    for (std::size_t i = 0; i < bodies; ++i) {
      if (!under_load(model, motion, i)) continue;
      const BodyState slope = rate_of(model, data, motion, i);
      add_scaled(sum[i], h * weight[k], slope);
      if (k == 3) continue;
      BodyState& s = data.bodies()[i];
      s = start[i];
      add_scaled(s, h * node[k + 1], slope);
      s.q_WB.normalize();
    }
  }
  for (std::size_t i = 0; i < bodies; ++i) {
    if (!under_load(model, motion, i)) continue;
    data.bodies()[i] = sum[i];
    data.bodies()[i].q_WB.normalize();
  }
  return {};
}

}  // namespace

namespace {

// The inputs of an external body, moved along their twist for `tau`.
BodyState extrapolated(Data& data, std::size_t i, double tau) noexcept {
  const BodyState& in = data.inputs()[i];
  const Wrench& rates = data.input_rates()[i];
  const Quat q = in.q_WB.normalized();
  Vec3 w_W = in.w_WB, wdot_W = rates.torque;
  if (data.globals().resolve_in == static_cast<double>(Frame::body)) {
    const Mat3 R = matrix(q);
    w_W = R * w_W;
    wdot_W = R * wdot_W;
  }
  return {in.r_WB + tau * in.v_WB + 0.5 * tau * tau * rates.force,
          tau == 0.0 ? q : turned(q, tau * w_W + 0.5 * tau * tau * wdot_W), in.v_WB + tau * rates.force,
          w_W + tau * wdot_W};
}

bool is_extrapolated(const Model& model, InterfaceMotion motion, std::size_t i) noexcept {
  return model.bodies[i].motion == Motion::external && !under_load(model, motion, i);
}

}  // namespace

void extrapolate(const Model& model, Data& data, InterfaceMotion motion, double tau) noexcept {
  data.tau = tau;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (is_extrapolated(model, motion, i)) data.bodies()[i] = extrapolated(data, i, tau);
  extrapolate_commands(model, data, tau);
}

BodyState known_end(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept {
  if (is_extrapolated(model, motion, i)) return extrapolated(data, i, data.tau + h);
  const BodyState start = data.bodies()[i];
  BodyState end = start;
  if (under_load(model, motion, i)) {
    under_held_wrench(model, data, motion, i, h);
    std::swap(end, data.bodies()[i]);
  } else if (model.bodies[i].motion == Motion::driven) {
    end.r_WB += h * start.v_WB;
    end.q_WB = turned(start.q_WB, h * start.w_WB);
  }
  return end;
}

Status move_bodies(const Model& model, Data& data, const Substep& now, Evaluate evaluate_at) noexcept {
  const auto [motion, tau, h, sums] = now;
  if (model.options.integrator == Integrator::rk4) {
    if (Status status = rk4(model, data, now, evaluate_at); !status) return status;
  } else {
    add_impulses(model, data, h, sums);
    add_free_work(model, data, 0.5 * h, sums);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (integrates(model, motion, i))
        semi_implicit_euler(model, data, motion, i, h);
      else if (under_load(model, motion, i))
        under_held_wrench(model, data, motion, i, h);
    }
    add_free_work(model, data, 0.5 * h, sums);
  }
  extrapolate(model, data, motion, tau + h);
  return {};
}

}  // namespace contactlib::step

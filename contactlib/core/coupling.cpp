#include "coupling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "motion.hpp"
#include "rotation.hpp"

namespace contactlib {

namespace {

// a body about its centre of mass.
struct Momentum {
  Vec3 r_c_W, v_c_W, L_W;

  Momentum(const Body& body, const BodyState& s) noexcept {
    const Mat3 R = matrix(s.q_WB);
    const Vec3 c_W = R * body.p_BBcm;
    r_c_W = s.r_WB + c_W;
    v_c_W = s.v_WB + s.w_WB.cross(c_W);
    L_W = R * (body.I_BBcm * (R.transpose() * s.w_WB));
  }
};

// no load brings a body further in H than it changes the velocity: what is further off was put there. the wrench that
// was expected is let off, since masters round it off in ways of their own.
bool jumped(const Body& body, const Interface& interface, const Momentum& is, const Momentum& should, const Vec3& force,
            double H) noexcept {
  const double known = (force.norm() + interface.outside.force.norm()) / body.mass;
  const double reach = H * (2.0 * (is.v_c_W - should.v_c_W).norm() + H * known) + 1e-9 * (1.0 + is.r_c_W.norm());
  return (is.r_c_W - should.r_c_W).norm() > reach;
}

// an impulse, the angular one about the centre of mass.
void push(const Body& body, const Vec3& dP_W, const Vec3& dL_W, BodyState& s) noexcept {
  const Mat3 R = matrix(s.q_WB);
  const Vec3 dw_W = R * (body.I_BBcm_inverse * (R.transpose() * dL_W));
  s.w_WB += dw_W;
  s.v_WB += dP_W / body.mass - dw_W.cross(R * body.p_BBcm);
}

void add(const Model& model, Data& data, const Wrench* wrenches, double weight) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& wrench = wrenches[i];
    Wrench& sum = data.impulses[i];
    sum.force += weight * wrench.force;
    sum.torque += weight * wrench.torque;
    if (model.bodies[i].interface())
      sum.torque -= weight * (matrix(data.bodies()[i].q_WB) * model.bodies[i].p_BBcm).cross(wrench.force);
  }
}

}  // namespace

bool has_interfaces(const Model& model) noexcept {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.interface(); });
}

void meet_inputs(const Model& model, Data& data) noexcept {
  extrapolate(model, data, 0.0);
  const double H = data.globals().coupled_step;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    Interface& interface = data.interfaces()[i];
    const Momentum is(body, data.bodies()[i]), should(body, interface.expected);
    if (H == 0.0 || jumped(body, interface, is, should, data.outputs()[i].force, H)) {
      interface.outside = {Vec3::Zero(), Vec3::Zero()};
      continue;
    }
    interface.outside.force += body.mass / H * (is.v_c_W - should.v_c_W);
    interface.outside.torque += (is.L_W - should.L_W) / H;
  }
}

void expect(const Model& model, Data& data, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.interfaces()[i].expected = data.bodies()[i];
  data.globals().coupled_step = H;
}

Wrench driving_wrench(Data& data, std::size_t i, const Mat3& R) noexcept {
  if (data.course == Course::own) return data.wrenches_W()[i];
  const Wrench& given = data.outputs()[i];
  if (data.globals().resolve_in == static_cast<double>(Frame::world)) return given;
  return {R * given.force, R * given.torque};
}

void begin_impulses(Data& data) noexcept {
  data.sums = true;
  data.first_impulses.swap(data.impulses);
  for (std::size_t i = 0; i < data.impulses.size(); ++i) {
    data.impulses[i] = {Vec3::Zero(), Vec3::Zero()};
    data.q_start[i] = data.bodies()[i].q_WB;
  }
}

void add_impulses(const Model& model, Data& data, double weight) noexcept {
  if (data.sums) add(model, data, data.wrenches_W(), weight);
}

void shift(const Model& model, Data& data, double weight) noexcept {
  const Wrench* const wrenches = data.explicit_wrenches_W();
  add(model, data, wrenches, weight);
  if (data.course != Course::own) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    BodyState& s = data.bodies()[i];
    const Wrench &wrench = wrenches[i], &outside = data.interfaces()[i].outside;
    const Vec3 c_W = matrix(s.q_WB) * body.p_BBcm;
    push(body, weight * (wrench.force + outside.force),
         weight * (wrench.torque - c_W.cross(wrench.force) + outside.torque), s);
  }
}

void mean_of_impulses(const Model& model, Data& data, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Quat &q0 = data.q_start[i], &q1 = data.bodies()[i].q_WB;
    data.R_middle[i] = matrix((q0 + (q0.dot(q1) < 0.0 ? -1.0 : 1.0) * q1).normalized());
    Wrench& mean = data.mean[i];
    mean = {data.impulses[i].force / H, data.impulses[i].torque / H};
    if (model.bodies[i].interface()) mean.torque += (data.R_middle[i] * model.bodies[i].p_BBcm).cross(mean.force);
  }
}

void settle(const Model& model, Data& data, double H) noexcept {
  double first = 0.0, change = 0.0;  // as kinetic energies
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    const auto energy = [&](const Vec3& P, const Vec3& L_W) {
      const Vec3 L_B = data.R_middle[i].transpose() * L_W;
      return P.squaredNorm() / body.mass + L_B.dot(body.I_BBcm_inverse * L_B);
    };
    const Wrench &one = data.first_impulses[i], &two = data.impulses[i];
    first += energy(one.force, one.torque);
    change += energy(two.force - one.force, two.torque - one.torque);
  }
  if (!(change <= 0.25 * first)) {
    data.impulses.swap(data.first_impulses);
    mean_of_impulses(model, data, H);
    return;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench &one = data.first_impulses[i], &two = data.impulses[i];
    if (model.bodies[i].interface())
      push(model.bodies[i], two.force - one.force, two.torque - one.torque, data.bodies()[i]);
  }
  mean_of_impulses(model, data, H);
}

void go_from_here(Data& data) noexcept {
  std::memcpy(data.kept.data(), data.state.data(), data.used() * sizeof(double));
}

void go_back(Data& data) noexcept {
  Globals kept;
  std::memcpy(&kept, data.kept.data(), sizeof kept);
  const std::size_t used = data.memory_at + static_cast<std::size_t>(kept.memory_count) * data.memory_stride;
  std::memcpy(data.state.data(), data.kept.data(), used * sizeof(double));
}

}  // namespace contactlib

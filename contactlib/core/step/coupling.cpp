#include "coupling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "element/elements.hpp"
#include "energy_budget.hpp"
#include "math/rotation.hpp"
#include "momentum.hpp"
#include "motion.hpp"
#include "response.hpp"

namespace contactlib {

namespace {

// no load brings a body further in H than it changes the velocity: what is further off was put there. the wrench that
// was expected is let off, since masters round it off in ways of their own.
bool jumped(const Model& model, Data& data, std::size_t i, double H) noexcept {
  const Body& body = model.bodies[i];
  const Interface& interface = data.interfaces()[i];
  const Momentum is(body, data.bodies()[i]), should(body, interface.expected);
  const double wrench = factors_of(model, data, i).force * data.outputs()[i].force.norm();
  const double known = (wrench + interface.outside.force.norm()) / body.mass;
  const double reach = H * (2.0 * (is.v_c_W - should.v_c_W).norm() + H * known) + 1e-9 * (1.0 + is.r_c_W.norm());
  return (is.r_c_W - should.r_c_W).norm() > reach;
}

// a change of momentum, the angular one about the centre of mass, as the mass in the scene would feel it.
void push(const Body& body, const Vec3& dP_W, const Vec3& dL_W, BodyState& s) noexcept {
  const Mat3 R = matrix(s.q_WB);
  const Vec3 dw_W = R * (body.I_BBcm_inverse * (R.transpose() * dL_W));
  s.w_WB += dw_W;
  s.v_WB += dP_W / body.mass - dw_W.cross(R * body.p_BBcm);
}

void add(const Model& model, Data& data, const Wrench* wrenches, double weight) noexcept {
  weight *= data.weight;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& wrench = wrenches[i];
    Wrench& sum = data.impulses[i];
    sum.force += weight * wrench.force;
    sum.torque += weight * wrench.torque;
    if (model.bodies[i].interface())
      sum.torque -= weight * (matrix(data.bodies()[i].q_WB) * model.bodies[i].p_BBcm).cross(wrench.force);
  }
}

double energy_of_wrenches(const Model& model, Data& data, double H) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    const Mat3 R = matrix(data.bodies()[i].q_WB);
    const auto& [f_W, t_W] = data.wrenches_W()[i];
    sum += energy_of_impulse(model, data, i, R, {H * f_W, H * (t_W - (R * body.p_BBcm).cross(f_W))});
  }
  return sum;
}

double energy_of_impulses(const Model& model, Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].interface()) sum += energy_of_impulse(model, data, i, data.R_middle[i], data.impulses[i]);
  return sum;
}

double lost(const Model& model, const Data& data) noexcept {
  double sum = data.globals().work - data.globals().energy_stored;  // what this path took, with its own errors
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).dissipated;
  return sum;
}

// the impulses that take a body from one place to another in a second.
Wrench way(const Model& model, Data& data, std::size_t i, const BodyState& from, const BodyState& to) noexcept {
  const Body& body = model.bodies[i];
  const Factors factors = factors_of(model, data, i);
  const Mat3 R = matrix(from.q_WB);
  const Vec3 d_W = to.r_WB - from.r_WB + (matrix(to.q_WB) - R) * body.p_BBcm;
  const Quat& q = from.q_WB;
  const Quat turn = product(Quat(q[0], -q[1], -q[2], -q[3]), to.q_WB);
  const Vec3 a_B = (turn[0] < 0.0 ? -2.0 : 2.0) * turn.tail<3>();
  return {body.mass / factors.force * d_W, R * (body.I_BBcm * a_B) / factors.torque};
}

// interface bodies on their way from `stage`, the end of the path under `mean`, to where they end by themselves.
void place_on_the_way(const Model& model, Data& data, double part) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const BodyState &from = data.stage[i], &to = data.first_ends[i];
    BodyState& s = data.bodies()[i];
    s.r_WB = from.r_WB + part * (to.r_WB - from.r_WB);
    s.q_WB = ((1.0 - part) * from.q_WB + (from.q_WB.dot(to.q_WB) < 0.0 ? -part : part) * to.q_WB).normalized();
  }
}

// attitudes half way through the look.
void keep_middle(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    data.R_middle[i] = middle_rotation(data.q_start[i], data.bodies()[i].q_WB);
}

}  // namespace

bool has_interfaces(const Model& model) noexcept {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.interface(); });
}

double energy_of_impulse(const Model& model, Data& data, std::size_t i, const Mat3& R,
                         const Wrench& impulse_W) noexcept {
  const Body& body = model.bodies[i];
  const Factors factors = factors_of(model, data, i);
  const Vec3 L_B = R.transpose() * impulse_W.torque;
  return 0.5 * (factors.force * impulse_W.force.squaredNorm() / body.mass +
                factors.torque * L_B.dot(body.I_BBcm_inverse * L_B));
}

double stored(const Model& model, const Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < data.count; ++k) sum += data.contacts[k].stored_energy;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).stored;
  return sum;
}

void meet_inputs(const Model& model, Data& data) noexcept {
  extrapolate(model, data, 0.0);
  const double H = data.globals().coupled_step;
  pay_work(model, data, H);
  if (H == 0.0) forget_budget(data);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    if (H > 0.0 && !jumped(model, data, i, H)) {
      learn(model, data, i, H);
      continue;
    }
    forget_step(data, i);
    forget_budget(data);
  }
  keep_inputs(model, data);
}

double lengthen(Data& data, double dt) noexcept {
  const double old = data.globals().coupled_step > 0.0 ? 0.99 * data.exchange().longest_step : 0.0;
  return data.exchange().longest_step = std::max(dt, old);
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
  std::fill(data.impulses.begin(), data.impulses.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
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
    const Factors factors = factors_of(model, data, i);
    push(body, weight * (factors.force * wrench.force + outside.force),
         weight * (factors.torque * (wrench.torque - c_W.cross(wrench.force)) + outside.torque), s);
  }
}

void mean_of_impulses(const Model& model, Data& data, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Wrench& mean = data.mean[i];
    mean = {data.impulses[i].force / H, data.impulses[i].torque / H};
    if (model.bodies[i].interface()) mean.torque += (data.R_middle[i] * model.bodies[i].p_BBcm).cross(mean.force);
  }
}

Ahead begin_ahead(const Model& model, Data& data, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.q_start[i] = data.bodies()[i].q_WB;
  return {energy_of_wrenches(model, data, H), false, 0.0, -lost(model, data), -supplied_so_far(model, data)};
}

void end_ahead(const Model& model, Data& data, double H, Ahead& ahead) noexcept {
  std::copy_n(data.bodies(), model.bodies.size(), data.first_ends.data());
  keep_middle(model, data);
  // a hundredth is a tenth of the mean force
  ahead.lasts = std::min(ahead.push, energy_of_wrenches(model, data, H)) > 0.01 * energy_of_impulses(model, data);
  ahead.stored = stored(model, data);
  ahead.lost += lost(model, data);
  ahead.supplied += supplied_so_far(model, data) - data.free_work;
}

bool settle(const Model& model, Data& data, double H) noexcept {
  double first = 0.0, change = 0.0, apart = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const Mat3& R = data.R_middle[i];
    const Wrench &one = data.first_impulses[i], &two = data.impulses[i];
    const Wrench apart_W = way(model, data, i, data.first_ends[i], data.bodies()[i]);
    first += energy_of_impulse(model, data, i, R, one);
    change += energy_of_impulse(model, data, i, R, {two.force - one.force, two.torque - one.torque});
    apart += energy_of_impulse(model, data, i, R, apart_W) / (H * H);
  }
  // the looks end at the same velocities, but d apart: of an oscillation they differ by the impulse (w H)^2/2 m d/H
  const bool soft = change <= std::min(0.25 * first, 1.25 * apart);
  if (!soft || solves(model)) {
    data.impulses.swap(data.first_impulses);
    mean_of_impulses(model, data, H);
    return soft;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench &one = data.first_impulses[i], &two = data.impulses[i];
    if (!model.bodies[i].interface()) continue;
    const Factors factors = factors_of(model, data, i);
    push(model.bodies[i], factors.force * (two.force - one.force), factors.torque * (two.torque - one.torque),
         data.bodies()[i]);
  }
  keep_middle(model, data);
  mean_of_impulses(model, data, H);
  return true;
}

// to end on `part` of the way d each body needs the impulse 2 part m d/H more, so that against its own end
//
//   dE = 2 part/H m v.d + 2 (part/H)^2 m d^2 + (1 - part) F.d + stored - its own stored
Status hold_back(const Model& model, Data& data, double H, const Ahead& ahead, Evaluate evaluate,
                 bool& changed) noexcept {
  double linear = 0.0, square = 0.0, outside = 0.0;
  const std::size_t bodies = model.bodies.size();
  std::copy_n(data.bodies(), bodies, data.stage.data());
  for (std::size_t i = 0; i < bodies; ++i) {
    const Body& body = model.bodies[i];
    if (!body.interface()) continue;
    const BodyState& end = data.first_ends[i];
    const Wrench d = way(model, data, i, data.stage[i], end);
    linear += 2.0 / H * (Momentum(body, end).v_c_W.dot(d.force) + end.w_WB.dot(d.torque));
    square += 4.0 / (H * H) * energy_of_impulse(model, data, i, data.R_middle[i], d);
    outside += data.interfaces()[i].outside.force.dot(d.force) / body.mass;
  }
  const double allowed = 0.5 * std::max(0.0, ahead.lost) + 0.01 * energy_of_impulses(model, data);
  double best = 0.0, least = outside + stored(model, data) - ahead.stored;
  changed = least > allowed;
  if (!changed) return {};
  for (double part = 1.0 / 64.0; part <= 1.0 && least > allowed; part *= 2.0) {
    place_on_the_way(model, data, part);
    if (const Status status = evaluate(model, data, 0.0); !status) return status;
    const double gain =
        part * linear + part * part * square + (1.0 - part) * outside + stored(model, data) - ahead.stored;
    if (gain < least) best = part, least = gain;
  }
  for (std::size_t i = 0; i < bodies; ++i) {
    if (!model.bodies[i].interface()) continue;
    const Wrench d = way(model, data, i, data.stage[i], data.first_ends[i]);
    data.impulses[i].force += 2.0 * best / H * d.force;
    data.impulses[i].torque += 2.0 * best / H * d.torque;
  }
  mean_of_impulses(model, data, H);
  return {};
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

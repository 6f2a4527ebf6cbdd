#include "step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "contacts.hpp"
#include "coupling.hpp"
#include "element/elements.hpp"
#include "memory.hpp"
#include "motion.hpp"
#include "rotation.hpp"

namespace contactlib {

namespace {

// forces on both bodies at the same point, in contact order: momentum is kept and every run adds up alike.
void sum_wrenches(const Model& model, Data& data) noexcept {
  Wrench* wrenches = data.wrenches_W();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) wrenches[i] = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& c = data.contacts[i];
    wrenches[c.body_a].force -= c.f_B_W;
    wrenches[c.body_a].torque -= c.p_AC_W.cross(c.f_B_W) + c.t_B_W;
    wrenches[c.body_b].force += c.f_B_W;
    wrenches[c.body_b].torque += c.p_BC_W.cross(c.f_B_W) + c.t_B_W;
  }
}

Status check_wrenches(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& w = data.wrenches_W()[i];
    if (!w.force.allFinite() || !w.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  return {};
}

Status contacts_and_wrenches(const Model& model, Data& data, double h) noexcept {
  place_elements(model, data, h);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  if (Status status = find_contacts(model, data, h); !status) return status;
  sum_wrenches(model, data);
  if (!model.elements.empty()) std::copy_n(data.wrenches_W(), model.bodies.size(), data.contact_wrenches_W());
  if (Status status = step_elements(model, data, h); !status) return status;
  return check_wrenches(model, data);
}

// how things are now, for the step to come.
Status look(const Model& model, Data& data) noexcept {
  if (Status status = contacts_and_wrenches(model, data, 0.0); !status) return status;
  keep_looks(model, data);
  return {};
}

// a command that jumps moves its element at once: what it then stores more was put in by the command.
Status take_jumps(const Model& model, Data& data) noexcept {
  if (!commands_jumped(model, data)) return {};
  for (const double sign : {-1.0, 1.0}) {  // as it was, then as it is
    swap_commands(model, data);
    if (Status status = look(model, data); !status) return status;
    supply_stored(model, data, sign);
  }
  data.globals().fresh = 1.0;
  return {};
}

void keep_start(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.before[i] = data.bodies()[i];
    data.wrenches_before[i] = data.contact_wrenches_W()[i];
  }
}

// what contacts take from the bodies in a sub-step: minus their wrench times the mean velocity. semi-implicit euler
// applies the wrench of the start, and then this is the change of kinetic energy itself; otherwise the trapezoid rule.
void add_work(const Model& model, Data& data, double h, bool start_wrench) noexcept {
  double power = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState &s0 = data.before[i], &s1 = data.bodies()[i];
    const Wrench &w0 = data.wrenches_before[i], &w1 = data.contact_wrenches_W()[i];
    const double keep = start_wrench ? 1.0 : 0.5;
    power += (keep * w0.force + (1.0 - keep) * w1.force).dot(0.5 * (s0.v_WB + s1.v_WB));
    power += (keep * w0.torque + (1.0 - keep) * w1.torque).dot(0.5 * (s0.w_WB + s1.w_WB));
  }
  data.globals().work -= h * power;
}

void summarise(Data& data) noexcept {
  Globals& g = data.globals();
  double stored = 0.0, depth = 0.0;
  for (std::size_t i = 0; i < data.count; ++i) {
    stored += data.contacts[i].stored_energy;
    depth = std::max(depth, data.contacts[i].depth);
  }
  g.contact_count = static_cast<double>(data.count);
  g.max_depth = depth;
  g.energy_stored = stored;
  g.energy_dissipated = g.work - stored;
}

// `R`: attitudes in which wrenches are resolved.
void write_outputs(const Model& model, Data& data, const Wrench* wrenches_W, const Mat3* R) noexcept {
  const bool body_axes = data.globals().resolve_in == static_cast<double>(Frame::body);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.outputs()[i] = wrenches_W[i];
    data.reports()[i] = data.bodies()[i];
    if (!body_axes) continue;
    data.outputs()[i] = {R[i].transpose() * wrenches_W[i].force, R[i].transpose() * wrenches_W[i].torque};
    data.reports()[i].w_WB = data.R_WB[i].transpose() * data.bodies()[i].w_WB;
  }
}

bool finite(const BodyState& s) noexcept {
  return s.r_WB.allFinite() && s.q_WB.allFinite() && s.v_WB.allFinite() && s.w_WB.allFinite();
}

Status check_motion(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!finite(data.bodies()[i])) return {Code::not_finite, static_cast<std::int32_t>(i)};
  return {};
}

Status check_given(const BodyState& s, std::size_t i) noexcept {
  const auto index = static_cast<std::int32_t>(i);
  if (!finite(s)) return {Code::not_finite, index};
  if (!(std::abs(s.q_WB.norm() - 1.0) <= 1e-3)) return {Code::bad_quaternion, index};
  return {};
}

// more sub-steps than this in one call is a step_size given in the wrong unit, not a wish.
constexpr double most_steps = 1e7;

// the motion starts from the wrenches of the present states.
Status begin(const Model& model, Data& data) noexcept {
  if (Status status = take_jumps(model, data); !status) return status;
  if (!any_integrates(model, data) || data.globals().fresh != 0.0) return {};
  return look(model, data);
}

Status substep(const Model& model, Data& data, double tau, double h) noexcept {
  const bool rk4 = model.options.integrator == Integrator::rk4, moves = any_integrates(model, data);
  keep_start(model, data);
  if (!rk4) add_energy(model, data, 0.5 * h, 0.0);  // rk4 has nodes of its own
  if (Status status = solve_elements(model, data, h); !status) return status;
  if (Status status = move_bodies(model, data, tau, h, contacts_and_wrenches); !status) return status;
  if (Status status = check_motion(model, data); !status) return status;
  if (Status status = contacts_and_wrenches(model, data, h); !status) return status;
  if (model.foreign)
    if (Status status = end_contacts(model, data); !status) return status;
  remember(model, data);
  keep_states(model, data);
  add_energy(model, data, rk4 ? 0.0 : 0.5 * h, h);
  add_work(model, data, h, moves && !rk4);
  summarise(data);
  if ((moves || data.course != Course::twist) && element_turns(model, data)) return look(model, data);
  return {};
}

double steps_in(const Data& data, double dt) noexcept {
  return std::max(1.0, std::ceil(dt / data.globals().step_size * (1.0 - 1e-9)));
}

// from `tau` after the inputs on, for `dt`.
Status substeps(const Model& model, Data& data, double tau, double dt) noexcept {
  const double steps = steps_in(data, dt);
  if (steps > most_steps) return {Code::bad_argument, -1};
  const double h = dt / steps;
  const bool rk4 = model.options.integrator == Integrator::rk4, shifts = data.sums && !rk4;
  const auto weight_after = [&](double k) { return data.falls > 0.0 ? 2.0 / data.falls * (1.0 - k / steps) : 1.0; };
  data.weight = weight_after(0.0);
  if (shifts) shift(model, data, -0.5 * h);
  std::fill(data.mean.begin(), data.mean.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
  for (double k = 0; k < steps; ++k) {
    data.weight = weight_after(rk4 ? k + 0.5 : k);
    if (Status status = substep(model, data, tau + k * h, h); !status) return status;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      data.mean[i].force += data.wrenches_W()[i].force / steps;
      data.mean[i].torque += data.wrenches_W()[i].torque / steps;
    }
  }
  data.weight = weight_after(steps);
  if (shifts) shift(model, data, 0.5 * h);
  return {};
}

Status alone(const Model& model, Data& data, double dt) noexcept {
  if (Status status = begin(model, data); !status) return status;
  if (Status status = substeps(model, data, 0.0, dt); !status) return status;
  const bool mean = data.globals().wrench_output == static_cast<double>(WrenchOutput::mean);
  write_outputs(model, data, mean ? data.mean.data() : data.wrenches_W(), data.R_WB.data());
  return {};
}

// looks at an interval that begins at `tau` after the inputs, and foretells the wrenches' mean: see coupling.hpp.
// the first, under the core's own wrenches.
Status look_ahead(const Model& model, Data& data, double tau, double dt, Ahead& ahead) noexcept {
  data.course = Course::own;
  begin_impulses(data);
  ahead = begin_ahead(model, data, dt);
  if (Status status = substeps(model, data, tau, dt); !status) return status;
  end_ahead(model, data, dt, ahead);
  mean_of_impulses(model, data, dt);
  return {};
}

// the path under the mean, from where the looks begin.
Status follow(const Model& model, Data& data, double tau, double dt) noexcept {
  go_back(data);
  write_outputs(model, data, data.mean.data(), data.R_middle.data());
  data.course = Course::given;
  return substeps(model, data, tau, dt);
}

// the first look again, further and with weights that fall.
Status look_far(const Model& model, Data& data, double tau, double dt) noexcept {
  const double steps = steps_in(data, dt);
  go_back(data);
  data.course = Course::own;
  begin_impulses(data);
  data.falls = std::ceil(1.5 * steps) / steps;
  const Status status = substeps(model, data, tau, data.falls * dt);
  data.falls = 0.0;
  mean_of_impulses(model, data, dt);
  return status;
}

Status foretell(const Model& model, Data& data, bool jacobi, double dt) noexcept {
  const double tau = jacobi ? dt : 0.0;
  Ahead ahead;
  if (Status status = look_ahead(model, data, tau, dt, ahead); !status) return status;
  begin_impulses(data);
  if (Status status = follow(model, data, tau, dt); !status) return status;
  if (settle(model, data, dt)) return {};
  if (ahead.lasts) {
    if (Status status = look_far(model, data, tau, dt); !status) return status;
  } else {
    bool changed;
    const Status status = hold_back(model, data, dt, ahead, contacts_and_wrenches, changed);
    if (!status || !changed) return status;
  }
  data.sums = false;
  if (jacobi) return {};  // which goes back anyway
  if (Status status = follow(model, data, tau, dt); !status) return status;
  mean_of_impulses(model, data, dt);  // again, for sub-steps use `mean`, too
  return {};
}

Status coupled(const Model& model, Data& data, double dt) noexcept {
  const bool jacobi = data.globals().coupling == static_cast<double>(Coupling::jacobi);
  meet_inputs(model, data);
  data.course = jacobi ? Course::given : Course::own;
  if (Status status = begin(model, data); !status) return status;
  if (jacobi) {
    if (Status status = substeps(model, data, 0.0, dt); !status) return status;
    expect(model, data, dt);
    data.contacts.swap(data.kept_contacts);
  }
  const std::size_t count = data.count;
  go_from_here(data);
  if (Status status = foretell(model, data, jacobi, dt); !status) return status;
  if (jacobi) {
    go_back(data);
    data.contacts.swap(data.kept_contacts);
    data.count = count;
  } else {
    expect(model, data, dt);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  write_outputs(model, data, data.mean.data(), data.R_middle.data());
  return {};
}

}  // namespace

Status accept_inputs(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::external) continue;
    const Wrench& rates = data.input_rates()[i];
    if (Status status = check_given(data.inputs()[i], i); !status) return status;
    if (!rates.force.allFinite() || !rates.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  extrapolate(model, data, 0.0);
  data.globals().fresh = 0.0;
  return {};
}

Status set_states(const Model& model, Data& data, const BodyState* states) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (Status status = check_given(states[i], i); !status) return status;
  const bool body_axes = data.globals().resolve_in == static_cast<double>(Frame::body);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    BodyState& s = data.bodies()[i];
    data.inputs()[i] = s = states[i];
    data.input_rates()[i] = {Vec3::Zero(), Vec3::Zero()};
    s.q_WB.normalize();
    if (body_axes) s.w_WB = matrix(s.q_WB) * s.w_WB;
  }
  extrapolate_commands(model, data, 0.0);
  data.globals().fresh = 0.0;
  return {};
}

void accept_commands(const Model& model, Data& data) noexcept {
  extrapolate_commands(model, data, 0.0);
  data.globals().fresh = 0.0;
}

Status evaluate(const Model& model, Data& data, const BodyState* states) noexcept {
  data.keep();
  Status status = states != nullptr ? set_states(model, data, states) : Status{};
  if (status) status = look(model, data);
  if (!status) {
    data.put_back();
    return status;
  }
  summarise(data);
  write_outputs(model, data, data.wrenches_W(), data.R_WB.data());
  data.globals().fresh = 1.0;
  data.globals().coupled_step = 0.0;
  return {};
}

Status advance(const Model& model, Data& data, double dt, const BodyState* states) noexcept {
  if (!(std::isfinite(dt) && dt > 0.0)) return {Code::bad_argument, -1};
  data.keep();
  Globals& g = data.globals();
  const double end = g.time + dt;
  const bool couples = g.coupling != static_cast<double>(Coupling::none) && has_interfaces(model);
  Status status = states != nullptr ? set_states(model, data, states) : Status{};
  if (status) status = couples ? coupled(model, data, dt) : alone(model, data, dt);
  data.course = Course::twist;
  data.sums = false;
  g.time = end;
  g.fresh = 1.0;
  if (!status) data.put_back();
  return status;
}

}  // namespace contactlib

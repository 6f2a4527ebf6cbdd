#include "step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "contacts.hpp"
#include "coupling.hpp"
#include "deep.hpp"
#include "element/elements.hpp"
#include "energy.hpp"
#include "energy_budget.hpp"
#include "memory.hpp"
#include "motion.hpp"
#include "parameters.hpp"
#include "ranges.hpp"
#include "response.hpp"
#include "rotation.hpp"
#include "stability.hpp"

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

bool finite(const BodyState& s) noexcept {
  return s.r_WB.allFinite() && s.q_WB.allFinite() && s.v_WB.allFinite() && s.w_WB.allFinite();
}

Status check_wrenches(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& w = data.wrenches_W()[i];
    if (!w.force.allFinite() || !w.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  for (std::size_t k = 0; k < data.count; ++k) {
    const Contact& c = data.contacts[k];
    if (!std::isfinite(c.stored_energy) || !std::isfinite(c.heat)) return {Code::not_finite, c.body_b};
  }
  return {};
}

// what the boundary shows: a number that became too large there is no result, nor one that did on its turn into body
// axes.
Status check_outputs(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& w = data.outputs()[i];
    if (!w.force.allFinite() || !w.torque.allFinite() || !finite(data.reports()[i]))
      return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  const Globals& g = data.globals();
  for (const double x : {g.work, g.max_depth, g.energy_stored, g.energy_dissipated, g.energy_error})
    if (!std::isfinite(x)) return {Code::bad_output, -1};
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    const double* const numbers = data.state.data();
    if (!ranges::finite(numbers + at.outputs, at.state - at.outputs) ||
        !ranges::finite(numbers + at.energy, energy_width))
      return {Code::bad_output, static_cast<std::int32_t>(i)};
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

// after a failure everything is as it was before.
Status put_back_unless(Status status, Data& data) noexcept {
  if (!status) data.put_back();
  return status;
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

// where the first step begins from states that nobody evaluated yet: what contacts store there is the start's.
Status begin_energy(const Model& model, Data& data) noexcept {
  Globals& g = data.globals();
  if (g.begun != 0.0 || g.fresh != 0.0 || model.foreign) return {};  // a caller's models are not asked twice
  if (Status status = contacts_and_wrenches(model, data, 0.0); !status) return status;
  const double stored = g.energy_stored;
  summarise(model, data);
  give_stored(model, data, stored);
  return {};
}

// the motion starts from the wrenches of the present states.
Status begin(const Model& model, Data& data) noexcept {
  if (Status status = begin_energy(model, data); !status) return status;
  if (Status status = take_jumps(model, data); !status) return status;
  if (!any_integrates(model, data) || data.globals().fresh != 0.0) return {};
  return look(model, data);
}

// the first sub-steps of contact, and then every now and then: an estimate for a warning.
bool watches_step(const Data& data) noexcept {
  const double lasts = data.globals().lasts;
  return data.count != 0 && (lasts <= 2.0 || std::fmod(lasts, 16.0) == 0.0);
}

Status substep(const Model& model, Data& data, double tau, double h) noexcept {
  const bool rk4 = model.options.integrator == Integrator::rk4, moves = any_integrates(model, data);
  keep_start(model, data);
  if (!rk4) add_energy(model, data, 0.5 * h, 0.0);  // rk4 has nodes of its own
  if (Status status = solve_elements(model, data, h); !status) return status;
  std::copy_n(data.wrenches_W(), model.bodies.size(), data.whole_before.begin());
  if (Status status = move_bodies(model, data, tau, h, contacts_and_wrenches); !status) return status;
  if (Status status = check_motion(model, data); !status) return status;
  if (Status status = contacts_and_wrenches(model, data, h); !status) return status;
  if (model.foreign)
    if (Status status = end_contacts(model, data); !status) return status;
  remember(model, data);
  keep_states(model, data);
  add_energy(model, data, rk4 ? 0.0 : 0.5 * h, h);
  if (!rk4) add_work(model, data, h, moves);
  const double rate_before = data.globals().heat;
  summarise(model, data);
  add_heat(data, h, rate_before);
  if (Status status = check_energy(model, data, h, data.globals().time + tau + h, moves); !status) return status;
  watch_depth(model, data, data.globals().time + tau + h);
  if (watches_step(data)) check_step(model, data, h, data.held_step);
  if ((moves || data.course != Course::twist) && element_turns(model, data)) return look(model, data);
  return {};
}

double steps_in(const Data& data, double dt) noexcept {
  return std::max(1.0, std::ceil(dt / data.globals().step_size * (1.0 - 1e-9)));
}

// from `tau` after the inputs on, for `dt`.
Status substeps(const Model& model, Data& data, double tau, double dt) noexcept {
  const double steps = steps_in(data, dt);
  if (steps > most_steps) return {Code::bad_step, -1};
  const double h = dt / steps;
  const bool rk4 = model.options.integrator == Integrator::rk4, shifts = data.sums && !rk4;
  const auto weight_after = [&](double k) { return data.falls > 0.0 ? 2.0 / data.falls * (1.0 - k / steps) : 1.0; };
  data.weight = weight_after(0.0);
  data.free_work = 0.0;
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
  data.falls = std::ceil(2.5 * steps) / steps;
  const Status status = substeps(model, data, tau, data.falls * dt);
  data.falls = 0.0;
  mean_of_impulses(model, data, dt);
  return status;
}

// a mean over [tau, tau + dt] after the inputs.
Status foretell(const Model& model, Data& data, double tau, double dt, Ahead& ahead) noexcept {
  const bool jacobi = tau > 0.0;
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

// the known step after jacobi: bodies move under the wrench that the master holds over it.
Status step_known(const Model& model, Data& data, double dt, double& budget) noexcept {
  keep_held_wrenches(model, data);
  if (Status status = substeps(model, data, 0.0, dt); !status) return status;
  budget = predicted_budget(model, data);
  expect(model, data, dt);
  data.contacts.swap(data.kept_contacts);
  return {};
}

// the mean that the master is given, over `dt` from `tau` after the inputs.
Status predict(const Model& model, Data& data, double tau, double dt, double budget, double stored) noexcept {
  go_from_here(data);
  Ahead ahead;
  if (Status status = foretell(model, data, tau, dt, ahead); !status) return status;
  if (!limit_to_budget(model, data, dt, budget + ahead.supplied, stored)) return {};
  data.sums = false;
  if (tau > 0.0) return {};
  if (Status status = follow(model, data, tau, dt); !status) return status;
  mean_of_impulses(model, data, dt);
  return {};
}

Status coupled(const Model& model, Data& data, double dt) noexcept {
  const bool jacobi = data.globals().coupling == static_cast<double>(Coupling::jacobi);
  const double longest = lengthen(data, dt);
  meet_inputs(model, data);
  data.course = jacobi ? Course::given : Course::own;
  const bool looks = !jacobi && data.globals().fresh == 0.0;
  if (Status status = begin(model, data); !status) return status;
  double in_store = looks ? stored(model, data) : stored_in_state(model, data);
  open_budget(model, data, in_store, !jacobi);
  double budget = data.exchange().budget;
  if (jacobi) {
    if (Status status = step_known(model, data, dt, budget); !status) return status;
    in_store = stored_in_state(model, data);
  }
  const std::size_t count = data.count;
  if (Status status = predict(model, data, jacobi ? dt : 0.0, jacobi ? longest : dt, budget, in_store); !status)
    return status;
  if (jacobi) {
    go_back(data);
    data.contacts.swap(data.kept_contacts);
    data.count = count;
  } else {
    pay_free_bodies(data);
    expect(model, data, dt);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  write_outputs(model, data, data.mean.data(), data.R_middle.data());
  if (!jacobi) keep_held_wrenches(model, data);
  return {};
}

}  // namespace

Status accept_starts(const Model& model, Data& data) noexcept {
  if (!has_free_bodies(model)) return {};
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].motion == Motion::free)
      if (Status status = check_given(data.starts()[i], i); !status) return status;
  const double frame = data.globals().resolve_in;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::free) continue;
    const BodyState& start = data.starts()[i];
    const BodyState usual = start_at_boundary(model, i);
    BodyState& s = data.bodies()[i];
    s = model.bodies[i].start;  // to the bit, where nothing else is wanted
    const bool same_axes = frame == static_cast<double>(model.options.resolve_in);
    if (same_axes && std::memcmp(&start, &usual, sizeof start) == 0) continue;
    s = start;
    s.q_WB.normalize();
    if (frame == static_cast<double>(Frame::body)) s.w_WB = matrix(s.q_WB) * s.w_WB;
  }
  data.globals().fresh = 0.0;
  return {};
}

Status accept_inputs(const Model& model, Data& data) noexcept {
  if (Status status = check_parameters(model, data); !status) return status;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Motion motion = model.bodies[i].motion;
    if (motion != Motion::external && motion != Motion::free) continue;
    const Wrench& rates = data.input_rates()[i];
    if (motion == Motion::external) {
      if (Status status = check_given(data.inputs()[i], i); !status) return status;
      data.globals().fresh = 0.0;  // where nothing is put anywhere, the last step's wrenches are still those of now
    }
    if (!rates.force.allFinite() || !rates.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  extrapolate(model, data, 0.0);
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
  if (!status) return put_back_unless(status, data);
  const double stored = data.globals().energy_stored;
  summarise(model, data);
  give_stored(model, data, stored);
  write_outputs(model, data, data.wrenches_W(), data.R_WB.data());
  data.globals().fresh = 1.0;
  data.globals().coupled_step = 0.0;
  return put_back_unless(check_outputs(model, data), data);
}

Status advance(const Model& model, Data& data, double dt, const BodyState* states) noexcept {
  if (!(std::isfinite(dt) && dt > 0.0)) return {Code::bad_step, -1};
  data.keep();
  Globals& g = data.globals();
  const double end = g.time + dt;
  data.held_step = g.coupling == static_cast<double>(Coupling::none) ? dt : 0.0;
  const bool couples = g.coupling != static_cast<double>(Coupling::none) && has_interfaces(model);
  Status status = states != nullptr ? set_states(model, data, states) : Status{};
  if (status) status = couples ? coupled(model, data, dt) : alone(model, data, dt);
  if (status) status = check_outputs(model, data);
  data.course = Course::twist;
  data.sums = false;
  g.time = end;
  g.fresh = 1.0;
  return put_back_unless(status, data);
}

}  // namespace contactlib

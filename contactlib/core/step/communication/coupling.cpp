#include "coupling.hpp"

#include <algorithm>
#include <cmath>

#include "element/elements.hpp"
#include "energy_budget.hpp"
#include "impact.hpp"
#include "interface_energy.hpp"
#include "math/elementary.hpp"
#include "math/rotation.hpp"
#include "step/auto_step.hpp"
#include "step/impulses.hpp"
#include "step/islands.hpp"
#include "step/motion.hpp"
#include "step/outputs.hpp"
#include "step/response/momentum.hpp"
#include "step/response/order.hpp"
#include "step/response/response.hpp"
#include "step/substeps.hpp"

namespace contactlib::step {

using element::accept_steps, element::solves;
using math::matrix;
using state::Exchange, state::Interface, state::TrialEnergy;

namespace {

constexpr double rounding = 1e-12;  // of an energy

// ((w H)^2/2)^2, from w H = 0.19 on: energy is conserved in every step. Shorter steps conserve it over an impact, and
// this correction would only disturb them.
constexpr double conserving_phase = 3e-4;

// ... if other loads are small against contact, as energy: what they do between the steps is not known.
constexpr double conserving_load = 0.1;

// Masters compute their steps in different ways.
bool same(double H, double other) noexcept { return std::abs(H - other) <= 1e-6 * H; }

// The interval over which the master will hold the predicted wrench.
struct Interval {
  double start, length;  // s, from the time of the inputs on
  bool accepted;         // the bodies stay where the wrench leads them; otherwise the prediction is rolled back
};

// Results of the trial under the present wrenches besides impulses.
struct Trial {
  bool lasting;     // contact is there at its start and at its end
  double stored;    // J, at its end
  double lost;      // J, in it
};

// In the order in which a step calls them.
double next_length(Data& data, double H) noexcept;
void read_inputs(const Model& model, Data& data) noexcept;
void expect_inputs(const Model& model, Data& data, double H) noexcept;
Status predict(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval) noexcept;
void output_mean(const Model& model, Data& data, const CouplingScratch& scratch, double H) noexcept;

// Sub-steps from `start` after the inputs on, for `length` (s). Adds impulses to `impulses`, if it is not null, with
// weights that decrease to zero over `fall` intervals, if it is not zero.
Status run(const Model& model, Data& data, CouplingScratch& scratch, InterfaceMotion motion, double start,
           double length, std::vector<Wrench>* impulses = nullptr, double fall = 0.0) noexcept {
  if (impulses) std::fill(impulses->begin(), impulses->end(), Wrench{Vec3::Zero(), Vec3::Zero()});
  std::fill(scratch.work.begin(), scratch.work.end(), 0.0);
  std::fill(scratch.free_work.begin(), scratch.free_work.end(), 0.0);
  ImpulseSums sums;
  sums.impulses = impulses ? impulses->data() : nullptr;
  sums.fall = fall;
  sums.work = scratch.work.data();
  sums.free_work = scratch.free_work.data();
  sums.islands = &scratch.islands;
  if (impulses == &scratch.impulses) {
    std::fill(scratch.moments.begin(), scratch.moments.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
    sums.moments = scratch.moments.data();
  }
  return substeps(model, data, {motion, start, length}, &sums);
}

// ---- a step -----------------------------------------------------------------------------------------------

// Predicts the interval from the present state on; state and contacts are then as before.
Status predict_and_return(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval) noexcept {
  const std::size_t count = data.count;
  data.contacts.swap(scratch.contacts);
  scratch.start.save(data.state, data.used());
  if (Status status = predict(model, data, scratch, interval); !status) return status;
  scratch.start.restore(data.state);
  data.contacts.swap(scratch.contacts);
  data.count = count;
  output_mean(model, data, scratch, interval.length);
  data.exchange().made_for = scratch.conserves ? interval.length : 0.0;
  return {};
}

Status jacobi_step(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept {
  const double next = next_length(data, H);
  read_inputs(model, data);
  data.exchange().conserves = same(H, data.exchange().made_for) ? 1.0 : 0.0;
  if (Status status = begin_motion(model, data, InterfaceMotion::held_wrench); !status) return status;
  find_stored_in_state(model, data, scratch.stored);
  update_budgets(model, data, scratch, false);

  // [t, t + H]: the master holds the last output. This motion is accepted.
  keep_held_wrenches(model, data);
  begin_islands(model, scratch.islands);
  if (Status status = run(model, data, scratch, InterfaceMotion::held_wrench, 0.0, H); !status) return status;
  accept_steps(data);
  keep_path_work(model, data, scratch);
  keep_stored(model, data);
  find_stored_now(model, data, scratch.stored);
  predict_budgets(model, data, scratch, H);
  predict_debts(model, data, scratch);
  expect_inputs(model, data, H);

  // [t + H, t + H + next]: the prediction, which is rolled back
  return predict_and_return(model, data, scratch, {H, next, false});
}

Status gauss_seidel_step(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept {
  next_length(data, H);
  read_inputs(model, data);
  const bool evaluates = data.globals().fresh == 0.0;  // then `data` has the contacts of the present states
  if (Status status = begin_motion(model, data, InterfaceMotion::present_wrench); !status) return status;
  if (evaluates && data.globals().coupled_step > 0.0) correct_jumps(model, data);
  evaluates ? find_stored_now(model, data, scratch.stored) : find_stored_in_state(model, data, scratch.stored);
  update_budgets(model, data, scratch, true);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    scratch.budget[i] = data.interfaces()[i].budget;
    scratch.debt[i] = data.interfaces()[i].debt;
  }

  // [t, t + H]: the prediction, whose end is accepted
  scratch.start.save(data.state, data.used());
  if (Status status = predict(model, data, scratch, {0.0, H, true}); !status) return status;
  accept_steps(data);
  keep_path_work(model, data, scratch);
  keep_stored(model, data);
  subtract_free_work(model, data, scratch);
  expect_inputs(model, data, H);
  output_mean(model, data, scratch, H);
  data.exchange().conserves = scratch.conserves ? 1.0 : 0.0;
  keep_held_wrenches(model, data);
  return {};
}

// ---- the prediction ---------------------------------------------------------------------------------------

Status try_present_wrenches(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                            Trial& trial) noexcept;
Status follow_mean(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                   std::vector<Wrench>* impulses = nullptr) noexcept;
bool accept_soft_contact(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                         bool& changed) noexcept;
Status find_falling_mean(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval) noexcept;

// Trials 1 and 2 of coupling.hpp: scratch.mean is the result. An accepted interval ends on the path under it.
Status find_mean_by_trials(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                           Trial& trial) noexcept {
  const double H = interval.length;
  if (Status status = try_present_wrenches(model, data, scratch, interval, trial); !status) return status;
  if (Status status = follow_mean(model, data, scratch, interval, &scratch.held_impulses); !status) return status;
  bool changed = true;
  if (!accept_soft_contact(model, data, scratch, interval, changed)) {
    const Status status = trial.lasting ? find_falling_mean(model, data, scratch, interval)
                                        : limit_impact(model, data, scratch, H, {trial.stored, trial.lost}, changed);
    if (!status) return status;
  }
  if (!changed || !interval.accepted) return {};
  return follow_mean(model, data, scratch, interval);
}

// 1 to 3 of coupling.hpp. `scratch` has stored energies, budgets and debts at the start of the interval.
Status predict(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval) noexcept {
  scratch.conserves = false;
  begin_islands(model, scratch.islands);
  Trial trial;
  if (Status status = find_mean_by_trials(model, data, scratch, interval, trial); !status) return status;
  const bool limited = limit_to_budgets(model, data, scratch, interval.length);
  if (!limited || !interval.accepted) return {};
  return follow_mean(model, data, scratch, interval);
}

double lost(const Model& model, const Data& data) noexcept {
  double sum = data.globals().work - data.globals().energy_stored;  // of this path, with its own errors
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).dissipated;
  return sum;
}

// Attitudes in the middle of the interval, with the bodies at its end.
void find_middle(const Model& model, Data& data, CouplingScratch& scratch) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    scratch.R_middle[i] = middle_rotation(scratch.q_start[i], data.bodies()[i].q_WB);
}

// Of the present wrenches over H.
void find_trial_energy(const Model& model, Data& data, CouplingScratch& scratch, double TrialEnergy::* part,
                       double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].interface()) scratch.trial[i].*part = energy_of_wrench(model, data, i, data.wrenches_W()[i], H);
}

TrialEnergy sum_of_trial(const Model& model, Data& data, CouplingScratch& scratch) noexcept {
  TrialEnergy sum{};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    scratch.trial[i].impulse = energy_of_impulse(model, data, i, scratch.R_middle[i], scratch.impulses[i]);
    sum += scratch.trial[i];
  }
  return sum;
}

// The first trial.
Status try_present_wrenches(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                            Trial& trial) noexcept {
  const double H = interval.length;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) scratch.q_start[i] = data.bodies()[i].q_WB;
  find_trial_energy(model, data, scratch, &TrialEnergy::start, H);
  const double lost_before = lost(model, data);
  find_supplied(model, data, scratch.supplied_before);
  const InterfaceMotion motion = InterfaceMotion::present_wrench;
  if (Status status = run(model, data, scratch, motion, interval.start, H, &scratch.impulses); !status) return status;
  std::copy_n(data.bodies(), model.bodies.size(), scratch.present_end.data());
  find_middle(model, data, scratch);
  find_trial_energy(model, data, scratch, &TrialEnergy::end, H);
  trial.lasting = sum_of_trial(model, data, scratch).lasting();
  trial.stored = stored_now(model, data);
  trial.lost = lost(model, data) - lost_before;
  find_supplied(model, data, scratch.supplied);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    scratch.supplied[i] -= scratch.supplied_before[i] + scratch.free_work[i];
  find_mean(model, data, scratch, H);
  return {};
}

// The path under scratch.mean, from the start of the interval: the outputs hold it, as the master will.
Status follow_mean(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                   std::vector<Wrench>* impulses) noexcept {
  scratch.start.restore(data.state);
  write_outputs(model, data, scratch.mean.data(), scratch.R_middle.data());
  return run(model, data, scratch, InterfaceMotion::held_wrench, interval.start, interval.length, impulses);
}

// After the second trial: whether the contact is soft enough for it. If so, its mean is used, unless elements are
// implicit, with the factor that conserves energy: interface_energy.hpp.
//
// Both trials end at the same velocities, but at a distance d: in an oscillation their impulses differ by (w H)^2/2 m
// d/H.
bool accept_soft_contact(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval,
                         bool& changed) noexcept {
  const double H = interval.length;
  double first = 0.0, change = 0.0, apart = 0.0, load = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const Mat3& R = scratch.R_middle[i];
    const Wrench &one = scratch.impulses[i], &two = scratch.held_impulses[i];
    const Wrench apart_W = impulse_of_displacement(model, data, i, scratch.present_end[i], data.bodies()[i]);
    const double own = energy_of_impulse(model, data, i, R, one);
    const double changed_i = energy_of_impulse(model, data, i, R, {two.force - one.force, two.torque - one.torque});
    const double apart_i = energy_of_impulse(model, data, i, R, apart_W) / (H * H);
    scratch.phase[i] = changed_i > rounding * own && apart_i > 0.0 ? std::sqrt(changed_i / apart_i) : 0.0;
    const Wrench& outside = data.interfaces()[i].outside;
    load += energy_of_impulse(model, data, i, R, {H * outside.force, H * outside.torque});
    first += own, change += changed_i, apart += apart_i;
  }
  if (!(change <= std::min(0.25 * first, 1.25 * apart))) return false;
  changed = first > 0.0 && !solves(model);
  if (!changed) return true;
  scratch.conserves = change > conserving_phase * apart && load < conserving_load * first;
  if (scratch.conserves)
    conserve(model, data, scratch, H);
  else
    std::copy(scratch.held_impulses.begin(), scratch.held_impulses.end(), scratch.impulses.begin());
  find_middle(model, data, scratch);
  find_mean(model, data, scratch, H);
  return true;
}

// In lasting contact: the first trial again, over L H and with falling weights.
Status find_falling_mean(const Model& model, Data& data, CouplingScratch& scratch, const Interval& interval) noexcept {
  const double H = interval.length, steps = steps_in(data, H);
  const double L = chooses_steps(data) ? 2.5 : math::ceil(2.5 * steps) / steps;
  const InterfaceMotion motion = InterfaceMotion::present_wrench;
  scratch.start.restore(data.state);
  const Status status = run(model, data, scratch, motion, interval.start, L * H, &scratch.impulses, L);
  find_mean(model, data, scratch, H);
  return status;
}

// ---- inputs, rollback, outputs ----------------------------------------------------------------------------

// s, the interval after a step of H: as long as the master announces. If it announces nothing, or if this step is not
// as it announced, at least as long as the longest recent step, which decreases by 1 % in each step.
double next_length(Data& data, double H) noexcept {
  Exchange& exchange = data.exchange();
  const double next = data.globals().next_step;
  const bool kept = exchange.announced == 0.0 || same(H, exchange.announced);
  const double old = data.globals().coupled_step > 0.0 ? 0.99 * exchange.longest_step : 0.0;
  exchange.longest_step = std::max(H, old);
  exchange.announced = next;
  return next > 0.0 && kept ? next : std::max(next, exchange.longest_step);
}

// Whether body i was placed by the caller: no load displaces a body further in H than it changes the velocity. The
// expected wrench is excluded, since each master rounds it in its own way.
bool jumped(const Model& model, Data& data, std::size_t i, double H) noexcept {
  const Body& body = data.plant[i];
  const Interface& interface = data.interfaces()[i];
  const Momentum is(body, data.bodies()[i]), should(body, interface.expected);
  const Wrench held = about_centre_of_mass(data, body, data.outputs()[i], matrix(interface.start.q_WB));
  const double wrench = response_to(model, data, i, matrix(interface.start.q_WB), held).force.norm();
  const double known = (wrench + interface.outside.force.norm()) / body.mass;
  const double reach = H * (2.0 * (is.v_c_W - should.v_c_W).norm() + H * known) + 1e-9 * (1.0 + is.r_c_W.norm());
  return (is.r_c_W - should.r_c_W).norm() > reach;
}

// Places interface bodies at their inputs, and estimates their response and loads from the last step.
void read_inputs(const Model& model, Data& data) noexcept {
  extrapolate(model, data, InterfaceMotion::twist, 0.0);
  const double H = data.globals().coupled_step;  // of the last step; 0: there is none
  subtract_work(model, data, H);
  if (H > 0.0) add_interface_energy(model, data);
  if (H == 0.0) {
    forget_budgets(data);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) data.interfaces()[i].debt = 0.0;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    if (!body.interface()) continue;
    if (H > 0.0 && !jumped(model, data, i, H)) {
      estimate_response(model, data, i, H);
      continue;
    }
    forget_step(data, i);
    if (H == 0.0) continue;
    forget_budgets(data);
    forget_debt(model, data);
  }
  if (H > 0.0) judge_order(model, data);
  keep_inputs(model, data);
}

// The present states become the expected inputs after a step of H.
void expect_inputs(const Model& model, Data& data, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.interfaces()[i].expected = data.bodies()[i];
  data.globals().coupled_step = H;
}

void output_mean(const Model& model, Data& data, const CouplingScratch& scratch, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  write_outputs(model, data, scratch.mean.data(), scratch.R_middle.data());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    double& step = data.interfaces()[i].recommended_step;
    const double resolves = scratch.phase[i] > 0.0 ? H / std::sqrt(2.0 * scratch.phase[i]) : 0.0;
    if (resolves > 0.0 && (step == 0.0 || resolves < step)) step = resolves;
  }
}

}  // namespace

Status coupled_start(const Model& model, Data& data, CouplingScratch& scratch) noexcept {
  const double next = data.exchange().announced = data.globals().next_step;
  data.exchange().made_for = 0.0;
  if (next == 0.0) return {};
  find_stored_in_state(model, data, scratch.stored);
  std::copy(scratch.stored.begin(), scratch.stored.end(), scratch.budget.begin());
  std::fill(scratch.debt.begin(), scratch.debt.end(), 0.0);
  return predict_and_return(model, data, scratch, {0.0, next, false});
}

Status coupled_step(const Model& model, Data& data, CouplingScratch& scratch, Coupling coupling, double H) noexcept {
  return coupling == Coupling::jacobi ? jacobi_step(model, data, scratch, H)
                                      : gauss_seidel_step(model, data, scratch, H);
}

}  // namespace contactlib::step

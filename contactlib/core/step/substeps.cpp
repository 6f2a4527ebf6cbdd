#include "substeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "auto_step.hpp"
#include "contacts.hpp"
#include "element/elements.hpp"
#include "impulses.hpp"
#include "inputs.hpp"
#include "islands.hpp"
#include "math/elementary.hpp"
#include "math/rotation.hpp"
#include "monitor/deep.hpp"
#include "monitor/energy.hpp"
#include "monitor/fast.hpp"
#include "monitor/stability.hpp"
#include "motion.hpp"
#include "state/memory.hpp"
#include "verlet.hpp"

namespace contactlib::step {

using element::add_energy, element::commands_jumped, element::element_turns, element::keep_evaluation,
    element::keep_states, element::place_elements, element::solve_elements, element::solves, element::step_elements,
    element::supply_stored, element::swap_commands;
using math::matrix;
using model::Integrator;
using monitor::add_heat, monitor::add_work, monitor::check_energy, monitor::check_step, monitor::add_jump,
    monitor::summarise, monitor::watch_depth, monitor::watch_speed;
using state::Contact, state::Globals, state::Wrench, state::end_contacts, state::remember;

namespace {

// More sub-steps in one call mean a step_size in a wrong unit.
constexpr double max_steps = 1e7;
// Of a run: the shortest sub-step that the core chooses.
constexpr double shortest_part = 1.0 / max_steps;
constexpr double no_limit = std::numeric_limits<double>::infinity();

// Forces on both bodies at the same point, summed in the order of contacts: momentum is conserved and runs repeat. The
// sums of two bodies stay in registers from contact to contact.
void sum_wrenches(const Model& model, Data& data) noexcept {
  Wrench* const wrenches = data.wrenches_W();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) wrenches[i] = {Vec3::Zero(), Vec3::Zero()};
  const Contact *c = data.contacts.data(), *const end = c + data.count;
  while (c != end) {
    const std::int32_t body_a = c->body_a, body_b = c->body_b;
    Wrench a = wrenches[body_a], b = wrenches[body_b];
    for (; c != end && c->body_a == body_a && c->body_b == body_b; ++c) {
      a.force -= c->f_B_W;
      a.torque -= c->p_AC_W.cross(c->f_B_W) + c->t_B_W;
      b.force += c->f_B_W;
      b.torque += c->p_BC_W.cross(c->f_B_W) + c->t_B_W;
    }
    wrenches[body_a] = a;
    wrenches[body_b] = b;
  }
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

// A command that jumps changes its element at once: the additional stored energy is supplied by the command.
Status take_jumps(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  if (!commands_jumped(model, data)) return {};
  for (const double sign : {-1.0, 1.0}) {  // with the old commands, then with the new ones
    swap_commands(model, data);
    if (Status status = evaluate_present(model, data, motion); !status) return status;
    supply_stored(model, data, sign);
  }
  data.globals().fresh = 1.0;
  return {};
}

void update_peaks(const Model& model, Data& data, double time) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Vec3& force_W = data.wrenches_W()[i].force;
    double force = force_W.norm();
    if (!std::isfinite(force)) force = 1e200 * (1e-200 * force_W).norm();  // only the squares were too large
    if (force > data.peaks()[i].force) data.peaks()[i] = {force, time};
  }
}

void keep_start(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.before[i] = data.bodies()[i];
    data.contact_wrenches_before[i] = data.contact_wrenches_W()[i];
  }
}

Status check_motion(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!finite(data.bodies()[i])) return {Code::not_finite, static_cast<std::int32_t>(i)};
  return {};
}

// A parameter that changed: the additional stored energy is no error of the steps.
Status take_parameters(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  const double stored = data.globals().energy_stored;
  if (Status status = evaluate_present(model, data, motion); !status) return status;
  summarise(model, data);
  add_jump(model, data, stored);
  data.globals().tuned = 0.0;
  return {};
}

// If the first step begins without an evaluation: the energy stored in contacts belongs to the start.
Status begin_energy(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  Globals& g = data.globals();
  if (g.begun != 0.0 || g.fresh != 0.0 || model.user_laws) return {};  // user laws are not evaluated twice
  if (Status status = contacts_and_wrenches(model, data, motion, 0.0); !status) return status;
  const double stored = g.energy_stored;
  summarise(model, data);
  add_jump(model, data, stored);
  return {};
}

// Estimates the step limit in the first sub-steps of contact, and then at intervals.
bool watches_step(const Data& data) noexcept {
  const double contact_steps = data.globals().contact_steps;
  return data.count != 0 && (contact_steps <= 2.0 || math::fmod(contact_steps, 16.0) == 0.0);
}

// How a run of sub-steps moves bodies.
struct Scheme {
  bool rk4, moves;      // moves: the core integrates bodies
  bool verlet = false;  // sub-steps of different lengths, see verlet.hpp
};

Status evaluate_stage(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept {
  const Status status = contacts_and_wrenches(model, data, motion, h);
  if (status && chooses_steps(data)) judge_stage(model, data, h);
  return status;
}

// Up to the evaluation at the end of the sub-step.
Status start_substep(const Model& model, Data& data, const Substep& now, const Scheme& scheme) noexcept {
  const auto [motion, tau, h, sums] = now;
  data.tau = tau;
  keep_start(model, data);
  add_path_work(model, data, 0.5 * h, sums);
  if (!scheme.rk4) add_energy(model, data, 0.5 * h, 0.0);  // rk4 has its own nodes
  if (Status status = solve_elements(model, data, motion, h); !status) return status;
  std::copy_n(data.wrenches_W(), model.bodies.size(), data.total_wrenches_before.begin());
  if (scheme.verlet) {
    add_impulses(model, data, 0.5 * h, sums);
    add_free_work(model, data, 0.5 * h, sums);
    predict_motion(model, data, now);
    data.trial.verlet = true;
  } else if (Status status = move_bodies(model, data, now, evaluate_stage); !status) {
    return status;
  }
  Status status = check_motion(model, data);
  if (status) status = contacts_and_wrenches(model, data, motion, h);
  data.trial.verlet = false;
  return status;
}

Status end_substep(const Model& model, Data& data, const Substep& now, const Scheme& scheme,
                   double held_step) noexcept {
  const auto [motion, tau, h, sums] = now;
  if (model.user_laws)
    if (Status status = end_contacts(model, data); !status) return status;
  if (scheme.verlet) {
    correct_motion(model, data, now);
    add_impulses(model, data, 0.5 * h, sums);
    add_free_work(model, data, 0.5 * h, sums);
  }
  add_path_work(model, data, 0.5 * h, sums);
  if (sums) join_contacts(model, data, *sums->islands);
  remember(model, data);
  keep_states(model, data);
  add_energy(model, data, scheme.rk4 ? 0.0 : 0.5 * h, h);
  if (!scheme.rk4) add_work(model, data, h, scheme.moves && !scheme.verlet);
  const double rate_before = data.globals().heat;
  summarise(model, data);
  add_heat(data, h, rate_before);
  const double end = data.globals().time + tau + h;
  if (Status status = check_energy(model, data, h, end, scheme.moves); !status) return status;
  update_peaks(model, data, end);
  watch_depth(model, data, end);
  if (!chooses_steps(data) || data.trial.unseen) watch_speed(model, data, h, end);
  if (watches_step(data)) check_step(model, data, h, held_step);
  const bool under_loads = scheme.moves || motion != InterfaceMotion::twist;
  if (under_loads && element_turns(model, data)) return evaluate_present(model, data, motion);
  return {};
}

Status substep(const Model& model, Data& data, const Substep& now, double held_step) noexcept {
  const Scheme scheme{model.options.integrator == Integrator::rk4, any_integrates(model, now.motion)};
  if (Status status = start_substep(model, data, now, scheme); !status) return status;
  return end_substep(model, data, now, scheme, held_step);
}

// Adds the mean wrench over a sub-step, times its part of the run. Velocity Verlet moves bodies by the mean of both ends.
void add_mean(const Model& model, Data& data, double part, bool of_ends) noexcept {
  const double start = of_ends ? 0.5 * part : 0.0, end = part - start;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench &before = data.total_wrenches_before[i], &now = data.wrenches_W()[i];
    data.mean[i].force += end * now.force;
    data.mean[i].torque += end * now.torque;
    if (!of_ends) continue;
    data.mean[i].force += start * before.force;
    data.mean[i].torque += start * before.torque;
  }
}

// Adds the wrenches of one of `steps` equal sub-steps to the mean. One alone is not divided by 1: same bits, less time.
void add_to_mean(const Model& model, Data& data, double steps) noexcept {
  const Wrench* const now = data.wrenches_W();
  if (steps == 1.0) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      data.mean[i].force += now[i].force, data.mean[i].torque += now[i].torque;
    return;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    data.mean[i].force += now[i].force / steps, data.mean[i].torque += now[i].torque / steps;
}

// A trial that fails may only have been too long. If the capacity for contacts may grow, the caller repeats the whole step
// with more of it, so that the bits do not depend on it.
bool may_be_too_long(const Model& model, const Status& status) noexcept {
  if (status.code == Code::contact_overflow) return !model.contacts_grow;
  return status.code == Code::not_finite || status.code == Code::element_failed;
}

// One sub-step from `t` after the start of the run on, by trials (auto_step.hpp). Returns its length in `h`. `left`: the
// number of trials that the run may still make.
Status chosen_substep(const Model& model, Data& data, const Run& run, ImpulseSums* sums, const Scheme& scheme, double t,
                      double& h, double& left) noexcept {
  const double floor = shortest_part * run.length, rest = run.length - t;
  ImpulseSums* const corrects = sums && sums->impulses && !scheme.rk4 && !scheme.verlet ? sums : nullptr;
  double wanted = first_trial(model, data, run.motion, rest, floor);
  h = std::max(wanted, rest / left);
  for (int trials = 0;; ++trials) {
    keep_start_of_trial(model, data, sums);
    const Substep now{run.motion, run.start + t, h, sums};
    data.tau = now.tau, data.trial.length = h, data.trial.next = 0.0;
    if (sums) sums->weigh_at((scheme.rk4 ? t + 0.5 * h : t) / run.length);
    if (!scheme.rk4 && !scheme.verlet) shift_velocities(model, data, run.motion, h, t == 0.0, corrects);
    const Status status = start_substep(model, data, now, scheme);
    if (!status && (!may_be_too_long(model, status) || h <= floor)) return status;
    left -= 1.0;
    const double next = status ? next_trial(model, data, h, floor, trials) : std::max(0.25 * h, floor);
    if (next == 0.0) break;
    wanted = std::min(wanted, next);
    if (!(rest / left < h)) {  // another trial would be no shorter
      if (!status) return status;
      accept_trial(model, data, h);
      break;
    }
    undo_trial(model, data, sums);
    data.globals().refused_sub_steps += 1.0;
    h = std::max(next, rest / left);
  }
  if (h > 1.001 * wanted) watch_limit(data, {h, wanted}, data.globals().time + run.start + t + h);
  if (sums && scheme.verlet) sums->weigh_at((t + h) / run.length);
  const double time = data.globals().time + run.start + t + h;
  count_substep(data, h, floor, time);
  return end_substep(model, data, {run.motion, run.start + t, h, sums}, scheme, run.held_step);
}

void begin_run(const Model& model, Data& data, const Run& run) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.peaks()[i] = {0.0, data.globals().time + run.start};
  std::fill(data.mean.begin(), data.mean.end(), Wrench{Vec3::Zero(), Vec3::Zero()});
}

Status chosen_substeps(const Model& model, Data& data, const Run& run, ImpulseSums* sums) noexcept {
  const bool rk4 = model.options.integrator == Integrator::rk4;
  const Scheme scheme{rk4, any_integrates(model, run.motion), !rk4 && !solves(model)};
  begin_run(model, data, run);
  const double limit = data.globals().max_sub_steps;
  double h = 0.0, left = limit > 0.0 ? limit : no_limit;
  for (double t = 0.0; t < run.length;) {
    if (Status status = chosen_substep(model, data, run, sums, scheme, t, h, left); !status) return status;
    add_mean(model, data, h / run.length, scheme.verlet);
    t = h >= run.length - t ? run.length : t + h;
  }
  if (!sums || !sums->impulses || rk4 || scheme.verlet) return {};
  sums->weigh_at(1.0);
  correct_end(model, data, run.motion, 0.5 * h, *sums);
  return {};
}

}  // namespace

Status contacts_and_wrenches(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept {
  place_elements(model, data, motion, h);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  if (Status status = find_contacts(model, data, h); !status) return status;
  sum_wrenches(model, data);
  if (!model.elements.empty()) std::copy_n(data.wrenches_W(), model.bodies.size(), data.contact_wrenches_W());
  if (Status status = step_elements(model, data, motion, h); !status) return status;
  return check_wrenches(model, data);
}

Status evaluate_present(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  if (Status status = contacts_and_wrenches(model, data, motion, 0.0); !status) return status;
  keep_evaluation(model, data);
  if (chooses_steps(data)) find_contact_step(model, data);
  return {};
}

Status begin_motion(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  if (Status status = begin_energy(model, data, motion); !status) return status;
  if (Status status = take_jumps(model, data, motion); !status) return status;
  if (data.globals().tuned != 0.0 && !model.user_laws) return take_parameters(model, data, motion);
  data.globals().tuned = 0.0;
  if (!any_integrates(model, motion) || data.globals().fresh != 0.0) return {};
  return evaluate_present(model, data, motion);
}

double steps_in(const Data& data, double dt) noexcept {
  const double steps = std::max(1.0, math::ceil(dt / data.globals().step_size * (1.0 - 1e-9)));
  const double limit = data.globals().max_sub_steps;
  return limit > 0.0 ? std::min(steps, limit) : steps;
}

Status substeps(const Model& model, Data& data, const Run& run, ImpulseSums* sums) noexcept {
  if (chooses_steps(data)) return chosen_substeps(model, data, run, sums);
  const double steps = steps_in(data, run.length);
  if (steps > max_steps) return {Code::bad_step, -1};
  data.globals().last_sub_step = 0.0;
  const double h = run.length / steps, longest = data.globals().step_size;
  if (h > 1.001 * longest) watch_limit(data, {h, longest}, data.globals().time + run.start + run.length);
  const bool rk4 = model.options.integrator == Integrator::rk4, corrects = sums && sums->impulses && !rk4;
  begin_run(model, data, run);
  if (sums) sums->weigh_at(0.0);
  if (corrects) correct_end(model, data, run.motion, -0.5 * h, *sums);
  for (double k = 0; k < steps; ++k) {
    if (sums) sums->weigh_at((rk4 ? k + 0.5 : k) / steps);
    const Substep now{run.motion, run.start + k * h, h, sums};
    if (Status status = substep(model, data, now, run.held_step); !status) return status;
    add_to_mean(model, data, steps);
  }
  if (sums) sums->weigh_at(1.0);
  if (corrects) correct_end(model, data, run.motion, 0.5 * h, *sums);
  count_substeps(data, steps, h);
  return {};
}

}  // namespace contactlib::step

#include "auto_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/pairs.hpp"
#include "math/elementary.hpp"
#include "math/rotation.hpp"
#include "monitor/energy.hpp"
#include "monitor/fast.hpp"
#include "monitor/stability.hpp"
#include "motion.hpp"
#include "state/memory.hpp"

namespace contactlib::step {

using geometry::Shape, geometry::pair_row_index;
using math::matrix;
using model::Coupling, model::Motion, model::WrenchOutput;
using monitor::FastestMode, monitor::Rates, monitor::add_work, monitor::contact_rates, monitor::fastest_mode,
    monitor::sliding_rates, monitor::step_before_passing, monitor::step_that_sees;
using state::Contact, state::Globals, state::Recollection, state::has_interfaces, state::memory_key, state::recollect;

namespace {

constexpr double none = std::numeric_limits<double>::infinity();
constexpr double resolved = 0.04;   // h (w + d)
constexpr double rubbing = 0.25;    // ... of friction, whose stick and slip are of first order in h anyway
constexpr double tolerated = 1.5;   // ... of a trial at its end: stiffness may grow over it
constexpr double jump_part = 1e-3;  // h d, where the force of a damper begins
constexpr double least_part = 0.05;  // of the resolved step: a shorter one gains nothing for a damper
constexpr double turn_part = 0.02;  // change of the angular velocity by its own gyroscopic torque
constexpr int estimates = 15;  // trials by estimated times; further ones are halved

// Whether interface bodies give way: coupling predicts their motion, and a mean wrench has to be resolved.
bool interfaces_give_way(const Model& model, const Data& data) noexcept {
  const Globals& g = data.globals();
  return has_interfaces(model) && (g.coupling != static_cast<double>(Coupling::none) ||
                                   g.wrench_output == static_cast<double>(WrenchOutput::mean));
}

double step_for(const Rates& rates, double part = resolved) noexcept {
  const double rate = std::sqrt(rates.w2) + rates.d;
  return rate > 0.0 ? part / rate : none;
}

// That friction allows.
double sliding_step(const Model& model, Data& data, bool held) noexcept {
  double limit = none;
  for (std::size_t k = 0; k < data.count; ++k)
    limit =
        std::min(limit, step_for(sliding_rates(model, data, held, data.contacts[k], data.trial.modes.data()), rubbing));
  return limit;
}

FastestMode mode_of(const Model& model, Data& data, bool held) noexcept {
  return fastest_mode(model, data, held, 0.0, data.trial.modes.data());
}

// Of the present contacts, also as they will be after a sub-step of this length.
double resolving_step(const Model& model, Data& data, bool held, const FastestMode& mode, double sliding) noexcept {
  const double h = std::min(step_for(mode.rates), sliding);
  if (h == none) return h;
  const auto deepens = [h](const Contact& c) { return c.depth_rate * h > 0.5 * c.depth; };
  const auto end = data.contacts.begin() + static_cast<std::ptrdiff_t>(data.count);
  if (std::none_of(data.contacts.begin(), end, deepens)) return h;
  return std::min(h, step_for(fastest_mode(model, data, held, h, data.trial.modes.data()).rates));
}

// Whether the two shapes had no contact at the start of the sub-step.
bool begins(const Model& model, const Data& data, const Contact& c) noexcept {
  if (c.age > 0.0) return false;
  const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  const Recollection old = recollect(data, memory_key(model, pair_row_index(A.kind, B.kind), c.shape_a, c.shape_b));
  return old.first == old.last;
}

// What contacts that a trial of h resolves too coarsely need: a sub-step, and the time at which the first one begins.
struct Coarse {
  double step = none, begin = none;  // s
  double sliding = none;  // s, that friction allows, if contacts are resolved along their normals
};

// A trial of h, evaluated at `time` after its start, s.
struct Node {
  double h, time;
};

void judge_contact(const Model& model, Data& data, bool held, const Node& at, const Contact& c, Coarse& out) noexcept {
  const bool is_new = begins(model, data, c);
  const Rates rates = contact_rates(model, data, held, c, data.trial.modes.data());
  double allowed = step_for(rates);
  if (is_new && rates.d > 0.0) allowed = std::max(std::min(allowed, jump_part / rates.d), least_part * allowed);
  if (!(at.h > tolerated * allowed)) return;
  out.step = std::min(out.step, allowed);
  const double since = c.depth_rate > 0.0 ? c.depth / c.depth_rate : 0.5 * at.time;
  out.begin = std::min(out.begin, is_new ? at.time - since : 0.0);
}

Coarse judge_contacts(const Model& model, Data& data, bool held, const Node& at, const FastestMode& mode) noexcept {
  Coarse out;
  const double together = step_for(mode.rates);
  const bool coarse = at.h > tolerated * together;
  for (std::size_t k = 0; k < data.count; ++k)
    if (coarse || data.contacts[k].age == 0.0) judge_contact(model, data, held, at, data.contacts[k], out);
  if (!coarse && out.step == none) {  // contacts are resolved along their normals
    out.sliding = sliding_step(model, data, held);
    if (at.h > tolerated * out.sliding) out.step = out.sliding, out.begin = 0.0;
  }
  if (!coarse) return out;
  if (out.step == none) out.begin = 0.0;  // each of them alone would be resolved
  out.step = std::min(out.step, together);
  return out;
}

// s, a trial shorter than h: until just before the contact begins, or a short one.
double shorter(const Coarse& coarse, double h) noexcept {
  if (coarse.step == none) return h;
  const double next = coarse.begin > 2.0 * coarse.step ? coarse.begin - 0.5 * coarse.step : coarse.step;
  return std::min(next, h - 0.25 * std::min(coarse.step, h));
}

// s, in which the angular velocity of a body changes its direction by turn_part.
double turning_step(const Model& model, Data& data, InterfaceMotion motion) noexcept {
  double limit = none;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!integrates(model, motion, i)) continue;
    const Vec3 w_B = matrix(data.bodies()[i].q_WB).transpose() * data.bodies()[i].w_WB;
    const model::Body& body = data.plant[i];
    const double rate = (body.I_BBcm_inverse * w_B.cross(body.I_BBcm * w_B)).norm(), w = w_B.norm();
    if (rate > 0.0) limit = std::min(limit, turn_part * w / rate);
  }
  return limit;
}

}  // namespace

bool chooses_steps(const Data& data) noexcept { return data.globals().auto_step != 0.0; }

void find_contact_step(const Model& model, Data& data) noexcept {
  const bool held = interfaces_give_way(model, data);
  const double h = resolving_step(model, data, held, mode_of(model, data, held), sliding_step(model, data, held));
  data.globals().contact_step = h == none ? 0.0 : h;
}

double first_trial(const Model& model, Data& data, InterfaceMotion motion, double rest, double floor) noexcept {
  const Globals& g = data.globals();
  double h = std::min({rest, g.step_size, turning_step(model, data, motion)});
  if (g.contact_step > 0.0) h = std::min(h, g.contact_step);
  h = std::max(step_before_passing(model, data, h), floor);
  const double steps =
      math::ceil(rest / h * (1.0 - 1e-9));  // equal ones, so that a constant limit gives a constant step
  return steps > 1.0 ? rest / steps : rest;
}

double next_trial(const Model& model, Data& data, double h, double floor, int trials) noexcept {
  const bool held = interfaces_give_way(model, data);
  const FastestMode mode = mode_of(model, data, held);
  const Coarse coarse = judge_contacts(model, data, held, {h, h}, mode);
  const double seen = step_that_sees(model, data, h);
  double next = std::min(seen, shorter(coarse, h));
  if (data.trial.next > 0.0) next = std::min(next, data.trial.next);
  if (h <= 1.001 * floor || (coarse.step == none && data.trial.next == 0.0 && next > 0.999 * h)) {
    const double allowed = resolving_step(model, data, held, mode, coarse.sliding);
    data.globals().contact_step = allowed == none ? 0.0 : allowed;
    data.trial.unseen = seen < 0.999 * h;
    return 0.0;
  }
  if (trials >= estimates) next = std::min(next, 0.5 * h);
  return std::max(next, floor);
}

void accept_trial(const Model& model, Data& data, double h) noexcept { next_trial(model, data, h, h, 0); }

void watch_limit(Data& data, const Limited& limited, double time) noexcept {
  Globals& g = data.globals();
  if (g.limited == 0.0) g.sub_step_limit_reached += 1.0;
  g.limited = 1.0;
  if (g.limit_reported != 0.0) return;
  g.limit_reported = 1.0, g.limit_time = time, g.limit_step = limited.h, g.limit_wanted = limited.wanted;
}

void judge_stage(const Model& model, Data& data, double time) noexcept {
  if (data.trial.next != 0.0) return;
  const bool held = interfaces_give_way(model, data);
  const double h = data.trial.length;
  const Coarse coarse = judge_contacts(model, data, held, {h, time}, mode_of(model, data, held));
  if (coarse.step != none) data.trial.next = shorter(coarse, h);
}

namespace {

// Calls `copy(numbers, count)` for all sums of a run.
template <class Copy>
void for_sums(const Model& model, const ImpulseSums& sums, const Copy& copy) noexcept {
  const std::size_t bodies = model.bodies.size();
  if (sums.impulses) copy(sums.impulses->force.data(), bodies * state::wrench_width);
  if (sums.moments) copy(sums.moments->force.data(), bodies * state::wrench_width);
  if (sums.work) copy(sums.work, bodies);
  if (sums.free_work) copy(sums.free_work, bodies);
}

}  // namespace

void keep_start_of_trial(const Model& model, Data& data, const ImpulseSums* sums) noexcept {
  data.trial.start.save(data.state, data.used());
  if (!sums) return;
  double* out = data.trial.sums.data();
  for_sums(model, *sums, [&](const double* from, std::size_t count) { out = std::copy_n(from, count, out); });
}

void undo_trial(const Model& model, Data& data, ImpulseSums* sums) noexcept {
  data.trial.start.restore(data.state);
  if (!sums) return;
  const double* in = data.trial.sums.data();
  for_sums(model, *sums, [&](double* to, std::size_t count) {
    std::copy_n(in, count, to);
    in += count;
  });
}

void shift_velocities(const Model& model, Data& data, InterfaceMotion motion, double h, bool first,
                      ImpulseSums* corrects) noexcept {
  const double last = data.globals().last_sub_step, shift = last > 0.0 ? 0.5 * (last - h) : 0.0;
  const double duration = first ? -0.5 * h : shift;
  if (corrects && duration != 0.0) correct_end(model, data, motion, duration, *corrects);
  if (shift == 0.0) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.before[i] = data.bodies()[i];
    data.R_WB[i] = matrix(data.bodies()[i].q_WB);
    data.contact_wrenches_before[i] = data.total_wrenches_before[i] = {Vec3::Zero(), Vec3::Zero()};
    if (model.bodies[i].motion != Motion::free) continue;
    data.contact_wrenches_before[i] = data.contact_wrenches_W()[i];
    data.total_wrenches_before[i] = data.wrenches_W()[i];
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::free) continue;
    const Load load = load_on(model, data, motion, i, data.R_WB[i], data.R_WB[i] * data.plant[i].p_BBcm);
    change_momentum(data.plant[i], shift * load.force, shift * load.torque, data.bodies()[i]);
  }
  add_work(model, data, shift, true);
}

void count_substeps(Data& data, double steps, double h) noexcept {
  Globals& g = data.globals();
  g.sub_steps += steps;
  g.sub_step_time += steps * h;
  g.shortest_sub_step = g.shortest_sub_step > 0.0 ? std::min(g.shortest_sub_step, h) : h;
}

void count_substep(Data& data, double h, double floor, double time) noexcept {
  Globals& g = data.globals();
  g.last_sub_step = h;
  count_substeps(data, 1.0, h);
  if (g.floor_reported != 0.0 || h > 1.001 * floor || !(g.contact_step > 0.0) || g.contact_step >= 0.5 * h) return;
  g.floor_reported = 1.0, g.floor_time = time, g.floor_step = h, g.floor_wanted = g.contact_step;
}

}  // namespace contactlib::step

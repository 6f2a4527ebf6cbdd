#include "step.hpp"

#include <algorithm>
#include <cmath>

#include "coupling.hpp"
#include "element/elements.hpp"
#include "energy_budget.hpp"
#include "math/ranges.hpp"
#include "math/rotation.hpp"
#include "monitor/energy.hpp"
#include "response.hpp"
#include "substeps.hpp"

namespace contactlib {

namespace {

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

Status alone(const Model& model, Data& data, double dt) noexcept {
  if (Status status = begin_motion(model, data); !status) return status;
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
Status evaluate_far(const Model& model, Data& data, double tau, double dt) noexcept {
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
    if (Status status = evaluate_far(model, data, tau, dt); !status) return status;
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
  if (Status status = begin_motion(model, data); !status) return status;
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

Status evaluate(const Model& model, Data& data, const BodyState* states) noexcept {
  data.keep();
  Status status = states != nullptr ? set_states(model, data, states) : Status{};
  if (status) status = evaluate_present(model, data);
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

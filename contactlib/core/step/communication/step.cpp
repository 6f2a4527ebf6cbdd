#include "step.hpp"

#include <cmath>

#include "coupling.hpp"
#include "element/elements.hpp"
#include "energy_budget.hpp"
#include "monitor/energy.hpp"
#include "step/outputs.hpp"
#include "step/plant.hpp"
#include "step/substeps.hpp"

namespace contactlib::step {

using element::accept_steps;
using model::Coupling, model::WrenchOutput;
using monitor::add_jump, monitor::summarise;
using state::Globals, state::has_interfaces;

namespace {

Status begin(const Model& model, Data& data, const BodyState* states) noexcept {
  data.begin_call(states != nullptr);
  if (Status status = update_plant(model, data); !status) return status;
  return states != nullptr ? set_states(model, data, states) : Status{};
}

// Rolls back after a failure.
Status finish_call(Status status, Data& data) noexcept {
  if (!status) data.roll_back();
  return status;
}

// External bodies move along their twist.
Status uncoupled_step(const Model& model, Data& data, double dt, double held_step) noexcept {
  const InterfaceMotion motion = InterfaceMotion::twist;
  if (Status status = begin_motion(model, data, motion); !status) return status;
  if (Status status = substeps(model, data, {motion, 0.0, dt, held_step}, nullptr); !status) return status;
  accept_steps(data);
  const bool mean = data.globals().wrench_output == static_cast<double>(WrenchOutput::mean);
  write_outputs(model, data, mean ? data.mean.data() : data.wrenches_W(), data.R_WB.data());
  return {};
}

Status take_step(const Model& model, Data& data, Coupling coupling, double dt) noexcept {
  if (coupling == Coupling::none) return uncoupled_step(model, data, dt, dt);
  if (!has_interfaces(model)) return uncoupled_step(model, data, dt, 0.0);
  return coupled_step(model, data, data.coupling, coupling, dt);
}

}  // namespace

Status evaluate(const Model& model, Data& data, const BodyState* states) noexcept {
  Status status = begin(model, data, states);
  if (status) status = evaluate_present(model, data, InterfaceMotion::twist);
  if (!status) return finish_call(status, data);
  const double stored = data.globals().energy_stored;
  summarise(model, data);
  add_jump(model, data, stored);
  write_outputs(model, data, data.wrenches_W(), data.R_WB.data());
  data.globals().fresh = 1.0;
  data.globals().tuned = 0.0;
  data.globals().coupled_step = 0.0;
  if (has_interfaces(model)) keep_stored(model, data);
  if (has_interfaces(model) && data.globals().coupling == static_cast<double>(Coupling::jacobi))
    if (status = coupled_start(model, data, data.coupling); !status) return finish_call(status, data);
  return finish_call(check_outputs(model, data), data);
}

Status advance(const Model& model, Data& data, double dt, const BodyState* states) noexcept {
  if (!(std::isfinite(dt) && dt > 0.0)) return {Code::bad_step, -1};
  Status status = begin(model, data, states);
  Globals& g = data.globals();
  g.sub_steps = g.refused_sub_steps = g.sub_step_time = g.shortest_sub_step = g.limited = 0.0;
  const double end = g.time + dt;
  const auto coupling = static_cast<Coupling>(static_cast<int>(g.coupling));
  if (status) status = take_step(model, data, coupling, dt);
  if (status) status = check_outputs(model, data);
  g.time = end;
  g.fresh = 1.0;
  return finish_call(status, data);
}

}  // namespace contactlib::step

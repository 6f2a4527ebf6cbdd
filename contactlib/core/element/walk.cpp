// Runs the functions of all elements of a model; the same for every kind.
#include <algorithm>
#include <cmath>

#include "elements.hpp"
#include "math/ranges.hpp"
#include "math/rotation.hpp"

namespace contactlib::element {

using math::matrix;
using model::Motion, model::the_world;
using state::ElementSlots;

namespace {

ElementNow now(const Model& model, Data& data, InterfaceMotion motion, std::size_t i, double h) noexcept {
  const ElementSlots& at = data.elements[i];
  double* const state = data.state.data();
  return {model,
          model.elements[i],
          data,
          motion,
          h,
          state + at.parameters,
          state + at.present,
          state + at.rates,
          state + at.state,
          data.element_next.data() + at.next,
          state + at.outputs,
          data.energy(i),
          data.element_scratch[i].get()};
}

}  // namespace

ElementNow ElementNow::other(std::int32_t i) const noexcept { return now(model, data, motion, i, h); }

double* ElementNow::output(int index) const noexcept {
  return outputs + row_of(element).outputs.place(index, element.ports);
}

BodyState ElementNow::body(int k) const noexcept {
  const std::int32_t i = element.bodies[k];
  if (i == the_world) return {Vec3::Zero(), Quat(1, 0, 0, 0), Vec3::Zero(), Vec3::Zero()};
  return data.bodies()[i];
}

Mat3 ElementNow::rotation(int k) const noexcept {
  const std::int32_t i = element.bodies[k];
  return i == the_world ? Mat3(Mat3::Identity()) : data.R_WB[i];
}

void ElementNow::add(int k, const Wrench& wrench_W) const noexcept {
  const std::int32_t i = element.bodies[k];
  if (i == the_world) return;
  data.wrenches_W()[i].force += wrench_W.force;
  data.wrenches_W()[i].torque += wrench_W.torque;
}

void ElementNow::put(int k, const BodyState& state) const noexcept {
  const std::int32_t i = element.bodies[k];
  if (i != the_world && model.bodies[i].motion == Motion::driven) data.bodies()[i] = state;
}

std::size_t width(const ElementVariables& variables, std::int32_t ports) noexcept {
  std::size_t count = 0;
  for (const ElementVariable& variable : variables) count += variable.per_port ? ports : 1;
  return count;
}

void extrapolate_commands(const Model& model, Data& data, double tau) noexcept {
  double* const state = data.state.data();
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    for (std::size_t k = 0; k < model.elements[i].commands.size(); ++k)
      state[at.present + k] = state[at.commands + k] + tau * state[at.rates + k];
  }
}

void place_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const std::vector<double>& start = model.elements[i].state;
    const ElementNow at = now(model, data, motion, i, h);
    std::copy_n(at.state, start.size(), at.next);
    if (row_of(at.element).place) row_of(at.element).place(at);
  }
}

namespace {

Status step_rows(const Model& model, Data& data, InterfaceMotion motion, double h, bool implicit) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementNow at = now(model, data, motion, i, h);
    if ((row_of(at.element).solve != nullptr) != implicit) continue;
    at.energy.turns = 0.0;
    if (const Status status = row_of(at.element).step(at); !status)
      return {Code::element_failed, static_cast<std::int32_t>(i), status.port};
    if (!std::isfinite(at.energy.stored) || !std::isfinite(at.energy.heat) || !std::isfinite(at.energy.supply))
      return {Code::element_failed, static_cast<std::int32_t>(i)};
    // a finite force may have a length that is not
    const std::size_t outputs = data.elements[i].state - data.elements[i].outputs;
    if (!math::finite(at.outputs, outputs)) return {Code::element_failed, static_cast<std::int32_t>(i)};
  }
  return {};
}

}  // namespace

Status step_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept {
  if (const Status status = step_rows(model, data, motion, h, false); !status) return status;
  if (!solves(model)) return {};
  std::copy_n(data.wrenches_W(), model.bodies.size(), data.explicit_wrenches_W());
  return step_rows(model, data, motion, h, true);
}

Status solve_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept {
  if (!solves(model)) return {};
  std::copy_n(data.explicit_wrenches_W(), model.bodies.size(), data.wrenches_W());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.R_WB[i] = matrix(data.bodies()[i].q_WB);
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementNow at = now(model, data, motion, i, h);
    if (row_of(at.element).solve == nullptr) continue;
    if (const Status status = row_of(at.element).solve(at); !status)
      return {Code::element_failed, static_cast<std::int32_t>(i), status.port};
  }
  return {};
}

bool holds_rigidly(const Model& model) noexcept {
  return std::any_of(model.elements.begin(), model.elements.end(),
                     [](const Element& element) { return row_of(element).rigid; });
}

bool solves(const Model& model) noexcept {
  return std::any_of(model.elements.begin(), model.elements.end(),
                     [](const Element& element) { return row_of(element).solve != nullptr; });
}

bool has_iteration_limit(const Model& model) noexcept {
  return std::any_of(model.elements.begin(), model.elements.end(),
                     [](const Element& element) { return row_of(element).limit_output >= 0; });
}

double limited_steps(const Model& model, const Data& data, std::size_t i) noexcept {
  const Element& element = model.elements[i];
  const ElementRow& row = row_of(element);
  if (row.limit_output < 0) return 0.0;
  return data.state[data.elements[i].outputs + row.outputs.place(row.limit_output, element.ports)];
}

void add_energy(const Model& model, Data& data, double part, double whole) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    ElementEnergy& energy = data.energy(i);
    const ElementRow& row = row_of(model.elements[i]);
    const double weight = row.solve == nullptr && row.power == ElementPower::instant ? part : whole;
    energy.lost += weight * energy.heat;
    energy.dissipated = std::max(energy.dissipated, energy.lost);
    energy.supplied += weight * energy.supply;
  }
}

void supply_stored(const Model& model, Data& data, double sign) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i) data.energy(i).supplied += sign * data.energy(i).stored;
}

void keep_evaluation(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    std::copy_n(data.element_next.begin() + at.next, model.elements[i].state.size(), data.state.begin() + at.state);
  }
}

void keep_states(const Model& model, Data& data) noexcept {
  keep_evaluation(model, data);
  double* const state = data.state.data();
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    std::copy_n(state + at.present, model.elements[i].commands.size(), state + at.held);
    data.energy(i).begun = 1.0;
  }
}

void accept_steps(Data& data) noexcept {
  for (const std::unique_ptr<ElementScratch>& scratch : data.element_scratch)
    if (scratch) scratch->accept();
}

bool element_turns(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.elements.size(); ++i)
    if (data.energy(i).turns != 0.0) return true;
  return false;
}

bool commands_jumped(const Model& model, const Data& data) noexcept {
  const double* const state = data.state.data();
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    if (data.energy(i).begun == 0.0 || row_of(model.elements[i]).jump == ElementJump::waits) continue;
    for (std::size_t k = 0; k < model.elements[i].commands.size(); ++k) {
      const double present = state[at.present + k], held = state[at.held + k];
      if (std::abs(present - held) > 1e-12 * std::abs(held)) return true;
    }
  }
  return false;
}

void swap_commands(const Model& model, Data& data) noexcept {
  double* const state = data.state.data();
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    std::swap_ranges(state + at.present, state + at.present + model.elements[i].commands.size(), state + at.held);
  }
}

}  // namespace contactlib::element

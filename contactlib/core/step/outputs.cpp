#include "outputs.hpp"

#include <cmath>

#include "inputs.hpp"
#include "math/ranges.hpp"

namespace contactlib::step {

using model::Frame;
using state::ElementSlots, state::Globals, state::energy_width;

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

Status check_outputs(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Wrench& w = data.outputs()[i];
    if (!w.force.allFinite() || !w.torque.allFinite() || !finite(data.reports()[i]))
      return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  const Globals& g = data.globals();
  for (const double x : {g.work, g.max_depth, g.energy_stored, g.energy_dissipated, g.energy_error})
    if (!std::isfinite(x)) return {Code::bad_output, -1};
  const double* const numbers = data.state.data();
  if (!math::finite(numbers + data.peaks_at, data.laws_at - data.peaks_at)) return {Code::bad_output, -1};
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementSlots& at = data.elements[i];
    if (!math::finite(numbers + at.outputs, at.state - at.outputs) || !math::finite(numbers + at.energy, energy_width))
      return {Code::bad_output, static_cast<std::int32_t>(i)};
  }
  return {};
}

}  // namespace contactlib::step

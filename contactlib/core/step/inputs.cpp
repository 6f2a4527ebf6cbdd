#include "inputs.hpp"

#include <cmath>
#include <cstring>

#include "element/elements.hpp"
#include "math/rotation.hpp"
#include "model/reader/parameters.hpp"
#include "motion.hpp"

namespace contactlib::step {

using element::extrapolate_commands;
using math::matrix;
using model::Frame, model::Motion;
using reader::check_parameters;
using state::InterfaceMotion, state::Wrench, state::has_free_bodies, state::start_at_boundary;

namespace {

Status check_given(const BodyState& s, std::size_t i) noexcept {
  const auto index = static_cast<std::int32_t>(i);
  if (!finite(s)) return {Code::not_finite, index};
  if (!(std::abs(s.q_WB.norm() - 1.0) <= 1e-3)) return {Code::bad_quaternion, index};
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
    s = model.bodies[i].start;  // bit for bit, if no other start is given
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
      data.globals().fresh = 0.0;  // without any placement the wrenches of the last step remain valid
    }
    if (!rates.force.allFinite() || !rates.torque.allFinite()) return {Code::not_finite, static_cast<std::int32_t>(i)};
  }
  extrapolate(model, data, InterfaceMotion::twist, 0.0);
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

void accept_commands(const Model& model, Data& data) noexcept { extrapolate_commands(model, data, 0.0); }

}  // namespace contactlib::step

// The outputs of a step: wrenches and states at the boundary.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::Wrench;

// `R`: attitudes in whose axes wrenches are resolved.
void write_outputs(const Model& model, Data& data, const Wrench* wrenches_W, const Mat3* R) noexcept;

// Whether all outputs are finite, also after the rotation into body axes.
Status check_outputs(const Model& model, Data& data) noexcept;

}  // namespace contactlib::step

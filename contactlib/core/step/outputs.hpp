// the outputs of a step: wrenches and states as the boundary shows them.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::Wrench;

// `R`: attitudes in which wrenches are resolved.
void write_outputs(const Model& model, Data& data, const Wrench* wrenches_W, const Mat3* R) noexcept;

// an output that is not finite is no result, nor one that overflowed on its turn into body axes.
Status check_outputs(const Model& model, Data& data) noexcept;

}  // namespace contactlib::step

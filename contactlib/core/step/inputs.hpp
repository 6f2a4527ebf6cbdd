// Inputs before a step: states, initial states of free bodies, commands. They are checked before anything changes.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::BodyState, model::Model;
using state::Data;

inline bool finite(const BodyState& s) noexcept {
  return s.r_WB.allFinite() && s.q_WB.allFinite() && s.v_WB.allFinite() && s.w_WB.allFinite();
}

// Checks the inputs of the external bodies and the parameters, and copies the inputs to the bodies' states.
Status accept_inputs(const Model& model, Data& data) noexcept;

// Before the first step: places the free bodies at their initial states, if these differ from those of the model.
Status accept_starts(const Model& model, Data& data) noexcept;

// Accepts the commands of elements. Whether the wrenches remain valid is known from set_variable().
void accept_commands(const Model& model, Data& data) noexcept;

// Sets every body to the given state (w in the axes of resolve_in); for external bodies this is the input.
Status set_states(const Model& model, Data& data, const BodyState* states) noexcept;

}  // namespace contactlib::step

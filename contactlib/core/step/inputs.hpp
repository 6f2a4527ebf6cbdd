// what comes from outside before a step: states, starts of free bodies, commands. it is checked before anything
// changes.
#pragma once

#include "state/data.hpp"

namespace contactlib {

inline bool finite(const BodyState& s) noexcept {
  return s.r_WB.allFinite() && s.q_WB.allFinite() && s.v_WB.allFinite() && s.w_WB.allFinite();
}

// checks the inputs of the external bodies and makes them the bodies' states; parameters must go together.
Status accept_inputs(const Model& model, Data& data) noexcept;

// puts the free bodies where they start, if these starts are not those of the model. before the first step.
Status accept_starts(const Model& model, Data& data) noexcept;

// makes the commands of elements what they are from now on.
void accept_commands(const Model& model, Data& data) noexcept;

// puts every body at the given state (w in the axes of resolve_in); external ones as their input.
Status set_states(const Model& model, Data& data, const BodyState* states) noexcept;

}  // namespace contactlib

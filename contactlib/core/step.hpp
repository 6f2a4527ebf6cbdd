// bounding balls -> candidate pairs -> contacts -> forces -> wrenches -> memory, and the bodies' motion.
// every function leaves the state as it was when it returns an error.
#pragma once

#include "data.hpp"

namespace contactlib {

// checks the inputs of the external bodies and makes them the bodies' states; parameters must go together.
Status accept_inputs(const Model& model, Data& data) noexcept;

// puts the free bodies where they start, if these starts are not those of the model. before the first step.
Status accept_starts(const Model& model, Data& data) noexcept;

// makes the commands of elements what they are from now on.
void accept_commands(const Model& model, Data& data) noexcept;

// puts every body at the given state (w in the axes of resolve_in); external ones as their input.
Status set_states(const Model& model, Data& data, const BodyState* states) noexcept;

// contacts, wrenches and outputs at the present states; friction memory and time stand still. `states`, of all bodies:
// they are set before, and taken back on an error.
Status evaluate(const Model& model, Data& data, const BodyState* states = nullptr) noexcept;

// from t to t + dt in steps of at most `step_size`: external bodies move along their twist (and input rates),
// free bodies under contact, gravity and applied loads. outputs at t + dt, or their mean over the step.
Status advance(const Model& model, Data& data, double dt, const BodyState* states = nullptr) noexcept;

}  // namespace contactlib

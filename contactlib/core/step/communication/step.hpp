// One step: broad phase -> candidate pairs -> contacts -> forces -> wrenches -> contact states, and the motion of the
// bodies. Every function leaves the state unchanged when it returns an error.
#pragma once

#include "step/inputs.hpp"

namespace contactlib::step {

// Contacts, wrenches and outputs at the present states; friction states and time do not change. `states` of all bodies
// are set before, and restored on an error.
Status evaluate(const Model& model, Data& data, const BodyState* states = nullptr) noexcept;

// Advances from t to t + dt in steps of at most `step_size`: external bodies move along their twist (and input rates),
// free bodies under contact, gravity and applied loads. Outputs are at t + dt, or means over the step.
Status advance(const Model& model, Data& data, double dt, const BodyState* states = nullptr) noexcept;

}  // namespace contactlib::step

// bounding balls -> candidate pairs -> contacts -> forces -> wrenches -> memory, and the bodies' motion.
// every function leaves the state as it was when it returns an error.
#pragma once

#include "inputs.hpp"

namespace contactlib {

// contacts, wrenches and outputs at the present states; friction memory and time stand still. `states`, of all bodies:
// they are set before, and taken back on an error.
Status evaluate(const Model& model, Data& data, const BodyState* states = nullptr) noexcept;

// from t to t + dt in steps of at most `step_size`: external bodies move along their twist (and input rates),
// free bodies under contact, gravity and applied loads. outputs at t + dt, or their mean over the step.
Status advance(const Model& model, Data& data, double dt, const BodyState* states = nullptr) noexcept;

}  // namespace contactlib

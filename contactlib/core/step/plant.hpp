// Mass properties of interface bodies: tunable numbers of the state, of which `plant` has the working copy.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data;

// Start values, in the state and in `plant`.
void reset_plant(const Model& model, Data& data) noexcept;

// Sets `plant` to the numbers of the state. Every call that evaluates or advances begins with it. It changes nothing if
// a rigid body cannot have these numbers: Status bad_parameters, see check_parameters.
Status update_plant(const Model& model, Data& data) noexcept;

}  // namespace contactlib::step

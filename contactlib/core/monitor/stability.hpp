// The step limit of the present contacts, estimated from masses, stiffness and damping.
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using model::Model;
using state::Data;

// Compares the step with the limit of the present contacts and stores the largest ratio. `h`: s, a sub-step; `H`: s,
// for which a master holds the wrenches of bodies with a mass.
void check_step(const Model& model, Data& data, double h, double H) noexcept;

}  // namespace contactlib::monitor

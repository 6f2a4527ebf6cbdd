// The warnings of a run about its steps, depths and speeds, as sentences.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib::monitor {

using model::Model;
using state::Data;

// Causes: a step too long for the stiffest contact; the energy error; a deep contact; the order of stepping; fast bodies;
// a chosen sub-step that may not be shorter; a sub-step that max_sub_steps made longer; a solver at its limit.
inline constexpr int warning_causes = 8;

// Empty without a warning of this cause. `held`: a master holds the wrenches of external bodies over its communication
// steps, which are then also checked.
std::string warning(int cause, const Model& model, const Data& data, bool held);

}  // namespace contactlib::monitor

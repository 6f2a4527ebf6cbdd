// The warnings of a run about its steps and depths, as sentences.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib::monitor {

using model::Model;
using state::Data;

// Empty without a warning. `held`: a master holds the wrenches of external bodies over its communication steps, which
// are then also checked.
std::string step_warning(const Model& model, const Data& data, bool held);
std::string energy_warning(const Model& model, const Data& data);
std::string deep_warning(const Model& model, const Data& data);
std::string order_warning(const Model& model, const Data& data);

}  // namespace contactlib::monitor

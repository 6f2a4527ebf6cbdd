// what a run should be told about its steps and depths, as sentences.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib {

// empty where there is nothing to tell. `held`: a master holds the wrenches of external bodies over its communication
// steps, which are then judged as well.
std::string step_warning(const Model& model, const Data& data, bool held);
std::string energy_warning(const Model& model, const Data& data);
std::string deep_warning(const Model& model, const Data& data);

}  // namespace contactlib

// The message for every status.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data;

// A message with names from the model.
std::string describe(const Status& status, const Model& model);

// The same message with the values of the data.
std::string describe(const Status& status, const Model& model, const Data& data);

}  // namespace contactlib::boundary

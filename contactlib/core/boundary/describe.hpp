// the sentence for every status.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data;

// a sentence for a person, with names of the model where it has them.
std::string describe(const Status& status, const Model& model);

// the same, with the values that the data has.
std::string describe(const Status& status, const Model& model, const Data& data);

}  // namespace contactlib::boundary

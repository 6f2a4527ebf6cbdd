// parameters that a scene file forbids together, though each is in its range: mu_kinetic above mu_static, a direction
// that is zero, a switch that opens above where it closes. a running simulation is held to the same.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib {

// where the parameters of a law stand that must go together.
LawRules rules_of(const Law& law) noexcept;

// the place in LawParameters of one that does not go with the others, or -1.
std::int32_t law_fault(const LawRules& rules, const LawParameters& parameters) noexcept;

// bad_parameters: `index` is the law, or behind the laws the element, `port` the parameter.
Status check_parameters(const Model& model, const Data& data) noexcept;

// the sentence for such a status; with the values if `data` is given.
std::string parameter_fault(const Status& status, const Model& model, const Data* data = nullptr);

// the sentence for any status, with the values that the data has.
std::string describe(const Status& status, const Model& model, const Data& data);

}  // namespace contactlib

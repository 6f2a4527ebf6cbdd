// Conditions on several parameters, each of which is in its range: mu_kinetic above mu_static, a zero direction, a
// switch that opens above its closing value, an inertia that no rigid body has. They also hold for a running simulation.
#pragma once

#include <string>

#include "state/data.hpp"

namespace contactlib::reader {

using law::LawParameters, law::LawRules;
using model::Law, model::Model;
using state::Data;

// Indices of the parameters of a law with a common condition.
LawRules rules_of(const Law& law) noexcept;

// Index in LawParameters of a parameter that violates a common condition, or -1.
std::int32_t law_fault(const LawRules& rules, const LawParameters& parameters) noexcept;

// Status bad_parameters: `index` is the law, behind the laws the element, and behind the elements the body; `port` is the
// parameter; of a body, an InertiaFault.
Status check_parameters(const Model& model, const Data& data) noexcept;

// The part of it for interface bodies.
Status check_mass_properties(const Model& model, const Data& data) noexcept;

// The message for such a status; with the values if `data` is given.
std::string parameter_fault(const Status& status, const Model& model, const Data* data = nullptr);

}  // namespace contactlib::reader

// Narrow phase and contact forces: candidate pairs -> manifolds -> contacts.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data;

// Writes all contacts of the present states, with their forces, to data.contacts. h: s, time since the memory was
// written.
Status find_contacts(const Model& model, Data& data, double h) noexcept;

}  // namespace contactlib::step

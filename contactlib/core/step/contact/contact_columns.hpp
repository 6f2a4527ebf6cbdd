// Contacts in lanes: their velocities, the normal law and friction, with the operations of contact_laws.cpp in their
// order.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Contact, state::Data;

inline constexpr std::size_t most_in_lanes = 32;

// Of `count` contacts, at most most_in_lanes, of one law without adhesion and rolling resistance. Returns false, and has
// not applied the law, if a depth is not positive. h: s, time since the memory was written.
bool apply_in_lanes(const Model& model, Data& data, Contact* contacts, std::size_t count, double h) noexcept;

}  // namespace contactlib::step

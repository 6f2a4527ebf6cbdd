// Groups of bodies that exchange energy within a step: through contacts, elements, or a body that the caller moves. What
// touches only the same fixed body is not joined.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::Groups;

// Whether a body joins what touches it. Fixed bodies and the world do not.
bool joins(const Model& model, std::int32_t body) noexcept;

// Each body alone, but for those that an element joins.
void begin_groups(const Model& model, Groups& groups) noexcept;

// Joins the bodies of the contacts that `data` has now.
void join_contacts(const Model& model, const Data& data, Groups& groups) noexcept;

// One body stands for its group.
std::size_t group_of(const Groups& groups, std::size_t body) noexcept;

}  // namespace contactlib::step

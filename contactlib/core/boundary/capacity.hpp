// Contact capacity. A scene without max_contacts starts with the usual number for its pairs and grows on demand: a step
// that exceeds the capacity is rolled back, the caller grows the capacity here, and repeats the step with the same
// bits. The memory for near pairs of bodies grows in the same way. No step allocates; this file does.
#pragma once

#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data;

// Largest number of contacts of any scene.
inline constexpr std::size_t contact_limit = 100000;

// After a call that returned `status`: grows the capacity if it was exceeded; true: call again.
bool grow_capacity(const Model& model, Data& data, const Status& status) noexcept;

// Grows the capacity for a saved state of this many bytes; if that fails, restore() returns the reason.
void reserve_for_saved(const Model& model, Data& data, std::size_t size) noexcept;

// Grows the capacity for so many contacts, if the model allows it.
void reserve_contacts(const Model& model, Data& data, std::size_t contacts) noexcept;

// Runs evaluate() and advance(), repeated with a larger capacity if needed.
Status evaluate_and_grow(const Model& model, Data& data) noexcept;
Status advance_and_grow(const Model& model, Data& data, double dt) noexcept;

// Whether evaluations keep candidates from one to the next, as they do by default: state/cached_candidates.hpp. Contacts
// and forces do not depend on this.
Status cache_candidates(const Model& model, Data& data, bool on) noexcept;

}  // namespace contactlib::boundary

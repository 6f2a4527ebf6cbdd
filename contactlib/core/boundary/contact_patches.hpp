// A query of the patches of all contacts at the present states.
#pragma once

#include "state/contact_patches.hpp"
#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data, state::PatchQuery;

// Evaluates the contacts of the present states as `evaluate` does, copies them and their patches to the query, and rolls
// everything back: Data is as before. A query allocates. On an overflow the caller grows the capacity and repeats it.
Status find_contact_patches(const Model& model, Data& data, PatchQuery& query) noexcept;

}  // namespace contactlib::boundary

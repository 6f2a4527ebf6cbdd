// candidate pairs -> manifolds -> contacts with their forces.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// the portion of candidates is divided into as many chunks as there are pools. collide() looks at one chunk and writes
// into its pool alone, so that chunks may run side by side; what follows takes the pools in order, so that their number
// changes nothing.
void collide(const Model& model, Data& data, std::size_t chunk, std::size_t count) noexcept;
void collide_serially(const Model& model, Data& data, std::size_t count) noexcept;

// all contacts of the present states, with their forces, in data.contacts. h: time since the memory was written.
Status find_contacts(const Model& model, Data& data, double h) noexcept;

}  // namespace contactlib

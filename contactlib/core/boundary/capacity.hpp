// room for contacts. a scene that names no max_contacts starts with what its pairs usually make, and gets more where a
// step needs more: such a step ends without a trace, the caller makes room here, and it is made again, to the same bits
// as if the room had been there. no step allocates; this does.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// most contacts of any scene.
inline constexpr std::size_t most_contacts = 100000;

// after a call that ended with `status`: whether it is worth calling again, now that there is room.
bool grow_capacity(const Model& model, Data& data, const Status& status) noexcept;

// for a saved state of this many bytes; where that fails, restore() says why.
void reserve_for_saved(const Model& model, Data& data, std::size_t size) noexcept;

// for so many contacts, where the model lets room grow.
void reserve_contacts(const Model& model, Data& data, std::size_t contacts) noexcept;

// evaluate() and advance(), again where they need room.
Status evaluate_and_grow(const Model& model, Data& data) noexcept;
Status advance_and_grow(const Model& model, Data& data, double dt) noexcept;

}  // namespace contactlib

// The element `latch_drive`, as a berthing control reads it.
#pragma once

#include "latch.hpp"

namespace contactlib::element {

bool is_latch_drive(const Element& element) noexcept;
LatchReading read_latch_drive(const ElementNow& latch) noexcept;

}  // namespace contactlib::element

// THE ELEMENT TABLE: what acts on bodies besides plain contact (membrane, snare, latch, indicator). it has no rows yet;
// step.cpp walks it after the contacts, so a new element is one file and one row.
#pragma once

#include "../data.hpp"

namespace contactlib {

// adds the element's wrenches to data.wrenches_W(); with h > 0 it may also advance the element's own state.
using ElementStep = Status (*)(const Model& model, Data& data, double h) noexcept;

struct ElementRow {
  const char* name;
  ElementStep step;
};

// rows [0, element_row_count)
const ElementRow* element_rows() noexcept;
extern const int element_row_count;

}  // namespace contactlib

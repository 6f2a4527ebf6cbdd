#pragma once

#include "../contact.hpp"

namespace contactlib {

struct PairRow {
  Kernel kernel;     // null: not defined
  int max_contacts;  // at most Manifold::capacity
};

// the row of a pair of kinds, `a` standing before `b`; rows are numbered a * shape_kinds + b.
const PairRow& pair_row(int row) noexcept;
inline int pair_row_index(ShapeKind a, ShapeKind b) noexcept {
  return static_cast<int>(a) * shape_kinds + static_cast<int>(b);
}

extern const char* const shape_names[shape_kinds];

}  // namespace contactlib

#include "elements.hpp"

#include <algorithm>
#include <cstdlib>

namespace contactlib::element {

namespace {

constexpr int max_rows = 64;
// Constant-initialised: usable while other files register their rows.
const ElementRow* rows[max_rows] = {};
int row_count = 0;

bool before(const ElementRow* row, std::string_view name) noexcept { return row->name < name; }

}  // namespace

// Two rows of one name, or too many rows, are errors of the programmer.
RegisteredElement::RegisteredElement(const ElementRow& row) noexcept {
  const ElementRow** const end = rows + row_count;
  const ElementRow** const at = std::lower_bound(rows, end, std::string_view(row.name), before);
  if (row_count == max_rows || (at != end && std::string_view((*at)->name) == row.name)) std::abort();
  std::move_backward(at, end, end + 1);
  *at = &row;
  ++row_count;
}

ElementRows element_rows() noexcept { return {rows, row_count}; }

const ElementRow* ElementRows::find(std::string_view name) const noexcept {
  const ElementRow* const* const end = rows + count;
  const ElementRow* const* const at = std::lower_bound(rows, end, name, before);
  return at != end && std::string_view((*at)->name) == name ? *at : nullptr;
}

}  // namespace contactlib::element

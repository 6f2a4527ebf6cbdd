#include "elements.hpp"

namespace contactlib {

const ElementRow* element_rows() noexcept { return nullptr; }
const int element_row_count = 0;

}  // namespace contactlib

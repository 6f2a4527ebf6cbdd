// The records that Python reads and writes, by name: the sections of the model file, and the contact record.
#pragma once

#include "base/layout.hpp"

namespace contactlib::boundary {

struct Layout {
  const char* name;
  std::size_t size;
  const Field* fields;
  std::size_t count;
};

struct Layouts {
  const Layout* first;
  std::size_t count;
};
Layouts layouts() noexcept;

}  // namespace contactlib::boundary

// what leads latches, as the element table names it: the control logic with indicators for its sensors.
#pragma once

#include "element/elements.hpp"

namespace contactlib {

bool read_berthing(ElementRecord& record, const Model& model, Element& out);
Status step_berthing(const ElementNow& now) noexcept;
bool admits_berthing(const Element& element, const double* state) noexcept;

}  // namespace contactlib

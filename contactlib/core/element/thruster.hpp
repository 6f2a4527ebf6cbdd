// a thruster: a force that stands still on its body, as the element table names it.
#pragma once

#include "elements.hpp"

namespace contactlib::element {

bool read_thruster(ElementRecord& record, const Model& model, Element& out);
Status step_thruster(const ElementNow& now) noexcept;
bool admits_thruster(const Element& element, const double* state) noexcept;

}  // namespace contactlib::element

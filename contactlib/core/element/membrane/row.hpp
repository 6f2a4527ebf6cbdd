// the membrane as an element: what the rows of the element table name.
#pragma once

#include "element/elements.hpp"

namespace contactlib {

bool read_membrane(ElementRecord& record, const Model& model, Element& out);
std::unique_ptr<ElementScratch> membrane_scratch(const Element& element);
Status step_membrane(const ElementNow& now) noexcept;

}  // namespace contactlib

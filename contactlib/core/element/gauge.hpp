// a gauge: what presses on some shapes of a body, as the element table names it. it only looks.
#pragma once

#include "elements.hpp"

namespace contactlib::element {

bool read_gauge(ElementRecord& record, const Model& model, Element& out);
Status step_gauge(const ElementNow& now) noexcept;

}  // namespace contactlib::element

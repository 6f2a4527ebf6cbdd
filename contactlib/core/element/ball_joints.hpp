// arms that turn freely about points of a base, each held by a spring and a damper, as the element table names them.
#pragma once

#include "elements.hpp"

namespace contactlib::element {

bool read_ball_joints(ElementRecord& record, const Model& model, Element& out);
Status step_ball_joints(const ElementNow& now) noexcept;

}  // namespace contactlib::element

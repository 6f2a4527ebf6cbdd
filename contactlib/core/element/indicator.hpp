// an indicator: a paddle that turns or a plunger that slides on a base, with spring, damper, stops and a switch, as the
// element table names it. s is its travel (rad or m), from 0 at rest to `high` where it is pressed home:
//   m s'' = load - (k s + f0) - c s'  between the stops 0 and high,   on above `on`, off below `off`
#pragma once

#include "elements.hpp"

namespace contactlib::element {

bool read_indicator(ElementRecord& record, const Model& model, Element& out);
void place_indicator(const ElementNow& now) noexcept;
Status step_indicator(const ElementNow& now) noexcept;
// what of switch_off <= switch_on <= travel does not hold, as ElementRow wants it.
std::int32_t indicator_fault(const Element& indicator, const double* parameters) noexcept;
bool indicator_shows(const ElementNow& indicator) noexcept;
bool admits_indicator(const Element& element, const double* state) noexcept;

}  // namespace contactlib::element

// The elements `paddle` and `plunger`, called indicators: a driven body that turns or slides on a base, with a spring,
// a damper, two stops and a switch. s is the travel (rad or m), from 0 at rest to `high` at the stop:
//   m s'' = load - (k s + f0) - c s'  between the stops 0 and high
// The switch closes above `switch_on` and opens below `switch_off`.
#pragma once

#include "elements.hpp"

namespace contactlib::element {

bool is_indicator(const Element& element) noexcept;
bool is_switched(const ElementNow& indicator) noexcept;  // whether the switch is closed

}  // namespace contactlib::element

// how long a step the contacts of now can bear, estimated from masses, stiffness and damping.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// looks at the contacts of now, and remembers where the step of the bodies that they push was longest against what they
// can bear. `h`: s, a sub-step; `H`: s, for which a master holds the wrenches of bodies with a mass.
void check_step(const Model& model, Data& data, double h, double H) noexcept;

}  // namespace contactlib

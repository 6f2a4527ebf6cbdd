// the sub-steps of a step: contacts, forces and elements, and the motion of the bodies under them.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// places the bodies that elements move, finds contacts and their forces, steps the elements by h and sums up wrenches.
Status contacts_and_wrenches(const Model& model, Data& data, double h) noexcept;

// the same at the present states without a step, for the step to come.
Status evaluate_present(const Model& model, Data& data) noexcept;

// before the first sub-step of a step: its motion starts from the wrenches of the present states.
Status begin_motion(const Model& model, Data& data) noexcept;

// how many sub-steps there are in `dt`; a whole number.
double steps_in(const Data& data, double dt) noexcept;

// from `tau` after the inputs on, for `dt`. the wrenches' mean goes into `mean`.
Status substeps(const Model& model, Data& data, double tau, double dt) noexcept;

}  // namespace contactlib

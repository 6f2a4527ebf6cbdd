// the sub-steps of a step: contacts, forces and elements, and the motion of the bodies under them.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::InterfaceMotion;

struct ImpulseSums;

// places the bodies that elements move, finds contacts and their forces, steps the elements by h and sums up wrenches.
Status contacts_and_wrenches(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// the same at the present states without a step, for the step to come.
Status evaluate_present(const Model& model, Data& data, InterfaceMotion motion) noexcept;

// before the first sub-step of a step: its motion starts from the wrenches of the present states.
Status begin_motion(const Model& model, Data& data, InterfaceMotion motion) noexcept;

// how many sub-steps there are in `dt`; a whole number.
double steps_in(const Data& data, double dt) noexcept;

// a run of sub-steps: from `start` after the inputs on, for `length`.
struct Run {
  InterfaceMotion motion;
  double start, length;    // s
  double held_step = 0.0;  // s, for which the master holds the wrenches without coupling; 0: it does not
};

// the mean wrench of the run goes into data.mean, its impulses into `sums`, if there are any.
Status substeps(const Model& model, Data& data, const Run& run, ImpulseSums* sums) noexcept;

}  // namespace contactlib::step

// The sub-steps of a step: contacts, forces and elements, and the motion of the bodies under them.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::InterfaceMotion;

struct ImpulseSums;

// Places driven bodies, detects contacts, computes their forces, steps the elements by h, and sums the wrenches.
Status contacts_and_wrenches(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// The same at the present states without a step, before the next step.
Status evaluate_present(const Model& model, Data& data, InterfaceMotion motion) noexcept;

// Before the first sub-step of a step: its motion starts from the wrenches of the present states.
Status begin_motion(const Model& model, Data& data, InterfaceMotion motion) noexcept;

// The number of sub-steps in `dt`, an integer, with a fixed step_size.
double steps_in(const Data& data, double dt) noexcept;

// A run of sub-steps: from the time `start` after the inputs, for `length`.
struct Run {
  InterfaceMotion motion;
  double start, length;    // s
  double held_step = 0.0;  // s, for which the master holds the wrenches without coupling; 0: not at all
};

// Writes the mean wrench of the run to data.mean and its impulses to `sums`, which may be null.
Status substeps(const Model& model, Data& data, const Run& run, ImpulseSums* sums) noexcept;

}  // namespace contactlib::step

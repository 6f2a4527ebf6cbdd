// the energy that contacts and elements exchange with the bodies. work, heat and what is stored are integrated each on
// its own, so that the gap between them is what the integration has made (> 0) or lost (< 0):
//
//   energy_error = stored - stored at the start + dissipated - supplied by commands - work
//
// work is that of the bodies which others, or the integrator, move; driven bodies are part of their elements. with
// semi-implicit euler it is the change of kinetic energy itself, so kinetic energy + stored + dissipated - supplied -
// energy_error stays to rounding.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// work over a sub-step, from wrenches and states kept at its start. `start_wrench`: the wrench of the start moved the
// bodies; otherwise the trapezoid rule.
void add_work(const Model& model, Data& data, double h, bool start_wrench) noexcept;

// one node of a quadrature of the work: adds the power of contacts times a weight (s).
void add_work_at_node(const Model& model, Data& data, double weight) noexcept;

// counts, depth, stored energy and heat rate of the contacts of now.
void summarise(const Model& model, Data& data) noexcept;

// after summarise(), at the end of a sub-step: heat by the trapezoid rule. `rate_before`: W, at its start.
void add_heat(Data& data, double h, double rate_before) noexcept;

// after summarise(), where no time has passed: a change of what is stored is nobody's work. where commands have jumped
// that of elements is left to them. `before`: J, stored in contacts.
void give_stored(const Model& model, Data& data, double before) noexcept;

// at the end of a sub-step: the gap, and whether it is too large. `time`: s, there. `moves`: the core moves bodies.
Status check_energy(const Model& model, Data& data, double h, double time, bool moves) noexcept;

// J, what has passed through contacts and elements so far: the scale of the gap.
double energy_turned_over(const Model& model, const Data& data) noexcept;

}  // namespace contactlib

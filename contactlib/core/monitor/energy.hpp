// The energy that contacts and elements exchange with the bodies. Work, heat and stored energy are integrated
// separately, so the gap between them is the energy that the integration created (> 0) or lost (< 0):
//
//   energy_error = stored - stored at the start + dissipated - supplied by commands - work
//
// Work is that of the bodies which the master or the integrator moves; driven bodies are part of their elements. With
// semi-implicit Euler it equals the change of kinetic energy, so kinetic energy + stored + dissipated - supplied -
// energy_error is constant to rounding.
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using model::Model;
using state::Data;

// Adds the work over a sub-step from wrenches and states stored at its start. `start_wrench`: the wrench of the start
// moved the bodies; otherwise the trapezoid rule.
void add_work(const Model& model, Data& data, double h, bool start_wrench) noexcept;

// Adds one node of a quadrature of the work: the power of contacts times a weight (s).
void add_work_at_node(const Model& model, Data& data, double weight) noexcept;

// Sums number, depth, stored energy and heat of the present contacts.
void summarise(const Model& model, Data& data) noexcept;

// After summarise(), at the end of a sub-step: adds the heat by the trapezoid rule. `rate_before`: W, at its start.
void add_heat(Data& data, double h, double rate_before) noexcept;

// After summarise(), when no time has passed: a change of stored energy is no work. After a jump of commands the change
// in elements is supplied by them. `before`: J, stored in contacts.
void add_jump(const Model& model, Data& data, double before) noexcept;

// At the end of a sub-step: computes the error and checks it. `time`: s. `moves`: the core moves bodies.
Status check_energy(const Model& model, Data& data, double h, double time, bool moves) noexcept;

// J, energy exchanged by contacts and elements so far: the scale of the error.
double exchanged_energy(const Model& model, const Data& data) noexcept;

}  // namespace contactlib::monitor

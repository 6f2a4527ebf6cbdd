// Energy budget of a coupled step: contacts and elements give no more energy to the bodies than they received, whatever
// masses the bodies have in the plant.
//
// The inputs alone give the work of a held wrench. With U the energy that contacts and elements store,
//
//   W = U at the first step;   then at each start   W <- min(W - work on all bodies + supply of motors, 1.1 U)
//
// A wrench with the impulses J over the next interval, scaled by s, gives s a + s^2 c to interface bodies:
//
//   a = sum J.(v_c + H F/2m'),   c = sum sigma J^2/2m'      (rotation alike; F, sigma: response.hpp)
//
// Where a + c > W + 0.03 max(c, U), the step scales all its wrenches by the s in [0, 1] that gives exactly this energy.
// If no s does, it uses the s that gives the least. One s for all wrenches keeps momentum. W may be below U, and below
// zero: an impact that is shorter than a step may end where contacts store energy that no work has supplied.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::BodyState, model::Model;
using state::CouplingScratch, state::Data, state::Wrench;

// J, stored in contacts and elements, as the last step or evaluation left them in the state.
double stored_in_state(const Model& model, const Data& data) noexcept;

// J, in the contacts that `data` has now, and in elements.
double stored_now(const Model& model, const Data& data) noexcept;

// J, that the motors of all elements have supplied so far.
double supplied_so_far(const Model& model, const Data& data) noexcept;

// J, of impulses over H on external bodies: s linear + s^2 square is that of the impulses times s.
struct Work {
  double linear = 0.0, square = 0.0;
};
Work work_of(const Model& model, Data& data, const CouplingScratch& scratch, const Wrench* impulses, double H) noexcept;

// At the start of a step, with the bodies at their inputs: subtracts the work of the last step, of H (s; 0: none).
void subtract_work(const Model& model, Data& data, double H) noexcept;

// A body was placed by the caller: the budget becomes unknown.
void forget_budget(Data& data) noexcept;

// Then, with the commands of the step: adds the supply of motors, and bounds the budget by the energy stored now (J).
// `begins`: an unknown budget begins with the stored energy.
void update_budget(const Model& model, Data& data, double stored, bool begins) noexcept;

// Subtracts the work on the core's own bodies in the step (J).
void subtract_free_work(Data& data, double free_work) noexcept;

// J, after Jacobi: the budget at the end of the known interval, where the bodies are now. `free_work`: J, in it.
double predicted_budget(const Model& model, Data& data, double free_work) noexcept;

// Limits the impulses of `scratch` over H, and its mean, to a budget (J). `stored`: J, at the start of their interval.
// Returns false if they are within the budget.
bool limit_to_budget(const Model& model, Data& data, CouplingScratch& scratch, double H, double budget,
                     double stored) noexcept;

}  // namespace contactlib::step

// what contacts and elements may give to the bodies: no more than they got, whatever the bodies weigh.
//
// the work of a held wrench follows from the inputs alone. with U what contacts and elements store,
//
//   W = U at the first step;   then at each start   W <- min(W - work on all bodies + supply of motors, 1.1 U)
//
// a wrench with the impulses J, over the next interval, gives s a + s^2 c to interface bodies if it is scaled by s:
//
//   a = sum J.(v_c + H F/2m'),   c = sum sigma J^2/2m'      (and rotation alike; F, sigma: response.hpp)
//
// where a + c > W + 0.03 max(c, U), all wrenches of the step are scaled by the s in [0, 1] that gives as much, or,
// where none does, by the one that gives least. one s for all keeps momentum. W may be below U, and below zero: impacts
// that are shorter than a step lead to places where contacts store what nobody paid for.
#pragma once

#include "state/data.hpp"

namespace contactlib {

// J, in contacts and elements, as the last step or evaluation left it.
double stored_in_state(const Model& model, const Data& data) noexcept;

// J, by the motors of all elements so far.
double supplied_so_far(const Model& model, const Data& data) noexcept;

// at the start of a step, with the bodies where the inputs say: takes off the work of the step that is over. a body
// that was put there makes the budget unknown.
void pay_work(const Model& model, Data& data, double H) noexcept;
void forget_budget(Data& data) noexcept;

// then, with commands met: adds what motors supplied, and bounds the budget by what is stored now (J). `closes`: an
// unknown budget begins with that.
void open_budget(const Model& model, Data& data, double stored, bool closes) noexcept;

// adds what the core's own bodies gave in the step.
void pay_free_bodies(Data& data) noexcept;

// J, the budget at the end of the known step, where the bodies are now; after Jacobi.
double predicted_budget(const Model& model, Data& data) noexcept;

// power of the wrenches on bodies that the core moves, times `weight` (s): summed in data.free_work, J.
void add_free_work(const Model& model, Data& data, double weight) noexcept;

// scales the impulses over H, and `mean` with them, to a budget (J), with what is stored (J) where their interval
// begins, which is where go_from_here() was. false: they are within it.
bool limit_to_budget(const Model& model, Data& data, double H, double budget, double stored) noexcept;

}  // namespace contactlib

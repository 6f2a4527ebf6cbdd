// Energy budgets of a coupled step: within an island of bodies that touch (step/islands.hpp), contacts and elements give no
// more energy to the bodies than they received, whatever masses the bodies have in the plant.
//
// The inputs alone give the work of a held wrench. With U the energy that contacts and elements of an island store,
//
//   W = U at the first step;   then at each start   W <- min(W - work on its bodies + supply of motors, 1.1 U)
//
// A wrench with the impulses J over the next interval, scaled by s, gives s a + s^2 c to interface bodies:
//
//   a = sum J.(v_c + H F/2m'),   c = sum sigma J^2/2m'      (rotation alike; F, sigma: response/response.hpp)
//
// Where a + c > W + 0.03 M, the step scales all wrenches of the island by the s in [0, 1] that gives exactly this
// energy. If no s does, it uses the s that gives the least. One s for all wrenches of an island keeps momentum. W may be
// below U, and below zero: an impact that is shorter than a step may end where contacts store energy that no work has
// supplied. M = max(c, U) in contact that lasts through the step, and max(0, W) otherwise.
//
// Until the response of a body is known, c and the work of the wrench that is held now use sigma = mass_tolerance: the
// plant's mass may be that much smaller. With exact masses an impact within one step then returns (1 - 2/tolerance)^2 of
// its energy in the first step.
//
// Islands change from step to step. So each body has a part of its island's W: the energy stored in its contacts (half of
// a contact with another body) and an equal part of W - U. At each start the parts are made anew.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::BodyState, model::Model;
using state::CouplingScratch, state::Data, state::Wrench;

// J, in the contacts that `data` has now, and in elements.
double stored_now(const Model& model, const Data& data) noexcept;

// The same by bodies: of contacts, half of each body that joins what touches it; of elements, all of the first one.
void find_stored_now(const Model& model, Data& data, std::vector<double>& stored) noexcept;

// By bodies, as the last step or evaluation kept it in the state.
void find_stored_in_state(const Model& model, Data& data, std::vector<double>& stored) noexcept;
void keep_stored(const Model& model, Data& data) noexcept;

// J, that the motors of all elements have supplied so far, by bodies.
void find_supplied(const Model& model, const Data& data, std::vector<double>& supplied) noexcept;

// J, of an impulse over H on external body i: s linear + s^2 square is that of the impulse times s.
struct Work {
  double linear = 0.0, square = 0.0;
};
Work work_of(const Model& model, Data& data, const CouplingScratch& scratch, const Wrench& impulse, std::size_t i,
             double H) noexcept;

// At the start of a step, with the bodies at their inputs: subtracts the work of the last step, of H (s; 0: none).
void subtract_work(const Model& model, Data& data, double H) noexcept;

// A body was placed by the caller: the budgets become unknown.
void forget_budgets(Data& data) noexcept;

// Then, with the commands of the step: adds the supply of motors, bounds the budgets by scratch.stored, the energy
// stored now, and makes the parts of the bodies anew. `begins`: unknown budgets begin with that energy.
void update_budgets(const Model& model, Data& data, CouplingScratch& scratch, bool begins) noexcept;

// Subtracts the work on the core's own bodies in the step.
void subtract_free_work(const Model& model, Data& data, const CouplingScratch& scratch) noexcept;

// After Jacobi: writes to scratch.budget the budgets at the end of the known interval of H, where the bodies are now and
// store scratch.stored.
void predict_budgets(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept;

// Limits the impulses of `scratch` over H, and its mean, to its budgets and supply. Returns false if they are within.
bool limit_to_budgets(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept;

}  // namespace contactlib::step

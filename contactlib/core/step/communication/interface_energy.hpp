// Interface energy of a coupled step. A master holds a wrench while contacts and elements follow their varying ones.
// What the held wrench gives to a body is not what contacts and elements take from it, and the interface creates the
// difference:
//
//   e = held work from inputs to inputs - work of contacts and elements on the path in the core - f.(inputs - expected)
//
// The last term: contacts with the forces f follow a body from where the core expected it to its inputs. Errors of the
// plant's masses are in e as well, since only the inputs count.
//
// While the contact is soft for the step, the next wrench takes back what the interface has created so far (`debt`): so
// energy is conserved, however long the steps are and however they change. Stiff contact loses energy on purpose.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Body, model::BodyState, model::Model;
using state::CouplingScratch, state::Data, state::Wrench;

// J, of a wrench about the centre of mass, in world axes, while a body moves from one state to another.
double work_between(const Body& body, const Wrench& wrench_W, const BodyState& from, const BodyState& to) noexcept;

// J, of the wrench that the master holds while an external body moves from its last inputs to the present state.
double held_work(Data& data, std::size_t i) noexcept;

// At the start of a step, with the bodies at their inputs: adds the energy that the interface created in the last one.
void add_interface_energy(const Model& model, Data& data) noexcept;

// Once contacts and elements are evaluated at the inputs: their wrench changes on the way there, by half of it on the
// mean. After Jacobi there is no such evaluation.
void correct_jumps(const Model& model, Data& data) noexcept;

// A body was placed by the caller: what contacts do about it is not the interface's.
void forget_debt(const Model& model, Data& data) noexcept;

// Stores work and islands of the path that is accepted, the last run of sub-steps.
void keep_path_work(const Model& model, Data& data, const CouplingScratch& scratch) noexcept;

// After Jacobi: writes to scratch.debt the debts at the end of the known interval, where the bodies are now.
void predict_debts(const Model& model, Data& data, CouplingScratch& scratch) noexcept;

// Changes the impulses of `scratch` to s J_2, with J_2 its `held_impulses` and a factor s for each island. With it the held
// wrench does the work on external bodies that contacts and elements do on its path, less the debt. `data` is at the end of the path under J_1,
// `impulses`, along which contacts did `work`; s J_2 moves this end on by H (s J_2 - J_1)/2m, where contacts have the
// forces f. With a, c of J_2 from energy_budget.hpp:
//
//   s a + s^2 c = work + sum H/2m f.(s J_2 - J_1) - debt
//
// By iterations from 1, from 0.7 to 1.3. At rest under a load the energy does not depend on s, and s stays at 1.
void conserve(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept;

}  // namespace contactlib::step

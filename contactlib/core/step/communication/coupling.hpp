// Coupled steps: wrenches for a master that holds them over large communication steps. Interface bodies are external
// bodies with a mass. The core predicts their motion, and outputs the mean wrench over the interval in which the master
// will hold it.
//
//   gauss_seidel  the master steps the contact first, then the bodies over the same interval [t, t + H]. The prediction
//                 over [t, t + H] gives the mean. The bodies stay where the mean leads them.
//   jacobi        the master steps all at once, so that it holds the output over [t + H, t + 2H]. Over [t, t + H] the
//                 bodies move under the last output, and contacts and elements with them; this motion is accepted. The
//                 prediction over [t + H, t + 2H] gives the mean, and is rolled back.
//
// A prediction runs trials from the same start:
//
// 1. Under the present wrenches of contacts and elements. It gives a first mean.
//
// 2. Under the first mean, as the master will hold it. The bodies follow a slightly different path: an oscillation of
// phase w H per step loses (w H)^4/24 of its energy in each step, and grows from w H = pi on. The difference of both
// trials gives the stiffness of the contact:
//
//   - Up to w H = 1.5 the mean is that of the second trial, with an error of (w H)^6/144, and from w H = 0.19 on times a
//     factor that conserves energy (interface_energy.hpp). With implicit elements the first mean stays.
//   - Above, in lasting contact, a third trial gives a mean over L H with falling weights. Under it no oscillation
//     grows, however stiff and however little damped (docs/coupling.md):
//         W = 2/L (1 - t/(L H)),   L = 5/2
//   - Above, in impacts, the mean is the first one: it has the impulse of the impact. Where it leads the bodies too
//     deep into contact, which would then return energy that it never received, the impulse is changed towards the
//     end of the first trial.
//
// 3. The energy budget limits the impulse (energy_budget.hpp).
//
// The inputs give the response of the bodies to wrenches and the other loads on them (response.hpp); both are held over
// both intervals. After jacobi the predicted interval is as long as the input next_step says. If that is 0, it is as
// long as the longest recent step: a mean over too long an interval damps, one over too short an interval makes
// oscillations grow.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Coupling, model::Model;
using state::CouplingScratch, state::Data;

// After an evaluation, jacobi: the outputs become the mean over the first step, if the master announces its length.
Status coupled_start(const Model& model, Data& data, CouplingScratch& scratch) noexcept;

// One communication step of H (s), jacobi or gauss_seidel. After an error the caller rolls the state back.
Status coupled_step(const Model& model, Data& data, CouplingScratch& scratch, Coupling coupling, double H) noexcept;

}  // namespace contactlib::step

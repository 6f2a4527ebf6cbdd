// wrenches for a master that takes them in large communication steps. interface bodies are external ones with a mass:
// the core foretells how they move, and gives the mean wrench over the interval in which the master will apply it.
//
//   gauss_seidel  the master steps the contact first, then the bodies over the same interval. over [t, t + H] they move
//                 from the inputs at t under the core's own wrenches; the output is these wrenches' mean.
//   jacobi        both step at once, so that the output is applied over [t + H, t + 2H]. over [t, t + H] bodies move
//                 under the wrench that was output last, and contacts and elements with them. then comes a trial over
//                 [t + H, t + 2H] under the core's own wrenches, which gives the mean; it leaves no trace.
//
// a master that holds a wrench moves bodies a little otherwise than the wrench itself does, which costs an oscillation
// of phase w H per step the share (w H)^4/24 of its energy, and from w H = pi on makes it grow. so a second look goes
// along the path under the mean of the first, and tells how stiff the contact is:
//
// - up to w H = 1.5 its own mean is taken, and (w H)^6/144 is left; with implicit elements that of the first look.
// - above it, in contact that lasts, it is a mean over L H with weights that fall, under which no oscillation grows,
//   however stiff and however little damped (docs/coupling.md):
//
//     W = 2/L (1 - t/(L H)),   L = 5/2
//
// - above it, in impacts, it is the mean of the first look, which has their impulse. where that would leave bodies in
//   contacts that then give back what was never there, it takes them towards where they end by themselves.
//
// how bodies respond to wrenches, and what else loads them, is learnt from the inputs (response.hpp), and held over
// both intervals. what is given in the end is bounded by what was got (energy_budget.hpp). the interval after the step
// is as long as the longest step of late: a mean over too long an interval damps, one over too short an interval makes
// grow.
#pragma once

#include "motion.hpp"
#include "state/data.hpp"

namespace contactlib {

bool has_interfaces(const Model& model) noexcept;

// J, in contacts as they were found last, and in elements.
double stored(const Model& model, const Data& data) noexcept;

// J, what an impulse gives to an interface body at rest at the attitude R, the angular one about its centre of mass.
double energy_of_impulse(const Model& model, Data& data, std::size_t i, const Mat3& R,
                         const Wrench& impulse_W) noexcept;

// puts interface bodies where the inputs say, and learns from it how they respond and what loads them.
void meet_inputs(const Model& model, Data& data) noexcept;

// s, the longest step of late, with one of `dt` now.
double lengthen(Data& data, double dt) noexcept;

// present states are what should come as inputs after a step of H.
void expect(const Model& model, Data& data, double H) noexcept;

// the wrench that moves an interface body at the attitude R, world axes, about its origin.
Wrench driving_wrench(Data& data, std::size_t i, const Mat3& R) noexcept;

// from here on: sums up the wrenches on bodies times how long they act.
void begin_impulses(Data& data) noexcept;
void add_impulses(const Model& model, Data& data, double weight) noexcept;

// ends of an interval weigh half: a correction of semi-implicit euler by `weight` (s), which also has velocities half a
// step off under the core's own wrenches, and is then of order two. implicit elements have no part in it.
void shift(const Model& model, Data& data, double weight) noexcept;

// over H, into `mean`: what has the same impulse, and about the centre of mass the same angular impulse, while it is
// carried along with the body.
void mean_of_impulses(const Model& model, Data& data, double H) noexcept;

// what a look under the core's own wrenches tells besides their impulses.
struct Ahead {
  double push;  // J, what the wrenches at its start would give to bodies at rest
  bool lasts;  // whether there is contact at its start and at its end
  double stored;  // J, at its end
  double lost;  // J, in it
  double supplied;  // J, in it, by motors and by bodies that the core moves
};
Ahead begin_ahead(const Model& model, Data& data, double H) noexcept;
void end_ahead(const Model& model, Data& data, double H, Ahead& ahead) noexcept;

// after a second look, along the path under the first `mean`: into `mean` the better of both. false: contact is too
// stiff for it, and `mean` is the first one.
bool settle(const Model& model, Data& data, double H) noexcept;

// then, in impacts, from the end of the path under `mean`: lets no more energy be there than half of what contact takes
// itself, if it can. `changed`: the path is another one.
Status hold_back(const Model& model, Data& data, double H, const Ahead& ahead, Evaluate evaluate,
                 bool& changed) noexcept;

// trials: back to the state in which go_from_here() was.
void go_from_here(Data& data) noexcept;
void go_back(Data& data) noexcept;

}  // namespace contactlib

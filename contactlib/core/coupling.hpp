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
// of phase w H per step the share (w H)^4/24 of its energy. so a second look follows, along the path under the mean of
// the first, and (w H)^6/144 is left. it is not taken where it differs by more than half (w H of 2 or so), nor with
// implicit elements, which are too stiff for it.
//
// what else loads them is estimated, and held over both intervals: from where they should have been to where they are
//
//   F += m (v_c - v_c expected)/H,   T += (L - L expected)/H
#pragma once

#include "data.hpp"

namespace contactlib {

bool has_interfaces(const Model& model) noexcept;

// puts interface bodies where the inputs say, and estimates their loads from outside.
void meet_inputs(const Model& model, Data& data) noexcept;

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
// carried along with the body; and attitudes half way.
void mean_of_impulses(const Model& model, Data& data, double H) noexcept;

// after a second look, along the path under the first `mean`: takes what it gave, unless that is far from the first.
void settle(const Model& model, Data& data, double H) noexcept;

// trials: back to the state in which go_from_here() was.
void go_from_here(Data& data) noexcept;
void go_back(Data& data) noexcept;

}  // namespace contactlib

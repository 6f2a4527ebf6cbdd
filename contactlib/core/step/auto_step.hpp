// step_size = "auto": the length of each sub-step follows from the state at its start. A sub-step is tried, evaluated at
// its end, and repeated with a shorter length if it was too long there.
//
//   in contact   h (w + d) <= 0.04, with the fastest mode of contacts and masses (monitor/stability.hpp) at both ends. An
//                elastic impact then keeps its speed to (h w)^2/8 at its begin and at its end.
//   its begin    also h d <= 1e-3: the force of a damper begins with a jump c v, and acts for a part of the sub-step that is
//                not known. A trial that ends deep in a new contact gives the time at which this begins; the sub-step then
//                ends just before it, or is short.
//   friction     h (w + d) <= 0.25, with the stiffness and damping of friction; without stiffness h f/(m v) <= 0.25, so that
//                friction does not reverse the sliding
//   apart        bodies move by less than half of what they are thick, as long as their bounding balls meet
//                (monitor/fast.hpp)
//   turning      the angular velocity of a body without loads turns by at most 0.02
//   always       h <= step_size, which is max_step_size of the scene
//
// A run of sub-steps has a floor of 1e-7 of its length. Below it accuracy is lost, and a warning says so.
//
// Bodies move by velocity Verlet (verlet.hpp). With implicit elements they move by semi-implicit Euler, whose velocities
// are half a sub-step late: where the length changes from h to h', they are shifted by (h - h')/2 f/m, with the forces of
// implicit elements as they were over the last sub-step, so that joints stay closed. The Runge-Kutta method needs neither.
#pragma once

#include "impulses.hpp"

namespace contactlib::step {

// Whether the core chooses its sub-steps.
bool chooses_steps(const Data& data) noexcept;

// After an evaluation: the longest sub-step that its contacts allow, which the state keeps.
void find_contact_step(const Model& model, Data& data) noexcept;

// s, the first trial of a sub-step, `rest` before the end of a run with this floor.
double first_trial(const Model& model, Data& data, InterfaceMotion motion, double rest, double floor) noexcept;

// After a trial of h, evaluated at its end: the length of the next trial, or 0 if this one is accepted. `trials`: number
// of trials before it.
double next_trial(const Model& model, Data& data, double h, double floor, int trials) noexcept;

// After a trial of h that max_sub_steps accepts although contact needs a shorter one: what next_trial does if it accepts.
void accept_trial(const Model& model, Data& data, double h) noexcept;

// Lengths of a sub-step, s: as it is, and as contact needs it.
struct Limited {
  double h, wanted;
};

// After a sub-step that max_sub_steps made longer: counts the step, and records the first one for a warning.
void watch_limit(Data& data, const Limited& limited, double time) noexcept;

// At a stage of the Runge-Kutta method, `time` (s) after the start of the trial: sets data.trial.next if the trial is too
// long there.
void judge_stage(const Model& model, Data& data, double time) noexcept;

// The start of a trial, to which undo_trial() returns, with the sums, which may be null.
void keep_start_of_trial(const Model& model, Data& data, const ImpulseSums* sums) noexcept;
void undo_trial(const Model& model, Data& data, ImpulseSums* sums) noexcept;

// Semi-implicit Euler before a sub-step of h. `first`: of a run, `corrects`: see correct_end().
void shift_velocities(const Model& model, Data& data, InterfaceMotion motion, double h, bool first,
                      ImpulseSums* corrects) noexcept;

// After an accepted sub-step of h that ends at `time`: counts, and what the next one needs to know.
void count_substep(Data& data, double h, double floor, double time) noexcept;

// After a run of equal sub-steps.
void count_substeps(Data& data, double steps, double h) noexcept;

}  // namespace contactlib::step

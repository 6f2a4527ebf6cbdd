// Fast bodies: two bodies that move so far in a sub-step that they may pass through each other between evaluations.
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using model::Model;
using state::BodyExtent, state::Data;

std::vector<BodyExtent> extents_of(const Model& model);  // per body; may throw bad_alloc

// After the bodies moved by a sub-step of h (s): records the first pair, of those that may touch, that moved relative to
// each other by more than both are thick, on a way on which their bounding balls meet.
//   |d| + h (|w_A| R_A + |w_B| R_B) > t_A + t_B
void watch_speed(const Model& model, Data& data, double h, double time) noexcept;

// s, at most h: a step over which no two bodies pass each other unseen. It ends where their bounding balls meet, or moves
// them relative to each other by less than half of what both are thick. Before the bodies moved: at their present
// velocities.
double step_before_passing(const Model& model, Data& data, double h) noexcept;

// After they moved by h from data.before: h, or a shorter step.
double step_that_sees(const Model& model, Data& data, double h) noexcept;

}  // namespace contactlib::monitor

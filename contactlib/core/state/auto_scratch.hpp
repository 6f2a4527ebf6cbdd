// Working memory of sub-steps whose length the core chooses (step/auto_step.hpp); empty in scenes with a fixed step_size.
#pragma once

#include <vector>

#include "model/model.hpp"
#include "state_copy.hpp"

namespace contactlib::state {

struct AutoScratch {
  StateCopy start;  // the state at the start of a trial
  std::vector<double> loads;  // per body, force and torque that moved it over the trial, N, N m: verlet.hpp
  std::vector<model::BodyState> modes;  // two per body, of monitor/stability.hpp
  bool verlet = false;  // contacts are evaluated at the end of a sub-step of verlet.hpp
  double length = 0.0;  // s, of the trial
  double next = 0.0;  // s, of the next trial, if a stage of rk4 shows that this one is too long; 0: it may be accepted
  std::vector<double> turned;  // per body, m, way of its outermost point by rotation over a trial
  bool unseen = false;  // the accepted trial may have moved bodies through each other
  std::vector<double> sums;  // per body, sums of the coupling at the start: impulses, moments, work, free work
};

inline constexpr int trial_sums = 14;

}  // namespace contactlib::state

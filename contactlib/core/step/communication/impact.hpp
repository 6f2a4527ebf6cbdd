// Impacts within a coupled step.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::CouplingScratch, state::Data;

// Of the trial under the present wrenches.
struct ImpactTrial {
  double stored, lost;  // J, at its end, and in it
};

// In an impact: changes the impulse so that the path under its mean ends with at most half of the additional energy
// that contact dissipates in the first trial or, where no part of the displacement does, with the least energy.
Status limit_impact(const Model& model, Data& data, CouplingScratch& scratch, double H, const ImpactTrial& trial,
                    bool& changed) noexcept;

}  // namespace contactlib::step

// Sub-steps of different lengths: velocity Verlet. Semi-implicit Euler has its velocities half a step before the
// positions, so that a change of the step would shift them and create energy. Here both belong to the same time:
//
//   r' = r + h v + h^2/2 a,   v* = v + h a,   a' of r', v*,   v' = v* + h/2 (a' - a)
//
// Of second order for forces that depend on velocities, too, and exact under constant loads. Momentum is conserved to
// rounding: a' and a are forces of pairs of bodies. Rotation by the midpoint rule, with the angular momentum L in the
// place of v. Not for implicit elements, whose forces belong to a step of semi-implicit Euler.
#pragma once

#include "motion.hpp"

namespace contactlib::step {

// Moves the bodies to r' and v*, and keeps their loads in data.trial. The caller evaluates contacts there.
void predict_motion(const Model& model, Data& data, const Substep& now) noexcept;

// After this evaluation: v'.
void correct_motion(const Model& model, Data& data, const Substep& now) noexcept;

}  // namespace contactlib::step

// The bilateral constraints at the ends of a cable, by elimination.
#pragma once

#include "cable.hpp"

namespace contactlib::element {

// Eliminates the prescribed velocities from A and from b, which is in `velocity`; the removed rows are stored with the
// ends.
void hold_ends(const CableInputs& inputs, const CableState& state, CableScratch& scratch) noexcept;

// After the factorisation: no solved column changes prescribed velocities.
void leave_out_ends(const CableInputs& inputs, CableScratch& scratch) noexcept;

// Adds the prescribed velocities.
void move_ends(CableScratch& scratch) noexcept;

// Reflects the slope in the six numbers of a node; `mirror_slopes`: of four columns side by side.
void mirror_slope(const CableHeld& end, double* node) noexcept;
void mirror_slopes(const CableHeld& end, double* node) noexcept;

// y = A x in the rows of an end.
void pull_at_end(const CableInputs& inputs, const CableScratch& scratch, int side, const std::vector<double>& x,
                 std::vector<double>& y) noexcept;

CableReaction reaction(const CableInputs& inputs, const CableScratch& scratch, int side) noexcept;

}  // namespace contactlib::element

// the bilateral constraints at the ends of a cable, by elimination.
#pragma once

#include "cable.hpp"

namespace contactlib {

// takes what is held out of A and out of b, which stands in `velocity`; the rows stay with their ends.
void hold_ends(const CableInputs& inputs, const CableState& state, CableScratch& scratch) noexcept;

// after the factorisation: no column that is solved for moves what is held.
void leave_out_ends(const CableInputs& inputs, CableScratch& scratch) noexcept;

// adds the velocities of what is held.
void move_ends(CableScratch& scratch) noexcept;

// of the six numbers of a node, its slope as its end sees it.
void mirror_slope(const CableHeld& end, double* node) noexcept;

CableReaction reaction(const CableInputs& inputs, const CableScratch& scratch, int side) noexcept;

}  // namespace contactlib

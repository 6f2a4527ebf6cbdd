// The forces of several peaks with one direction.
#pragma once

#include "geometry/overlap/section/scratch.hpp"
#include "springs.hpp"

namespace contactlib::geometry {

// One for each branch of a merge tree.
struct PeakContacts {
  PatchContact contact[max_branches];
  Springs springs[max_branches];
};

// Reduces the springs of all branches by the terms of their saddles: force, position and energy. Returns false if no
// force is left; then nothing was changed.
bool balance(const OverlapScratch& scratch, PeakContacts& peaks) noexcept;

}  // namespace contactlib::geometry

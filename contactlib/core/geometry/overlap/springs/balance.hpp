// the forces of several peaks that press as one.
#pragma once

#include "geometry/overlap/section/scratch.hpp"
#include "springs.hpp"

namespace contactlib {

// one for each branch of a merge tree.
struct PeakContacts {
  PatchContact contact[most_branches];
  Springs springs[most_branches];
};

// takes off the springs of all branches what their saddles take off their sum: force, place and energy. false: no force
// is left, and nothing was changed.
bool balance(const OverlapScratch& scratch, PeakContacts& peaks) noexcept;

}  // namespace contactlib

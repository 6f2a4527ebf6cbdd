// the peaks of a patch's thickness, and over which saddles they hang together.
#pragma once

#include "geometry/overlap/section/scratch.hpp"

namespace contactlib {

// writes the merge tree of a patch into `branches`, children before their parents and the highest peak last; and orders
// the pieces, so that those of a branch follow each other. `heights` tells how thick the overlap is. false: one peak.
bool find_peaks(const Surface& B, Patch& patch, OverlapScratch& scratch) noexcept;

// while it lives, the list of a branch's pieces ends with the branch.
class BranchPieces {
 public:
  BranchPieces(const Branch& branch, OverlapScratch& scratch) noexcept
      : end_(branch.last >= 0 ? &scratch.pieces[branch.last].next : nullptr), after_(end_ ? *end_ : -1) {
    if (end_) *end_ = -1;
  }
  ~BranchPieces() {
    if (end_) *end_ = after_;
  }
  BranchPieces(const BranchPieces&) = delete;
  BranchPieces& operator=(const BranchPieces&) = delete;

 private:
  std::int32_t* const end_;
  const std::int32_t after_;
};

}  // namespace contactlib

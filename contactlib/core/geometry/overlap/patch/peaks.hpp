// The local maxima (peaks) of a patch's thickness, and the saddles that connect them.
#pragma once

#include "geometry/overlap/section/scratch.hpp"

namespace contactlib::geometry {

// Writes the merge tree of a patch into `branches`, children before their parents and the highest peak last, and sorts
// the pieces by branch. `heights` contains the thickness of the overlap. Returns false if there is one peak.
bool find_peaks(const Surface& B, Patch& patch, OverlapScratch& scratch) noexcept;

// The branch whose peak is above a piece of the patch of the last find_peaks(), if the piece faces the way out.
std::int32_t branch_of(const OverlapScratch& scratch, std::int32_t piece) noexcept;

// During its lifetime the list of a branch's pieces ends with the branch.
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

}  // namespace contactlib::geometry

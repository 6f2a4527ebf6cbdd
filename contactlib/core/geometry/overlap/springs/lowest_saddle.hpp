// The lowest saddle of a patch with several peaks. Where this saddle is low, two patches have only just joined, and they
// still count in part as two.
#pragma once

#include "solve.hpp"

namespace contactlib::geometry {

struct LowestSaddle {
  double weight = 1.0;  // F: how far the patch is one; 1: all its saddles are high
  Decrease of_weight;
  std::int32_t branch = -1;  // the branch that ends at the saddle; -1: none

  // Of the patch of the last find_branches()
  LowestSaddle(const OverlapSolver& solver, const OverlapScratch& scratch) noexcept;
};

// Cuts the patch of the last find_branches() at the saddle where this branch ends. The list of pieces of `patch` is lost.
void cut(const Surface& B, const Patch& patch, std::int32_t branch, OverlapScratch& scratch,
         Patch (&parts)[2]) noexcept;

}  // namespace contactlib::geometry

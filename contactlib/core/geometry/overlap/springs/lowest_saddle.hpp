// The lowest saddle of a patch with several peaks. Where it is low, the patch has only just been joined of two patches,
// and still counts as these two in part.
#pragma once

#include "solve.hpp"

namespace contactlib::geometry {

struct LowestSaddle {
  double weight = 1.0;  // F: how far the patch is one; 1: all its saddles are high
  Decrease of_weight;
  std::int32_t branch = -1;  // that ends in the saddle; -1: none

  // Of the patch of the last find_branches()
  LowestSaddle(const OverlapSolver& solver, const OverlapScratch& scratch) noexcept;
};

// Cuts the patch of the last find_branches() where this branch ends. Its own list ends.
void cut(const Surface& B, const Patch& patch, std::int32_t branch, OverlapScratch& scratch,
         Patch (&parts)[2]) noexcept;

}  // namespace contactlib::geometry

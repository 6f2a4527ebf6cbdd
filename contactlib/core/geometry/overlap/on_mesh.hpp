// what a solid and a sheet A have in common where they meet a mesh B.
#pragma once

#include <algorithm>

#include "emit.hpp"
#include "patches.hpp"
#include "solve.hpp"
#include "walls.hpp"

namespace contactlib {

class OnMesh {
 protected:
  // faceted: as OverlapSolver says
  OnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out, bool faceted) noexcept
      : A_(A),
        B_(*B.surface),
        A_to_B_{X.R_WB.transpose() * X.R_WA, -(X.R_WB.transpose() * X.p_AB_W)},
        scratch_(*out.scratch),
        size_(std::min(2.0 * A.bound, B_.size)),
        solver_(B_, scratch_, rounded * size_, true, faceted),
        emitter_(X, out) {}

  // the patches inside the walls; box: around these, in A's axes
  void find(const BoxNode& box) noexcept { find_patches(B_, box, A_to_B_, least_area * size_ * size_, scratch_); }

  void forget() noexcept {
    forget_patches(scratch_);
    forget_walls(scratch_);
  }

  const Shape& A_;
  const Surface& B_;
  const Axes A_to_B_;
  OverlapScratch& scratch_;
  const double size_;
  OverlapSolver solver_;
  Emitter emitter_;

 private:
  static constexpr double least_area = 1e-24;  // of the size, squared
};

}  // namespace contactlib

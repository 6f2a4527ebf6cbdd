// What solids and sheets A have in common against a mesh B.
#pragma once

#include <algorithm>
#include <optional>

#include "geometry/overlap/patch/patches.hpp"
#include "geometry/overlap/section/walls.hpp"
#include "geometry/overlap/springs/emit.hpp"
#include "geometry/overlap/springs/solve.hpp"

namespace contactlib::geometry {

class OnMesh {
 protected:
  // faceted: see OverlapSolver
  OnMesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out, bool faceted) noexcept
      : A_(A),
        B_(*B.surface),
        A_to_B_{X.R_WB.transpose() * X.R_WA, -(X.R_WB.transpose() * X.p_AB_W)},
        scratch_(*out.scratch),
        size_(std::min(2.0 * A.bound, B_.size)),
        curved_(is_curved(A) ? std::make_optional<CurvedSolid>(A, A_to_B_) : std::nullopt),
        solver_(B_, scratch_, rounded_depth * size_, true, faceted, curved()),
        emitter_(X, A, A_to_B_, out) {}

  // Finds the patches inside A; box: around A, in A's axes.
  void find(const BoxNode& box) noexcept {
    find_patches(B_, box, A_to_B_, least_area * size_ * size_, scratch_, curved());
  }

  void forget() noexcept {
    forget_patches(scratch_);
    forget_walls(scratch_);
  }

  const Shape& A_;
  const Surface& B_;
  const Axes A_to_B_;
  OverlapScratch& scratch_;
  const double size_;
  const std::optional<CurvedSolid> curved_;
  OverlapSolver solver_;
  Emitter emitter_;

 private:
  const CurvedSolid* curved() const noexcept { return curved_ ? &*curved_ : nullptr; }

  static constexpr double least_area = 1e-24;  // of the size, squared
};

}  // namespace contactlib::geometry

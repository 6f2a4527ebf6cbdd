// Patches of a convex solid on a mesh, and their contacts.
#pragma once

#include "geometry/overlap/patch/patches.hpp"
#include "geometry/overlap/patch/peaks.hpp"
#include "springs.hpp"

namespace contactlib::geometry {

inline constexpr double rounded_depth = 1e-14;  // of the size: depths up to this are rounding

// The part of a patch that is measured alone: all of it, or, of a pierced patch, the pieces on one side.
struct PatchPart {
  const Patch* patch;
  Vec3 side;  // zero: all
};

class OverlapSolver {
 public:
  // noise: m, depths that are rounding. faceted: the walls are the solid's own faces, not those of a polytope around
  // it. curved: the solid, if it has no walls; may be null.
  OverlapSolver(const Surface& B, OverlapScratch& scratch, double noise, bool convex, bool faceted,
                const CurvedSolid* curved = nullptr) noexcept
      : B_(B),
        scratch_(scratch),
        noise_(noise),
        faceted_(faceted),
        has_walls_(convex && !curved),
        curved_(curved),
        moments_(B, scratch, convex, curved) {}

  // The one or two parts of a patch; returns their number.
  int parts_of(const Patch& patch, PatchPart* out) const noexcept;

  // Returns false if the part has no depth.
  bool solve(const PatchPart& part, PatchContact& out) noexcept;
  // The search starts along u, of any length, and stays across `plane` unless that is zero.
  bool solve_from(const PatchPart& part, Vec3 u, const Vec3& plane, PatchContact& out) noexcept;
  // Of a branch: along a direction between its own normal, as of a patch, and `up`.
  bool solve_branch(const PatchPart& part, PatchContact& out) noexcept;
  // With the normal given, out of B.
  bool solve_along(const PatchPart& part, const Vec3& u, PatchContact& out) noexcept;
  // Along a way out of this length, m, whether the patch faces it or not.
  void solve_way(const PatchPart& part, const Vec3& u, double depth, PatchContact& out) noexcept;

  // From here on solve() and solve_branch() also find PatchContact::turning, of a convex solid with walls.
  void follow_turns() noexcept { follows_ = has_walls_; }

  // Limits the springs to the extent of the patch from their middle.
  void limit(const PatchPart& part, const PatchContact& contact, Springs& springs) const noexcept;

  // Writes the merge tree of a patch; returns false if it has one peak.
  bool find_branches(Patch& patch) noexcept;

  // Of the greatest thickness D of a peak along `up`: how it falls as A moves.
  Vec3 top_gradient_of(const Branch& branch) const noexcept;

  // Visits all points of the part inside A.
  template <class Visit>
  void for_each_corner(const PatchPart& part, const Visit& visit) const noexcept {
    for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next) {
      const Piece& piece = scratch_.pieces[k];
      if (part.side.dot(B_.faces[piece.face].n) < across_side) continue;
      const auto polygon = moments_.inside(piece);
      for (int i = 0; i < polygon.count; ++i) visit(polygon.v[i]);
    }
  }

 private:
  void measure_along(const PatchPart& part, const Vec3& u, PatchContact& out) noexcept;
  void find_extent(const PatchPart& part, PatchContact& out) const noexcept;
  static double rise_of(const Branch& lower, const Branch& higher) noexcept;
  static double clearness_of(const Branch& lower) noexcept;
  static void share_direction(Branch& lower, Branch& higher) noexcept;
  Vec3 gradient_of(const Vec3& y, double height, const Edge& edge) const noexcept;
  Decrease level_decrease_of(const Branch& branch) const noexcept;
  Vec3 gradient_along(const Vec3& u, const Vec3& y, double height, const Edge& edge) const noexcept;
  Vec3 top_gradient_of(const PatchPart& part, const Vec3& u, const Moments& moments) const noexcept;
  const Vec3* side_at(const Vec3& u, const Vec3& y) const noexcept;
  Vec3 normal_below(const Vec3& u, const Vec3& x, const Vec3& t, bool between) const noexcept;
  void settle(const PatchPart& part, PatchContact& out) noexcept;
  void follow(double part_of, PatchContact& out) const noexcept;
  void follow_weight(PatchContact& out) const noexcept;
  void find_top(const Vec3& x, const Vec3& u, const Vec3& gradient, PatchContact& out) const noexcept;
  void reach_tip(const Vec3& u, Moments& m) const noexcept;

  const Surface& B_;
  OverlapScratch& scratch_;
  const double noise_;
  const bool faceted_, has_walls_;
  const CurvedSolid* const curved_;
  PatchMoments moments_;
  // Of the last find_branches(): the moments along the patch's area vector, with which solve() begins.
  Moments survey_;
  const Patch* surveyed_ = nullptr;
  const Patch* one_peak_ = nullptr;  // the patch of the last find_branches(), if it has one peak
  bool follows_ = false;
  AllChanges changes_;  // of the last solve_along()
};

}  // namespace contactlib::geometry

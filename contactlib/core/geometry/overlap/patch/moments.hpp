// Moments of a patch: integrals of powers of the overlap's thickness over its section.
#pragma once

#include <algorithm>
#include <optional>

#include "geometry/overlap/section/along.hpp"
#include "geometry/overlap/section/curved.hpp"
#include "geometry/overlap/section/polygon.hpp"
#include "geometry/overlap/section/scratch.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// With tau(y) the thickness of the patch along the unit vector u on the line y parallel to it, and n_B the normals of
// B:
//   U_p = int over B's part of tau^p n_B dA,   M_p = int tau^p dy = u.U_p
struct Moments {
  Vec3 U[3] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  double depth = 0.0;            // m, max of tau
  Vec3 deepest = Vec3::Zero();  // m, on B's surface where tau is that
  double all[2] = {0.0, 0.0};    // int over B's part of tau^p dA, whichever way it faces

  // How far the part faces u, as a cosine: M_p over that. Where it is 0, no place follows from moments along u.
  double facing(const Vec3& u) const noexcept {
    return std::min(u.dot(U[0]) / std::max(all[0], least_sum), u.dot(U[1]) / std::max(all[1], least_sum));
  }

  static constexpr double least_sum = 1e-300;
};

// First and second moments of position about `origin` in the axes e1, e2, u; x is half-way between the surfaces:
//   X_p = int x tau^p dy,   C_p = int (xx, xy, yy) tau^p dy
struct Spread {
  Vec3 e1, e2, origin;
  double X[2][3];
  double C[2][3];
  // int of a tau dy, with a the part of (11, 12, 22) along which A is flat, and B
  double flat_A[3], flat_B[3];
  Along along;  // of a capsule
};

// Moments for a smooth depth and its gradient, for two powers p: U_(p-1), U_p, U_(p+1), and T_(p-1), T_p, with T_p =
// int over B's part of tau^p x x n_B dA about Spread::origin, x on B's surface. High powers weight the deepest part.
inline constexpr int depth_powers[2] = {3, 7};
struct PowerMoments {
  Vec3 U[3] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  Vec3 T[2] = {Vec3::Zero(), Vec3::Zero()};  // left out without a spread
};
struct HighMoments {
  PowerMoments of[2];
};

// U_p and T_p, about Spread::origin, for all powers from 0 on.
inline constexpr int max_power = depth_powers[1] + 1;
struct AllMoments {
  Vec3 U[max_power + 1], T[max_power];

  AllMoments() noexcept {
    for (Vec3& u : U) u = Vec3::Zero();
    for (Vec3& t : T) t = Vec3::Zero();
  }
};

// How U_p and T_p change, where the levels stay: by the matrix times c as A moves by c, times e as u turns by e.
struct AllChanges {
  Mat3 move_U[max_power + 1], move_T[max_power], turn_U[max_power + 1];

  AllChanges() noexcept {
    for (Mat3& m : move_U) m = Mat3::Zero();
    for (Mat3& m : move_T) m = Mat3::Zero();
    for (Mat3& m : turn_U) m = Mat3::Zero();
  }
};

// Of a piece: int tau^p dA for p - 1, p and p + 1, int x tau^p dA for p - 1 and p
struct PowerSums {
  double K[3] = {0.0, 0.0, 0.0};
  Vec3 S[2] = {Vec3::Zero(), Vec3::Zero()};
};

// Of a piece: int tau^p dA for p = 0, 1, 2, and the high powers
struct PieceSums {
  double K[3] = {0.0, 0.0, 0.0};
  PowerSums high[2];
};

// The same for all powers from 0 on
struct AllSums {
  double K[max_power + 1] = {};
  Vec3 S[max_power];

  AllSums() noexcept {
    for (Vec3& s : S) s = Vec3::Zero();
  }
};

// The sums over a piece beyond the plain moments; null: not computed.
struct Wanted {
  Spread* spread = nullptr;
  HighMoments* high = nullptr;
  Heights* heights = nullptr;
  AllSums* all = nullptr;
  AllChanges* changes = nullptr;  // of a convex solid with walls; needs a spread
};

// A piece belongs to the side of a patch from which its normal does not point away; a piece across belongs to both.
inline constexpr double across_side = -1e-9;

// The moments of some pieces along u. `spread` may be null.
class PatchMoments {
 public:
  // curved: the solid, if it has no walls; may be null. convex: the walls are those of a convex solid.
  PatchMoments(const Surface& B, OverlapScratch& scratch, bool convex, const CurvedSolid* curved) noexcept
      : B_(B), scratch_(scratch), convex_(convex), curved_(curved) {}

  // The moments of the pieces on one side of a patch; of all if side is zero. `high`, `spread` and `changes` may be
  // null.
  Moments measure(const Patch& patch, const Vec3& side, const Vec3& u, Spread* spread, HighMoments* high,
                  AllChanges* changes = nullptr) noexcept;

  // The thickness of the overlap along the unit vector u over the pieces of a patch: writes `heights`.
  Moments survey(const Patch& patch, const Vec3& u) noexcept;

  // The greatest thickness between the pieces and the walls of the last call of measure(), inside A or not: of two
  // inclined edges it is where they cross, which may lie beside the part of B's surface that is inside A.
  void deepen(const Patch& patch, const Vec3& side, const Vec3& u, Moments& out) const noexcept;

  // The part of a piece inside A, stored in polygon 0 or 1 of the scratch.
  Polygon inside(const Piece& piece) const noexcept;
  Vec3 area_inside(const Piece& piece, const Polygon& part) const noexcept;  // m2, area vector

 private:
  double area_of(const Polygon& part, int i, const Vec3& n_B) const noexcept;
  Section section(const Piece& piece) const noexcept;
  void project_walls(const Vec3& u) noexcept;
  Polygon over(const Wall& wall, const Polygon& part, const Vec3& u) const noexcept;
  void add_piece(const Piece& piece, const Vec3& u, Moments& moments, const Wanted& wanted) const noexcept;
  PieceSums over_walls(const Piece& piece, const Vec3& u, Moments& moments, const Wanted& wanted) const noexcept;
  PieceSums over_curved(const Piece& piece, const Vec3& u, Moments& moments, const Wanted& wanted) const noexcept;

  const Surface& B_;
  OverlapScratch& scratch_;
  const bool convex_;
  const CurvedSolid* const curved_;
  // The moments of a branch of the merge tree, in its direction.
  Moments measure_branch(std::int32_t b, const Vec3& u, Spread* spread, HighMoments* high,
                         AllChanges* changes) noexcept;
  Moments measure_above(const Branch& branch, double level, const Vec3& u, Spread& spread, AllMoments& all,
                        AllChanges* changes) noexcept;

  // Counts only thickness above `level`, as if A were moved back by this much.
  void raise(double level, const Vec3& u) noexcept {
    raise_ = (1.0 + beyond) * level * u, is_raised_ = level > 0.0, level_ = level;
    if (curved_) raised_.emplace(curved_->moved(short_of * level * u));
  }
  double distance(const Wall& wall) const noexcept { return wall.d + std::min(0.0, wall.n.dot(raise_)); }
  const CurvedSolid& solid() const noexcept { return raised_ ? *raised_ : *curved_; }

  Vec3 raise_ = Vec3::Zero();  // m
  bool is_raised_ = false;
  double level_ = 0.0;  // m
  // The ground may be parallel to A, all of it as thick as the saddle, and rounding must not decide what is above.
  static constexpr double beyond = 1e-9;
  // A saddle is often a vertex of B, which would lie on the surface of the raised solid; this factor avoids the
  // ambiguity.
  static constexpr double short_of = 1.0 - 1e-7;
  std::optional<CurvedSolid> raised_;
  Vec3 e1_, e2_;  // across u
  double thickest_ = 0.0;  // m, the depth that the last call of measure() found
};

// Adds a flatness, weighted, along the axes of the spread.
void add_flat(const FlatWays& flat, double weight, const Spread& s, double* out) noexcept;

// A right-handed pair of unit vectors across the unit vector u.
void axes_across(const Vec3& u, Vec3& e1, Vec3& e2) noexcept;

}  // namespace contactlib::geometry

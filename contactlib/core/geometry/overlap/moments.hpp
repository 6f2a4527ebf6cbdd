// moments of a patch: integrals of powers of the overlap's thickness over its section.
#pragma once

#include "../surface.hpp"
#include "polygon.hpp"
#include "scratch.hpp"

namespace contactlib {

// with tau(y) the thickness of the patch along the unit vector u on the line y across it, n_B the normals of B:
//   U_p = int over B's part of tau^p n_B dA,   M_p = int tau^p dy = u.U_p
struct Moments {
  Vec3 U[3];
  double depth;  // m, max of tau
  Vec3 deepest;  // m, on B's surface where tau is that
};

// and of place and spread, across u with respect to `origin` in the axes e1, e2:
//   X_p = int x tau^p dy,   C_p = int (xx, xy, yy) tau^p dy
struct Spread {
  Vec3 e1, e2, origin;
  double X[2][2];
  double C[2][3];
};

// the moments of some pieces along u. `spread` may be null.
class PatchMoments {
 public:
  PatchMoments(const Surface& B, OverlapScratch& scratch, bool convex) noexcept
      : B_(B), scratch_(scratch), convex_(convex) {}

  // of the pieces of a patch whose normal n has sign (side . n) > 0; all of them if side is zero.
  Moments measure(const Patch& patch, const Vec3& side, const Vec3& u, Spread* spread) noexcept;

  // the part inside A of a piece: in room 0 or 1 of the scratch
  Polygon inside(const Piece& piece) const noexcept;

 private:
  void project_walls(const Vec3& u) noexcept;
  void add_piece(const Piece& piece, const Vec3& u, Moments& moments, Spread* spread) const noexcept;

  const Surface& B_;
  OverlapScratch& scratch_;
  const bool convex_;
  Vec3 e1_, e2_;  // across u
};

// a right-handed pair of unit vectors across the unit vector u.
void axes_across(const Vec3& u, Vec3& e1, Vec3& e2) noexcept;

}  // namespace contactlib

// The depth of a surface contact: one number per pair of solids.
#pragma once

#include <algorithm>
#include <cmath>

#include "surface_pieces.hpp"

namespace contactlib::geometry {

// Of the resultant of the pressures, as a part of their sum: below the first one it is rounding; below the second one the
// contact is all round, and its line of action may pass far from the solids.
inline constexpr double no_resultant = 1e-9, all_round = 0.1;

// How much the surfaces face each other, weighted by the pressures: below this, as of a sheet on its edge, all pressures begin
// to rub.
inline constexpr double little_facing = 0.01;
double facing_part(const SurfacePoints& points) noexcept;

// Two convex solids that touch are divided by a plane, across their resultant R, however the normals n of the field turn at
// its edges and corners. So the points slide in this plane, with a load of R in all. That of other solids is
// a = sum w, as in a V groove, and each point slides across its n. Where solids are deep in each other, the load is
//   max(R, b),   b = sum w facing
// in between, and the normals of sliding are the directions of  (1 - t) sum w n/a + t n,   t = (max(R, b) - R)/(a - R).
// a and sum w n: of points that are expanded.
void flatten(SurfacePoints& points, double a, const Vec3& sum) noexcept;

// The face on which two solids with faces rest at the depth of that face.
inline Reference reference_of(const Shape& A, const Shape& B) noexcept {
  return {std::min(A.reference_area, B.reference_area)};
}

// m2, of the flat face whose p-norm has the same slope S' at this depth (m):  S'(d)/(p d^(p-1))
inline double area_at(const Reference& reference, int p, double depth) noexcept {
  if (reference.line == 0.0 && reference.ball == 0.0) return reference.area;
  return reference.area + ((p + 0.5) * reference.line * std::sqrt(depth) + (p + 1) * reference.ball * depth) / p;
}

// The depth Phi of a pair is that at which its reference S is the p-norm of the extent e over the surfaces inside each other:
//   S(Phi) = M,  M = int e^p dA
// As A and B approach each other it grows by  dPhi = int w de,  w = p e^(p-1)/S'(Phi)
struct Depth {
  double phi;      // m; 0: there are no pieces
  double deepest;  // m, the greatest extent
  double area;     // m2, of the surfaces inside each other
  double scale;    // 1/m2: int w dA = scale * SurfacePiece::weight
};

Depth depth_of(const SurfaceScratch& pieces) noexcept;

// Sums up the pairs of shapes of two compounds, which have one depth and are one contact.
class JoinedPairs {
 public:
  explicit JoinedPairs(SurfaceScratch& scratch) noexcept : scratch_(scratch) { scratch.joined.count = 0; }
  ~JoinedPairs() {
    if (scratch_.outlines) scratch_.outlines->forget();
  }
  JoinedPairs(const JoinedPairs&) = delete;
  JoinedPairs& operator=(const JoinedPairs&) = delete;

  // Adds what a kernel has left in the scratch, expanded. x = R x_A + p: the axes of the first shape A, in which all are.
  // Returns false if there is no room.
  bool add(const Mat3& R, const Vec3& p) noexcept;
  // Leaves all in the scratch as if they came from one kernel, with this reference.
  Depth finish(const Reference& reference) noexcept;
  std::size_t needed() const noexcept { return needed_; }

 private:
  SurfaceScratch& scratch_;
  PartIntegrals sums_{0.0, 0.0, 0.0, 0.0};
  std::size_t needed_ = 0;
};

// Completes the points, in the axes F: one for a piece, or eight for a piece that faces the other surface and is large
// among the others, with its weight, centre and covariance. All weights become dPhi/de.
void expand(const Depth& depth, SurfaceScratch& pieces) noexcept;

// The contact as one point, instead of expand(): its force for a stiffness of 1 is depth times load_share along n_AB_W, through p_AC_W.
// Returns false without pieces.
bool as_point(const SurfaceScratch& pieces, const Depth& depth, const Mat3& R_WA, ManifoldPoint& out) noexcept;

// The contact of one placement on its own, outside of a step: the memory grows as needed. May throw std::bad_alloc.
void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                         SurfaceScratch& scratch, Manifold& out);
// The same of a kernel for points.
void add_point_contacts(Kernel kernel, const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& scratch,
                        Manifold& out);

}  // namespace contactlib::geometry

// The depth of a surface contact: one number per pair of solids.
#pragma once

#include "surface_pieces.hpp"

namespace contactlib::geometry {

// What the depth of a pair refers to.
struct Seat {
  int sharpness;  // p
  double area;    // m2, A0: the face on which the solids rest at the depth of that face
};

Seat seat_of(const Shape& A, const Shape& B, int sharpness) noexcept;

// The depth Phi of a pair: the p-norm of the extent e over the surfaces inside each other,
//   Phi = (int e^p dA / A0)^(1/p)
// As A and B approach each other it grows by  dPhi = int w de dA,  w = e^(p-1) / (A0 Phi^(p-1))
struct Depth {
  double phi;      // m; 0: there are no pieces
  double deepest;  // m, the greatest extent
  double area;     // m2, of the surfaces inside each other
  double scale;    // 1/m2: int w dA = scale * SurfacePiece::weight
};

Depth depth_of(const SurfaceScratch& pieces, const Seat& seat) noexcept;

// Makes the points, in the axes F of the pieces: one for a piece, or eight for a piece that faces the other surface and
// is large among the others, with its weight, centre and covariance.
void expand(const Depth& depth, SurfaceScratch& pieces) noexcept;

// The contact as one point: its force for a stiffness of 1 is depth times load_share along n_AB_W, through p_AC_W.
// Returns false without pieces.
bool as_point(const SurfaceScratch& pieces, const Depth& depth, const Mat3& R_WA, ManifoldPoint& out) noexcept;

// The contact of one placement on its own, outside of a step: the memory grows as needed. May throw std::bad_alloc.
void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                         SurfaceScratch& scratch, Manifold& out);

}  // namespace contactlib::geometry

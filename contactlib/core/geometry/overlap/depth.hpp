// The depth of a surface contact: one number per pair of solids.
#pragma once

#include "surface_points.hpp"

namespace contactlib::geometry {

// What the depth of a pair refers to.
struct Seat {
  int sharpness;  // p
  double area;    // m2, A0: the face on which the solids rest at the depth of that face
};

Seat seat_of(const Shape& A, const Shape& B, int sharpness) noexcept;

// The depth Phi of a pair: the p-norm of the extent e over the surfaces inside each other,
//   Phi = (int e^p dA / A0)^(1/p)
// and how it grows as A and B approach each other:  dPhi = int w de,  w = e^(p-1) / (A0 Phi^(p-1))
struct Depth {
  double phi;      // m
  double deepest;  // m, the greatest extent
  double area;     // m2, of the surfaces inside each other
  double scale;    // w = scale (e / deepest)^(p-1) area
};

// 0 without points.
Depth depth_of(const SurfaceScratch& points, const Seat& seat) noexcept;

inline double power(double x, int n) noexcept {
  double out = n & 1 ? x : 1.0;
  for (double square = x * x; (n >>= 1) != 0; square *= square)
    if (n & 1) out *= square;
  return out;
}

// The contact as one point: its force for a stiffness of 1 is depth times load_share along n_AB_W, through p_AC_W.
// Returns false without points.
bool as_point(const SurfaceScratch& points, const Depth& depth, const Seat& seat, const Mat3& R_WA,
              ManifoldPoint& out) noexcept;

// The contact of one placement on its own, outside of a step: the memory grows as needed. May throw std::bad_alloc.
void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                         SurfaceScratch& scratch, Manifold& out);

}  // namespace contactlib::geometry

// The terms that the strains of two elements add to A and b.
#pragma once

#include "point.hpp"

namespace contactlib::element {

struct Square {
  Lanes m[3][3];
};

// Elements side by side, and the weights of their strains. Of strain phi, at a point of weight w:
//   b -= w pull J^T phi,   A += w stiffness J^T J + w turning max(phi, 0) S'^T S'
struct CableStrands {
  CableShape shape;
  Lanes inverse_length;                            // 1/m
  Lanes rest_strain, rest_curvature;
  Lanes axial_pull, axial_stiffness, turning;      // h l EA, h (h + tau) l EA, h^2 l EA or 0
  Lanes bending_pull, bending_stiffness;           // h l EI, h (h + tau) l EI
  bool curved;                                     // one of them has a rest curvature

  // Of the step of second order only: the rates of `shape`, and the share of the damping in `stiffness`, for b -= w lag
  // stiffness J^T J v
  CableShape rate;
  double axial_lag = 0.0, bending_lag = 0.0;
};

// Over the shape functions (u, t0, t1), u = (r1 - r0)/l.
struct CableSums {
  Square uu, t0t0, t1t1, ut0, ut1, t0t1;
  Lanes3 pull[shapes];
  Lanes least;  // the smallest r'.r'
};

void sum_strains(StrainMeasure measure, CableQuadrature quadrature, const CableStrands& strands,
                 CableSums& out) noexcept;

// The sum of w turning J^T v^T (d2phi/dq2) v over the axial strains, with the rates of `strands`.
void sum_turns(StrainMeasure measure, CableQuadrature quadrature, const CableStrands& strands,
               Lanes3 (&pull)[shapes]) noexcept;

}  // namespace contactlib::element

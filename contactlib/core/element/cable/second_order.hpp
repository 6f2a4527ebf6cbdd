// The weights of both steps, and what the step of second order adds to that of first order:
//   A (v+ - v) = h f - h J^T E (phi + x theta h^2 u^T (d2phi/dq2) u) - h tau J^T E J v - c P A^-1 P v,    q+ = q + h v+
//   P = (theta h^2 + h tau) J^T E J + theta h^2 G,   A = M + P,   G = S'^T sigma S' of tension,   u = A^-1 M v
// It is an implicit leapfrog: as for bodies, v belongs to the middle of a step and q to its end. The stress is that of the
// strain theta phi(q+) + (1 - 2 theta) phi(q) + theta phi(q-), in which u^T (d2phi/dq2) u, by axial strains only, is the
// strain of a rotation along straight lines. The term of c, with a second solution by the factor, damps motions that the
// step does not resolve. See docs/cables.md.
#pragma once

#include "cable.hpp"

namespace contactlib::element {

// Of A and b, without the stiffness and the mass themselves.
struct CableWeights {
  double pull = 0.0;  // s, of forces and strains in b
  double axial = 0.0, bending = 0.0;  // s2, of the strains' stiffness in A
  double turning = 0.0;  // s2, of the stiffness by tension
  double mass = 1.0;  // of M in A
  double axial_lag = 0.0, bending_lag = 0.0;  // share of A's stiffness that damps the rates before the step
  double turns = 0.0;  // s, x times `pull`
};
CableWeights cable_weights(const CableDesign& design, const CableInputs& inputs) noexcept;

// Before the ends are held: completes the impulse to b = A v + ..., and keeps P v.
void add_momenta(const CableDesign& design, const CableInputs& inputs, const double* v, CableScratch& scratch) noexcept;

// After the factorisation: subtracts c P A^-1 P v from the impulse, and from b in `velocity`. `resolved` becomes u, the
// part of v that the step resolves.
void damp_unresolved(const CableDesign& design, const CableInputs& inputs, const double* v,
                     CableScratch& scratch) noexcept;

}  // namespace contactlib::element

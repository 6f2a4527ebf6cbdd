// a cable of gradient-deficient ANCF elements (Gerstmayr and Shabana 2006): each node has a position r and a slope
// t = dr/dx, x the length along the cable without load; between nodes r is cubic in xi = x/l,
//   r = S1 r0 + S2 t0 + S3 r1 + S4 t1,   S1 = 1 - 3 xi^2 + 2 xi^3,  S2 = l (xi - 2 xi^2 + xi^3),
//                                        S3 = 3 xi^2 - 2 xi^3,      S4 = l (xi^3 - xi^2),
// with an axial strain e and a curvature k, a vector, at Gauss points. it does not resist torsion. strain energies are
// compliant constraints of one linear step of first order (Hewlett, Arbatani and Koevecses 2020):
//   M v+ - h J^T s = M v + h f,    s = -E (phi + (h + tau) J v+),    q+ = q + h v+
// phi the strains over those at rest, J = dphi/dq, E their stiffness times the weight of the Gauss point, tau the
// damping. without the stresses s, and with alpha M for damping by mass, that is
//   A v+ = b,    A = (1 + h alpha) M + h (h + tau) J^T E J,    b = M v + h f - h J^T E phi
// where A couples only neighbouring nodes: its factor is linear in the elements. contacts and joints join by its Schur
// complement. docs/cables.md tells more.
#pragma once

#include <vector>

#include "geometry/manifold/contact.hpp"
#include "solve/block_cholesky.hpp"

namespace contactlib {

// green        e = (r'.r' - 1)/2,  k = r' x r''/|r'|^3
// engineering  e = |r'| - 1,       k = r' x r''/|r'|^2
enum class StrainMeasure : std::int32_t { green, engineering };

// Gauss points of axial strain and of curvature: 5 and 3 integrate the energy of a straight element exactly, 3 and 2
// lock less where a curved cable is stiff against stretching.
enum class CableQuadrature : std::int32_t { full, reduced };

struct CableMaterial {
  double axial_stiffness = 0.0;    // N, EA > 0
  double bending_stiffness = 0.0;  // N m2, EI >= 0
  double line_density = 0.0;       // kg/m, > 0
  double axial_damping = 0.0;      // s, Kelvin-Voigt: stress E (phi + tau phi')
  double bending_damping = 0.0;    // s
  double mass_damping = 0.0;       // 1/s, Rayleigh's alpha; its beta is both damping times
};

// one element as it is without load.
struct CableElement {
  double length = 0.0;     // m, > 0
  double strain = 0.0;     // axial, > -1 (green: > -1/2); below 0 the cable is under tension at its length
  double curvature = 0.0;  // 1/m, >= 0, in a plane of its own choice: a cable without torsion has no other
};

struct CableDesign {
  CableMaterial material;
  std::vector<CableElement> elements;
  StrainMeasure measure = StrainMeasure::green;
  CableQuadrature quadrature = CableQuadrature::full;
  // adds the stiffness that tension itself has against turning, h^2 sigma S'^T S': a taut cable then stays stable at
  // steps of several periods of its transverse waves, and turning is slowed in the order of the step.
  bool tension_stiffness = false;

  std::size_t nodes() const noexcept { return elements.size() + 1; }
};

// why a design is none. `index` is the element.
enum class CableFault : std::int32_t {
  none,
  elements,           // none at all, or more than 2^20
  length,             // not positive and finite
  strain,             // not finite, or -1 (green: -1/2) or less
  curvature,          // negative or not finite
  axial_stiffness,    // not positive and finite
  bending_stiffness,  // negative or not finite
  line_density,       // not positive and finite
  axial_damping,      // negative or not finite
  bending_damping,    // negative or not finite
  mass_damping,       // negative or not finite
};
struct CableCheck {
  CableFault fault = CableFault::none;
  std::int32_t index = -1;
  explicit operator bool() const noexcept { return fault == CableFault::none; }
};
CableCheck check_cable(const CableDesign& design) noexcept;

// of every node its position and its slope, 6 numbers, and how fast they change. positions are over an origin O with
// the world's axes that moves uniformly; only differences enter, so a near one keeps the digits.
struct CableState {
  double* q;  // m, 1
  double* v;  // m/s, 1/s
};

// how an end is held: where its position, and the direction of its slope or all of it, are to be when the step ends. a
// clamp holds the direction and lets the slope's length follow from the tension.
enum class CableHold : std::int32_t { free, position, direction, slope };
struct CableEnd {
  CableHold hold = CableHold::free;
  Vec3 p_OE = Vec3::Zero();   // m
  Vec3 slope = Vec3::Zero();  // dr/dx
};

// what a step is told. ends: of the first node, and of the last.
struct CableInputs {
  double h = 0.0;              // s
  Vec3 gravity = Vec3::Zero();  // m/s2
  const double* forces = nullptr;  // 6 per node, N and N m on position and slope; null: none
  CableEnd ends[2];
};

// the multipliers of an end: what holds it, on the cable, mean of the step. the moment is slope x couple.
struct CableReaction {
  Vec3 force = Vec3::Zero();   // N
  Vec3 couple = Vec3::Zero();  // N m, on the slope
};

// an end during a step: its rows of A (its own node, then the one beside it), the velocities it is held to, and
// the mirror I - 2 w w^T (w = 0: none) in which its slope is seen, so that a direction held is along an axis.
struct CableHeld {
  BlockCholesky::BlockRow row = {};
  double v[BlockCholesky::size] = {};  // m/s, 1/s
  Vec3 w = Vec3::Zero();
};

// all memory of a step. after `prepare_cable`: the factor of A over what is not held, b, and the velocities that
// follow. whoever adds impulses J^T p (contacts, joints) adds them to `impulse`, and A^-1 of them to `velocity`.
struct CableScratch {
  BlockCholesky factor;
  std::vector<double> impulse;   // N s, b and more, 6 per node
  std::vector<double> velocity;  // m/s, v+
  CableHeld ends[2];

  void make(const CableDesign& design);  // may throw std::bad_alloc

  // A^-1 in two halves, A^-1 = backward forward, in place; what is held gives 0. x is zero before node `first`, which
  // an impulse on one element need not go through. a^T A^-1 b is the product of both after `forward`.
  void forward(double* x, std::size_t first = 0) const noexcept;
  void backward(double* x) const noexcept;
};

// code element_failed, with the element as index, where an element has shrunk to nothing; not_finite, also of what
// would come out; bad_argument of a step that is not positive. the state is as it was then. `prepare` also takes h = 0,
// which makes A the mass matrix.
Status prepare_cable(const CableDesign& design, const CableState& state, const CableInputs& inputs,
                     CableScratch& scratch) noexcept;
Status advance_cable(const CableInputs& inputs, const CableScratch& scratch, CableState& state,
                     CableReaction reactions[2]) noexcept;

// both, without anything between.
Status step_cable(const CableDesign& design, const CableInputs& inputs, CableScratch& scratch, CableState& state,
                  CableReaction reactions[2]) noexcept;

// what a state has, with positions about O.
struct CableEnergy {
  double kinetic = 0.0, axial = 0.0, bending = 0.0;  // J
  Vec3 momentum = Vec3::Zero();  // N s
  Vec3 spin = Vec3::Zero();  // N m s, angular momentum about O
};
// `tension`, N, one per element: its mean, |r'| sigma or sigma by the measure; null: not asked for.
CableEnergy measure_cable(const CableDesign& design, const CableState& state, double* tension) noexcept;

}  // namespace contactlib

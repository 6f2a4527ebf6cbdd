// A cable of gradient-deficient ANCF elements (Gerstmayr and Shabana 2006). Each node has a position r and a slope t =
// dr/dx, x the length along the cable without load; between nodes r is cubic in xi = x/l,
//   r = S1 r0 + S2 t0 + S3 r1 + S4 t1,   S1 = 1 - 3 xi^2 + 2 xi^3,  S2 = l (xi - 2 xi^2 + xi^3),
//                                        S3 = 3 xi^2 - 2 xi^3,      S4 = l (xi^3 - xi^2),
// with an axial strain e and a curvature vector k at Gauss points. It does not resist torsion. Strain energies are
// compliant constraints of one linear step of first order (Hewlett, Arbatani and Koevecses 2020):
//   M v+ - h J^T s = M v + h f,    s = -E (phi + (h + tau) J v+),    q+ = q + h v+
// phi are the strains minus those at rest, J = dphi/dq, E their stiffness times the weight of the Gauss point, tau the
// damping. Without the stresses s, and with alpha M for damping by mass, this is
//   A v+ = b,    A = (1 + h alpha) M + h (h + tau) J^T E J,    b = M v + h f - h J^T E phi
// A couples only neighbouring nodes: its factorisation is linear in the number of elements. Contacts and joints are
// coupled by its Schur complement. See docs/cables.md.
#pragma once

#include <vector>

#include "geometry/manifold/manifold.hpp"
#include "solve/block_cholesky.hpp"

namespace contactlib::element {

using solve::BlockCholesky;

//   green        e = (r'.r' - 1)/2,  k = r' x r''/|r'|^3
//   engineering  e = |r'| - 1,       k = r' x r''/|r'|^2
enum class StrainMeasure : std::int32_t { green, engineering };

// Gauss points of axial strain and of curvature: 5 and 3 integrate the energy of a straight element exactly, 3 and 2
// lock less where a curved cable is stiff against stretching.
enum class CableQuadrature : std::int32_t { full, reduced };

// The step: that of first order above, or that of second order (second_order.hpp).
enum class CableIntegrator : std::int32_t { first_order, second_order };

struct CableMaterial {
  double axial_stiffness = 0.0;    // N, EA > 0
  double bending_stiffness = 0.0;  // N m2, EI >= 0
  double line_density = 0.0;       // kg/m, > 0
  double axial_damping = 0.0;      // s, Kelvin-Voigt: stress E (phi + tau phi')
  double bending_damping = 0.0;    // s
  double mass_damping = 0.0;       // 1/s, Rayleigh's alpha; its beta is both damping times
};

// One element without load.
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
  // adds the geometric stiffness of tension, h^2 sigma S'^T S': a taut cable then stays stable at steps of several
  // periods of its transverse waves, and its rotation has an error of the order of the step
  bool tension_stiffness = false;  // the step of second order always adds it
  CableIntegrator integrator = CableIntegrator::first_order;

  std::size_t nodes() const noexcept { return elements.size() + 1; }
};
inline bool is_second_order(const CableDesign& design) noexcept {
  return design.integrator == CableIntegrator::second_order;
}

// Reasons to refuse a design. `index` is the element.
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

// Position and slope of every node, 6 numbers, and their rates. Positions are relative to an origin O with the world's
// axes that moves uniformly; only differences enter, so a near origin keeps the digits.
struct CableState {
  double* q;  // m, 1
  double* v;  // m/s, 1/s
};

// Constraint of an end: the position, and the direction of the slope or all of it, at the end of the step. A clamp
// fixes the direction; the length of the slope follows from the tension.
enum class CableHold : std::int32_t { free, position, direction, slope };
struct CableEnd {
  CableHold hold = CableHold::free;
  Vec3 p_OE = Vec3::Zero();   // m
  Vec3 slope = Vec3::Zero();  // dr/dx
};

// Inputs of a step. ends: of the first node, and of the last.
struct CableInputs {
  double h = 0.0;              // s
  // Share of h in which loads and stresses act. The velocities of a step of second order belong to the middle of the
  // step: a first step, whose velocities are those of its start, has 1/2.
  double kick = 1.0;
  Vec3 gravity = Vec3::Zero();  // m/s2
  const double* forces = nullptr;  // 6 per node, N and N m on position and slope; null: none
  CableEnd ends[2];
};

// The multipliers of an end: the constraint load on the cable, mean over the step. The moment is slope x couple.
struct CableReaction {
  Vec3 force = Vec3::Zero();   // N
  Vec3 couple = Vec3::Zero();  // N m, on the slope
};

// An end during a step: its rows of A (its own node, then the neighbour), the prescribed velocities, and the reflection
// I - 2 w w^T (w = 0: none) that maps its slope so that a prescribed direction is along an axis.
struct CableHeld {
  BlockCholesky::BlockRow row = {};
  double v[BlockCholesky::size] = {};  // m/s, 1/s
  Vec3 w = Vec3::Zero();
};

// All memory of a step. After `prepare_cable`: the factor of A over the free velocities, b, and the resulting
// velocities. Callers add impulses J^T p (contacts, joints) to `impulse`, and A^-1 times these to `velocity`.
struct CableScratch {
  BlockCholesky factor;
  std::vector<double> impulse;   // N s, b and more, 6 per node
  std::vector<double> velocity;  // m/s, v+
  CableHeld ends[2];
  // of the step of second order: N s, P v; N s, M v; m/s, A^-1 M v (second_order.hpp)
  std::vector<double> stiff, momentum, resolved;

  void make(const CableDesign& design);  // may throw std::bad_alloc

  // A^-1 in two halves, A^-1 = backward forward, in place; prescribed velocities give 0. x is zero before node `first`,
  // so that these nodes are skipped for an impulse on one element. a^T A^-1 b is the dot product of both after
  // `forward`.
  void forward(double* x, std::size_t first = 0) const noexcept;
  void forward_four(double* x, std::size_t first = 0) const noexcept;  // four columns side by side
  void backward(double* x) const noexcept;
  // Of up to BlockCholesky::most_beside cables, side by side.
  static void backward(const CableScratch* const* cables, double* const* x, std::size_t count) noexcept;
};

// Status element_failed, with the element as index, if an element has shrunk to nothing; not_finite, also of results;
// bad_argument if the step is not positive. On failure the state is unchanged. `prepare` also accepts h = 0, which
// makes A the mass matrix.
Status prepare_cable(const CableDesign& design, const CableState& state, const CableInputs& inputs,
                     CableScratch& scratch) noexcept;
struct CableStart {
  const CableDesign* design;
  CableState state;
  const CableInputs* inputs;
  CableScratch* scratch;
};
Status prepare_cables(const CableStart* cables, std::size_t count) noexcept;  // of several cables, side by side
Status advance_cable(const CableInputs& inputs, const CableScratch& scratch, CableState& state,
                     CableReaction reactions[2]) noexcept;

// Both, without contacts in between.
Status step_cable(const CableDesign& design, const CableInputs& inputs, CableScratch& scratch, CableState& state,
                  CableReaction reactions[2]) noexcept;

// Energies of a state, with positions about O.
struct CableEnergy {
  double kinetic = 0.0, axial = 0.0, bending = 0.0;  // J
  Vec3 momentum = Vec3::Zero();  // N s
  Vec3 spin = Vec3::Zero();  // N m s, angular momentum about O
};
// `tension`, N, one per element: its mean, |r'| sigma or sigma by the measure; null: not asked for.
CableEnergy measure_cable(const CableDesign& design, const CableState& state, double* tension) noexcept;

}  // namespace contactlib::element

// The normal forces of a membrane on single corners, and their friction.
#pragma once

#include "membrane.hpp"

namespace contactlib::element {

// Force and torque about the body's origin in its axes, N, N m.
struct MembranePull {
  Vec3 force, torque;
};

// The effects of a tension of 1: its wrench on the body, the winches' work (W) and the pull along the tightest line
// (N).
struct UnitPull {
  MembranePull pull{Vec3::Zero(), Vec3::Zero()};
  double reeling = 0.0, edge = 0.0;
};

// One normal force of each triangle on each of its corners under tension a, by the bisector; folds are known.
void collect_corner_forces(const MembraneDesign& design, double a, MembraneScratch& scratch) noexcept;

// The normal forces as the design distributes them, so that their sum is the fabric's pull on the body. Returns the
// number of negative ones.
std::int32_t spread_corner_forces(const MembraneDesign& design, double a, const MembranePull& pull,
                                  MembraneScratch& scratch) noexcept;

// The body's velocity relative to the carrier at a point x of B: v + w x x, in B's axes.
struct MembraneSlip {
  Vec3 v_B, w_B;
};

// Coulomb friction of all normal forces on the body, and the heat, W.
MembranePull rub(const MembraneParameters& parameters, const MembraneSlip& slip, const MembraneDesign& design,
                 const MembraneScratch& scratch, double& heat) noexcept;

}  // namespace contactlib::element

// the normal forces of a membrane on single corners, and the friction that they have.
#pragma once

#include "membrane.hpp"

namespace contactlib {

// force and torque about the body's origin in its axes, N, N m.
struct MembranePull {
  Vec3 force, torque;
};

// what a tension of 1 does: its pull on the body, the winches' work (W) and the pull along the tightest line (N).
struct UnitPull {
  MembranePull pull{Vec3::Zero(), Vec3::Zero()};
  double reeling = 0.0, edge = 0.0;
};

// one push of each triangle on each of its corners under tension a, by the bisector; folds are known.
void collect_corner_forces(const MembraneDesign& design, double a, MembraneScratch& scratch) noexcept;

// the pushes as the design spreads them, so that together they hold the fabric's pull on the body. how many are
// negative.
std::int32_t spread_corner_forces(const MembraneDesign& design, double a, const MembranePull& pull,
                                  MembraneScratch& scratch) noexcept;

// the body's velocity over the carrier at a point x of B: v + w x x, in B's axes.
struct MembraneSlip {
  Vec3 v_B, w_B;
};

// Coulomb's force of all pushes on the body, and the heat, W.
MembranePull rub(const MembraneParameters& parameters, const MembraneSlip& slip, const MembraneDesign& design,
                 const MembraneScratch& scratch, double& heat) noexcept;

}  // namespace contactlib

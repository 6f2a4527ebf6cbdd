// The laws of a surface contact: one wrench per pair of shapes, from its points.
#pragma once

#include "contact_builder.hpp"
#include "geometry/overlap/depth.hpp"

namespace contactlib::step {

using geometry::Depth, geometry::SurfaceScratch;

// Builds the contact of a pair of shapes and applies its laws. With the extent e, the depth Phi and w = dPhi/de per area
// (geometry/overlap/depth.hpp), the law f(Phi, Phi') = f(Phi) + c Phi' gives the energy U(Phi) and the pressure
//   P = e^(p-2) / (A0 Phi^(p-1)) max(0, e f(Phi) + c chi ((p-1) Phi chi e' - (p-2) e Phi')),   Phi' = int w chi e'
// chi is how much the surfaces face each other: a surface that slides along a side wall is not damped. Without the
// maximum, the damping has the form of the stiffness, and dissipates at least c Phi'^2 (Cauchy and Schwarz).
void build_surface_contact(const ContactBuilder& builder, SurfaceScratch& pieces, const Depth& depth, const Memory* old,
                           Contact& out) noexcept;

}  // namespace contactlib::step

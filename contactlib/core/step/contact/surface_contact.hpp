// The laws of a surface contact: one wrench per pair of shapes, from its points.
#pragma once

#include "contact_builder.hpp"
#include "geometry/overlap/depth.hpp"

namespace contactlib::step {

using geometry::Depth, geometry::SurfaceScratch;

// Builds the contact of a pair of shapes and applies its laws. With the depth Phi and w = dPhi/de per area
// (geometry/overlap/depth.hpp), the law f(Phi) + c Phi' gives the forces on B at the places of the surface
//   w (f + c Phi') n + w c (p-1) chi^2 r_turn (n.N) N,    Phi' = int w e'
// r_turn is the rate at which a place closes by rocking, along the direction N of the resultant: what is left of turning
// without the change of Phi and without a translation. chi is how much the surfaces face each other: side walls do not
// resist rocking. All is damped like the stiffness, and dissipates  c Phi'^2 + c (p-1) <chi^2 r_turn^2>;  no place pulls.
void build_surface_contact(const ContactBuilder& builder, SurfaceScratch& pieces, const Depth& depth, const Memory* old,
                           Contact& out) noexcept;

}  // namespace contactlib::step

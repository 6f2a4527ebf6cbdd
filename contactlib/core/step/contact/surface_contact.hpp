// The laws of a surface contact: one wrench per pair of shapes, from its points.
#pragma once

#include "contact_builder.hpp"
#include "geometry/overlap/depth.hpp"

namespace contactlib::step {

using geometry::Depth, geometry::SurfaceScratch;

// Builds the contact of a pair of shapes and applies its laws. With the depth Phi and w = dPhi/de per area
// (geometry/overlap/depth.hpp), the law f(Phi) + c r gives the forces on B at the places of the surface
//   w (f + c r) n + w c (p-1) chi^2 r_turn (n.N) N,    r = int w e'/int w
// r is the mean closing speed. So a face, an edge and a corner that move along N have the law's damping ratio, and the
// restitution of Hunt and Crossley's law, which depends on lambda in  F(d) (1 + lambda d')  alone. r_turn is the rate at
// which a place closes by rocking, along the direction N of the resultant: what is left of turning without the change of
// Phi and without a translation. chi is how much the surfaces face each other: side walls do not resist rocking. All
// dissipates  c r^2 int w + c (p-1) int w chi^2 r_turn^2.  No place pulls: where it would, its damping is cut, and that of
// rocking may then do work.
void build_surface_contact(const ContactBuilder& builder, SurfaceScratch& pieces, const Depth& depth, const Memory* old,
                           Contact& out) noexcept;

}  // namespace contactlib::step

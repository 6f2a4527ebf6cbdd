// The laws of a surface contact: one wrench per pair of shapes, from its points.
#pragma once

#include "contact_builder.hpp"
#include "geometry/overlap/depth.hpp"

namespace contactlib::step {

using geometry::Depth, geometry::SurfaceScratch;

// Builds the contact of a pair of shapes and applies its laws: surface_pressing.hpp, surface_friction.hpp.
void build_surface_contact(const ContactBuilder& builder, SurfaceScratch& pieces, const Depth& depth, const Memory* old,
                           Contact& out) noexcept;

}  // namespace contactlib::step

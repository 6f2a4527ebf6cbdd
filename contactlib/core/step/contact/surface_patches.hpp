// The patches of a surface contact, for a query.
#pragma once

#include "geometry/overlap/depth.hpp"
#include "state/contact_patches.hpp"

namespace contactlib::step {

using geometry::Depth, geometry::SurfaceScratch;

// Adds the patches of a contact to the query, from its points, their outlines, and the forces at them in query.forces.
// x_W = R_WF x + p_AF_W, from body A's origin.
void add_patches(const SurfaceScratch& scratch, const Depth& depth, const Mat3& R_WF, const Vec3& p_AF_W,
                 state::PatchQuery& query) noexcept;

}  // namespace contactlib::step

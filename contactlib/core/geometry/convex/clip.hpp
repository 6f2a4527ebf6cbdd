// Face contacts: where the least-overlap normal is a face normal, the contacts between this face and the incident face.
#pragma once

#include "descent.hpp"

namespace contactlib::geometry {

// Adds the corners of the incident face, clipped by the sides of the reference face, that lie below the reference
// plane. If the normal is no face's normal, adds the contacts of a cylinder's side instead. Returns false if nothing is
// left.
bool add_face_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept;

}  // namespace contactlib::geometry

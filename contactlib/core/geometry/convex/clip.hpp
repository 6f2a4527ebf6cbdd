// where the normal is that of a face: the contacts between this face and the other solid's.
#pragma once

#include "descent.hpp"

namespace contactlib {

// adds the corners of the incident face, cut off along the sides of the reference face, that lie below it; if the
// normal is that of no face, what a cylinder's side shares with the other solid. false if nothing is left.
bool add_face_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept;

}  // namespace contactlib

// where a cylinder lies on its side and no face carries the contact: both ends of the length that touches.
#pragma once

#include "descent.hpp"

namespace contactlib {

// adds the contacts between the cylinder's deepest line and a line of the other solid: a cylinder's too, an edge, or
// what a face has below it. false if they share no length.
bool add_side_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept;

}  // namespace contactlib

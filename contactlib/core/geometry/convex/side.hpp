// Contacts of a cylinder that lies on its side where no face carries the contact: both ends of the shared length.
#pragma once

#include "descent.hpp"

namespace contactlib::geometry {

// Adds the contacts between the cylinder's deepest line and a line of the other solid: a cylinder's side line, an edge,
// or a chord of a face. Returns false if they share no length.
bool add_side_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept;

}  // namespace contactlib::geometry

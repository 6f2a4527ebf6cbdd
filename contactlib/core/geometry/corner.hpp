// how the edges around a vertex of a surface lie.
#pragma once

#include <vector>

#include "../contact.hpp"

namespace contactlib {

// whether some plane through the vertex has all its edges on or behind it, and not all in it, as seen from the side of
// the unit vector g, or, of a sheet, of g = 0. `away`: unit vectors along the edges that leave it. may throw
// std::bad_alloc: it is called while a model is read, never in a step.
bool is_convex_corner(const std::vector<Vec3>& away, const Vec3& g);

}  // namespace contactlib

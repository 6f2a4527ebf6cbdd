// how the edges around a vertex of a surface lie.
#pragma once

#include <vector>

#include "geometry/manifold/contact.hpp"

namespace contactlib {

// a tip has a plane with all its edges strictly behind it, a ridge one with all on or behind it and not all in it.
enum class Corner { saddle, ridge, tip };

// what the vertex is seen from the side of the unit vector g, or, of a sheet, of g = 0. `away`: unit vectors along the
// edges that leave it. may throw std::bad_alloc: it is called while a model is read, never in a step.
Corner corner_of(const std::vector<Vec3>& away, const Vec3& g);

}  // namespace contactlib

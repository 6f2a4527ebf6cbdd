// Classification of a vertex by the edges around it.
#pragma once

#include <vector>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// A tip has a plane with all edges strictly behind it; a ridge has one with all edges on or behind it and not all in
// it.
enum class Corner { saddle, ridge, tip };

// The class of the vertex as seen from the side of the unit vector g, or, of a sheet, of g = 0. `away`: unit vectors
// along its edges, away from it. May throw std::bad_alloc: it is called while a model is read, never in a step.
Corner corner_of(const std::vector<Vec3>& away, const Vec3& g);

}  // namespace contactlib::geometry

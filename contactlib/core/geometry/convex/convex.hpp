// Two convex solids out of triangle, ellipsoid, box, cylinder and polyhedron.
#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

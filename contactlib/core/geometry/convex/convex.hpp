// two convex solids out of triangle, ellipsoid, box, cylinder, polyhedron.
#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

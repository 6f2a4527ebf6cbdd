// Two convex solids out of triangle, ellipsoid, box, cylinder and polyhedron.
#pragma once

#include <cstddef>
#include <cstdint>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void convex_convex(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
// A PairLoop: side by side where no shape has a round part.
void convex_convex_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                        ManifoldPoint* points, PairContacts* found) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "geometry/surface/surface.hpp"
#include "sweep.hpp"

namespace contactlib::geometry {

void sphere_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// Of a convex surface. Returns false if p is `within` away or further.
bool nearest_on_polyhedron(const Surface& surface, const Vec3& p, double within, Nearest& out) noexcept;

}  // namespace contactlib::geometry

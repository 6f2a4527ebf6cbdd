#pragma once

#include "geometry/surface/surface.hpp"
#include "sweep.hpp"

namespace contactlib {

void sphere_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_polyhedron(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// of a convex surface. false if p is `within` away or further.
bool nearest_on_polyhedron(const Surface& surface, const Vec3& p, double within, Nearest& out) noexcept;

}  // namespace contactlib

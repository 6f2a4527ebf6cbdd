// Spheres against a mesh.
#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "../contact.hpp"

namespace contactlib {

// A a point or a sphere, a segment or a capsule; B a mesh.
void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

// A a point or a sphere, a segment or a capsule; B a mesh: their nearest places.
void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void sweep_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

#pragma once

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/nearest.hpp"

namespace contactlib::geometry {

// A a point or a sphere, a segment or a capsule; B a mesh: their nearest places.
void nearest_ball_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
// Returns the nearest of all places if there is a contact.
Place nearest_sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void sweep_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

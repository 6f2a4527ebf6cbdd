#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

void polytope_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void cylinder_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void socket_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void ellipsoid_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void socket_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

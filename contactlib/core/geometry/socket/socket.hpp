#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void sphere_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_socket_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                         ManifoldPoint* points, PairContacts* found) noexcept;

}  // namespace contactlib::geometry

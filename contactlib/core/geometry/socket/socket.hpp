#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

void sphere_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

void sphere_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

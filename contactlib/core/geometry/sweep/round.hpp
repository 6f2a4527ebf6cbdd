#pragma once

#include "geometry/manifold/contact.hpp"

namespace contactlib {

void sphere_sphere(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void sphere_capsule(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_capsule(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

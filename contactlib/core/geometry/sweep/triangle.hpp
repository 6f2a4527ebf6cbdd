#pragma once

#include "sweep.hpp"

namespace contactlib {

void sphere_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void sphere_triangle_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                          const ContactColumns& out) noexcept;
void capsule_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

}  // namespace contactlib

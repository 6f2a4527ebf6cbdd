#pragma once

#include "sweep.hpp"

namespace contactlib::geometry {

void sphere_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void sphere_triangle_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                          const ContactColumns& out) noexcept;
void sphere_triangle_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                           ManifoldPoint* points, PairContacts* found) noexcept;
void capsule_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// Parts of a capsule's contact with a triangle, by bits: ends 0 and 1, the body over sides and over corners, and the axis
// inside of the sheet.
inline constexpr int triangle_side = 2, triangle_corner = 5, triangle_inside = 8;
inline constexpr unsigned all_of_triangle = (1u << 9) - 1;

// As `capsule_triangle`, if the other parts have no contact.
void capsule_triangle_parts(const Shape& A, const Shape& B, const Placement& X, unsigned parts, Manifold& out) noexcept;
void capsule_triangle_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                           ManifoldPoint* points, PairContacts* found) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// A point or a sphere at many placements: the bits of the kernels.
void sphere_plane_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                       const ContactColumns& out) noexcept;
void sphere_sphere_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept;
void sphere_capsule_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                         const ContactColumns& out) noexcept;
void sphere_box_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                     const ContactColumns& out) noexcept;
void sphere_socket_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept;

}  // namespace contactlib::geometry

#pragma once

#include "geometry/manifold/manifold.hpp"

namespace contactlib::geometry {

// A point or a sphere against another shape: the bits of the kernels. `_loop`: two shapes at many placements; `_pairs`:
// many pairs of shapes, where they gain time in scenes. The kernels of plane, sphere and socket are as fast there.
void sphere_plane_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                       const ContactColumns& out) noexcept;
void sphere_sphere_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept;
void sphere_capsule_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                         const ContactColumns& out) noexcept;
void sphere_capsule_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                          ManifoldPoint* points, PairContacts* found) noexcept;
void sphere_box_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                     const ContactColumns& out) noexcept;
void sphere_box_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                      ManifoldPoint* points, PairContacts* found) noexcept;
void sphere_socket_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept;

}  // namespace contactlib::geometry

// The nearest points of a socket and another shape.
#pragma once

#include "mesh_distance.hpp"

namespace contactlib::geometry {

// B: a socket; `out` in B's axes. As convex_mesh_distance().
Nearness convex_socket_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                                NearestPoints& out) noexcept;
Nearness mesh_socket_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                              NearestPoints& out) noexcept;

}  // namespace contactlib::geometry

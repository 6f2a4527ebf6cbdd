// The distance of two separated shapes, and their nearest points.
#pragma once

#include "geometry/convex/convex_distance.hpp"

namespace contactlib::geometry {

// Whether a pair of kinds has a distance: all but two sockets and two planes.
bool has_distance(ShapeKind a, ShapeKind b) noexcept;

// `out` in world axes, about A's origin, if the two are apart and no further than `longest`. Where they touch or overlap
// there is no distance; their contacts tell the depth. Sheets and open meshes have no inside.
Nearness shape_distance(const Shape& A, const Shape& B, const Placement& X, double longest,
                        NearestPoints& out) noexcept;

}  // namespace contactlib::geometry

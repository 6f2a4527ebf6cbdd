// What every shape of a kind has in common: its allowed sizes and its bounding ball.
#pragma once

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// Kinds whose corners and faces come with the model, kinds that make their own, and all others.
inline bool needs_surface(ShapeKind kind) noexcept { return kind == ShapeKind::polyhedron || kind == ShapeKind::mesh; }
inline bool makes_surface(ShapeKind kind) noexcept { return kind == ShapeKind::triangle || kind == ShapeKind::box; }

// Whether the sizes are finite and allowed for the kind (docs/manifolds.md).
bool valid_size(ShapeKind kind, const double* size) noexcept;

// Completes a shape whose kind, size, p_BS and R_BS are set: its surface (stored in `own` if the kind makes its own)
// and its bounding ball. Returns false if the sizes are not allowed, or if the given surface does not suit the kind.
// May throw bad_alloc.
bool complete_shape(Shape& shape, Surface* own);

}  // namespace contactlib::geometry

// what every shape of a kind has in common: which sizes it may have, and the ball that holds it.
#pragma once

#include "geometry/surface/surface.hpp"

namespace contactlib {

// kinds whose corners and faces come with the model, kinds that make their own, and all others.
inline bool needs_surface(ShapeKind kind) noexcept { return kind == ShapeKind::polyhedron || kind == ShapeKind::mesh; }
inline bool makes_surface(ShapeKind kind) noexcept { return kind == ShapeKind::triangle || kind == ShapeKind::box; }

// sizes that are finite and allowed for the kind (docs/manifolds.md).
bool valid_size(ShapeKind kind, const double* size) noexcept;

// completes a shape whose kind, size, p_BS, R_BS are set: its own surface (into `own`, when it makes one) and its ball.
// false if the sizes are not allowed, or the surface that it was given does not suit the kind. may throw bad_alloc.
bool complete_shape(Shape& shape, Surface* own);

}  // namespace contactlib

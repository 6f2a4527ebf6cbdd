// the connected parts of a mesh's surface inside a convex solid.
#pragma once

#include "geometry/overlap/section/curved.hpp"
#include "geometry/overlap/section/scratch.hpp"
#include "geometry/surface/boxes.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib {

// an edge that is concave by more than 30 degrees: contact on either side of it is contact of two places.
bool is_valley(const Surface& surface, const Edge& edge) noexcept;

// writes pieces and patches: the triangles of B with a part inside the walls, or inside `curved` unless it is null.
// box: around A, in A's axes; X: from A's axes to B's. pieces whose area is not more than `least` are none.
void find_patches(const Surface& B, const BoxNode& box, const Axes& X, double least, OverlapScratch& scratch,
                  const CurvedSolid* curved) noexcept;

// what find_patches() left in `piece_of`.
void forget_patches(OverlapScratch& scratch) noexcept;

}  // namespace contactlib

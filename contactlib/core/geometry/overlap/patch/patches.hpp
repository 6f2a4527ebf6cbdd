// The connected parts of a mesh's surface inside a convex solid.
#pragma once

#include "geometry/overlap/section/curved.hpp"
#include "geometry/overlap/section/scratch.hpp"
#include "geometry/surface/boxes.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// An edge that is concave by more than 30 degrees: contacts on its two sides belong to different patches.
bool is_valley(const Surface& surface, const Edge& edge) noexcept;

// Writes pieces and patches: the triangles of B with a part inside the walls, or inside `curved` unless it is null.
// box: around A, in A's axes; X: from A's axes to B's. Pieces of an area up to `least`, m2, are
// ignored, and those that are narrower than a tenth of its root.
void find_patches(const Surface& B, const BoxNode& box, const Axes& X, double least, OverlapScratch& scratch,
                  const CurvedSolid* curved) noexcept;

// Resets the entries of `piece_of` that find_patches() set.
void forget_patches(OverlapScratch& scratch) noexcept;

}  // namespace contactlib::geometry

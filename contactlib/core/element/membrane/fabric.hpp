// The triangles of a membrane: the corners in contact, and their topology.
#pragma once

#include "membrane.hpp"

namespace contactlib::element {

// m, of a point over the frame's plane.
inline double height(const MembraneScratch& scratch, const Vec3& p_B) noexcept {
  return scratch.up_B.dot(p_B) - scratch.level;
}

// The corner at which a half-edge of the hull ends.
inline std::int32_t head(const MembraneHull& hull, std::int32_t h) noexcept {
  return hull.triangles[h / 3][h % 3 == 2 ? 0 : h % 3 + 1];
}

// The fabric when the body has passed through the frame's opening: the hull of the suspension points and the whole body
// below the plane. Walks around the border between free fabric and body, then fills in the triangles of the body's own
// hull. `lowest` is a corner below. Returns false if the body extends over the rim; then there is no fabric.
bool wrap_fabric(const MembraneDesign& design, std::int32_t lowest, MembraneScratch& scratch) noexcept;

// The fabric over some corners below the plane, in any position: each corner is inserted into the hull of those before.
void stretch_fabric(const MembraneDesign& design, const std::int32_t* corners, std::size_t count,
                    MembraneScratch& scratch) noexcept;

// Normals of the bordering triangles, the area of all, and its gradient at the suspension points.
double measure_fabric(const MembraneDesign& design, MembraneScratch& scratch) noexcept;

// Folds at all edges of bordering triangles.
void measure_folds(MembraneScratch& scratch) noexcept;

// Per tension, m: the largest pull along a line from a suspension point to a corner, by tension 1.
double largest_edge(const MembraneDesign& design, MembraneScratch& scratch) noexcept;

}  // namespace contactlib::element

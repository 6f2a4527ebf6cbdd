// the triangles of a membrane: which corners it touches, and how it hangs together.
#pragma once

#include "membrane.hpp"

namespace contactlib {

// m, of a point over the frame's plane.
inline double height(const MembraneScratch& scratch, const Vec3& p_B) noexcept {
  return scratch.up_B.dot(p_B) - scratch.level;
}

// where a half-edge of the hull ends.
inline std::int32_t head(const MembraneHull& hull, std::int32_t h) noexcept {
  return hull.triangles[h / 3][h % 3 == 2 ? 0 : h % 3 + 1];
}

// the fabric where the body came through the frame's opening: the hull of the suspension points and the whole body
// below the plane. walks round the border between free fabric and body, then fills in the triangles of the body's own
// hull. `lowest` is a corner below. false if the body reaches over the rim; then there is no fabric.
bool wrap_fabric(const MembraneDesign& design, std::int32_t lowest, MembraneScratch& scratch) noexcept;

// the fabric over some corners below the plane, whatever lies between them: each is put into the hull of those before.
void stretch_fabric(const MembraneDesign& design, const std::int32_t* corners, std::size_t count,
                    MembraneScratch& scratch) noexcept;

// normals of the bordering triangles, the area of all, and its gradient at the suspension points.
double measure_fabric(const MembraneDesign& design, MembraneScratch& scratch) noexcept;

// folds at all edges of bordering triangles.
void measure_folds(MembraneScratch& scratch) noexcept;

// per tension, m: the largest pull along a line from a suspension point to a corner, by tension 1.
double largest_edge(const MembraneDesign& design, MembraneScratch& scratch) noexcept;

}  // namespace contactlib

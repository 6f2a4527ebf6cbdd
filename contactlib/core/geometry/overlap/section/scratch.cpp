#include "scratch.hpp"

#include <algorithm>

#include "curved.hpp"
#include "geometry/surface/surface.hpp"
#include "walls.hpp"

namespace contactlib::geometry {

namespace {

struct Count {
  std::size_t walls, corners;
};

Count count_of(const Shape& A) {
  if (A.kind == ShapeKind::cylinder) return {cylinder_walls, 6 * cylinder_walls};
  if (is_curved(A)) return {0, Section::max_points};
  if (A.kind == ShapeKind::triangle) return {5, 18};
  if (A.surface) return {A.surface->faces.size(), A.surface->loops.size()};
  return {0, 0};
}

template <class Vector>
void at_least(Vector& v, std::size_t count) {
  if (v.size() < count) v.resize(count);
}

}  // namespace

void OverlapScratch::grow_capacity(const Shape& A, const Shape& B) {
  if (B.kind != ShapeKind::mesh) return;
  make_room_on(A, B);
  if (A.kind == ShapeKind::mesh) make_room_on(B, A);  // either may be the one that is measured
}

void OverlapScratch::make_room_on(const Shape& A, const Shape& B) {
  const Count count = count_of(A);
  const std::size_t faces = B.surface->faces.size();
  walls.reserve(count.walls);
  corners.reserve(count.corners);
  pieces.reserve(faces);
  patches.reserve(faces);
  heights.reserve(faces);
  peak_of.reserve(faces);
  last_of.reserve(faces);
  listed.reserve(faces);
  links.reserve(2 * faces);
  branches.reserve(max_branches);
  springs.reserve(max_springs);
  if (piece_of.size() < faces) piece_of.resize(faces, -1);
  if (A.kind == ShapeKind::mesh) {
    members.reserve(count.walls + faces);
    if (member_a.size() < count.walls) member_a.resize(count.walls, -1);
  }
  if (A.kind == ShapeKind::mesh || A.kind == ShapeKind::triangle) {
    if (members.capacity() < faces) members.reserve(faces);
    if (member_b.size() < faces) member_b.resize(faces, -1);
  }
  at_least(reach, 4 * count.walls);
  at_least(met, count.walls);
  // A triangle cut by all walls of a convex solid, and the edges of one wall; or a triangle of another mesh.
  const std::size_t corners_most = A.kind == ShapeKind::mesh ? 16 : count.walls + count.corners + 8;
  for (auto& capacity : polygon) at_least(capacity, corners_most);
  for (auto& capacity : tags) at_least(capacity, corners_most);
}

}  // namespace contactlib::geometry

#include "surface_points.hpp"

#include <algorithm>

#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

namespace {

std::size_t most_corners(const Shape& shape) noexcept {
  std::size_t most = 0;
  if (shape.surface)
    for (const Face& face : shape.surface->faces) most = std::max(most, static_cast<std::size_t>(face.count));
  return most;
}

}  // namespace

void SurfaceScratch::resize(std::size_t wanted) {
  points.resize(wanted);
  closing.resize(wanted);
  load.resize(wanted);
  sliding.resize(wanted);
}

void SurfaceScratch::grow_capacity(const Shape& A, const Shape& B) {
  std::size_t corners = 0, faces = 0, most = 0;
  for (const Shape* shape : {&A, &B}) {
    if (!shape->surface) continue;
    corners = std::max(corners, shape->surface->vertices.size());
    if (shape->kind != ShapeKind::mesh) faces = std::max(faces, shape->surface->faces.size());
    most = std::max(most, most_corners(*shape));
  }
  // a cut adds at most one corner; a cell is cut once more by each face
  most += 2 * faces + 2;
  vertices.resize(std::max(vertices.size(), corners));
  for (std::vector<Vec3>& one : polygon) one.resize(std::max(one.size(), most));
  heights.resize(std::max(heights.size(), faces));
  nearest.resize(std::max(nearest.size(), faces));
}

}  // namespace contactlib::geometry

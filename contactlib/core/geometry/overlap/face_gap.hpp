// How far a solid with faces is from the surface of another solid, at least.
#pragma once

#include <algorithm>
#include <limits>

#include "convex_field.hpp"
#include "geometry/convex/support.hpp"
#include "shape_pair.hpp"

namespace contactlib::geometry {

// How far apart the solids are along the normal of the face that separates them most; > 0: they do not overlap.
struct Gap {
  double size;  // m
  int face;
};

inline Gap gap_of(const BoxField& field, const ShapePair& m) noexcept {
  Vec3 reach = Vec3::Zero();
  if (m.surface.kind == ShapeKind::box)
    for (int i = 0; i < 3; ++i) reach += 0.5 * m.surface.size[i] * m.R.col(i).cwiseAbs();
  else
    for (const Vec3& vertex : m.surface.surface->vertices) reach = reach.cwiseMax((m.R * vertex).cwiseAbs());
  int axis;
  const double size = (m.p.cwiseAbs() - reach - field.half).maxCoeff(&axis);
  return {size, 2 * axis + (m.p[axis] > 0.0)};
}

inline Gap gap_of(const FaceField& field, const ShapePair& m) noexcept {
  const Solid solid({m.surface});
  Gap gap{-std::numeric_limits<double>::infinity(), 0};
  for (int f = 0; f < field.count && gap.size <= 0.0; ++f) {
    const Vec3 n = m.R.transpose() * field.faces[f].n;
    const Vec3& nearest = solid.corners.x[furthest_corner(solid.corners, -n, -1)];
    const double size = n.dot(nearest) + field.faces[f].n.dot(m.p) - field.faces[f].d;
    if (size > gap.size) gap = {size, f};
  }
  return gap;
}

inline Gap gap_of(const HalfSpaceField&, const ShapePair& m) noexcept {
  const Vec3 up = m.R.row(2);
  if (m.surface.kind == ShapeKind::box) {
    const double* const s = m.surface.size;
    return {m.p[2] - 0.5 * (s[0] * std::abs(up[0]) + s[1] * std::abs(up[1]) + s[2] * std::abs(up[2])), 0};
  }
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& vertex : m.surface.surface->vertices) lowest = std::min(lowest, up.dot(vertex));
  return {m.p[2] + lowest, 0};
}

}  // namespace contactlib::geometry

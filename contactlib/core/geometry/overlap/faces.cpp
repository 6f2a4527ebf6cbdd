#include "faces.hpp"

#include <algorithm>
#include <limits>

#include "convex_field.hpp"
#include "geometry/convex/support.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_field.hpp"
#include "round/round_field.hpp"
#include "rounded_field.hpp"
#include "shape_pair.hpp"

namespace contactlib::geometry {

namespace {

// How far apart the solids are along the normal of the face that separates them most; > 0: they do not overlap.
struct Gap {
  double size;  // m
  int face;
};

Gap gap_of(const BoxField& field, const ShapePair& m) noexcept {
  Vec3 reach = Vec3::Zero();
  if (m.surface.kind == ShapeKind::box)
    for (int i = 0; i < 3; ++i) reach += 0.5 * m.surface.size[i] * m.R.col(i).cwiseAbs();
  else
    for (const Vec3& vertex : m.surface.surface->vertices) reach = reach.cwiseMax((m.R * vertex).cwiseAbs());
  int axis;
  const double size = (m.p.cwiseAbs() - reach - field.half).maxCoeff(&axis);
  return {size, 2 * axis + (m.p[axis] > 0.0)};
}

Gap gap_of(const FaceField& field, const ShapePair& m) noexcept {
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

Gap gap_of(const HalfSpaceField&, const ShapePair& m) noexcept {
  const Vec3 up = m.R.row(2);
  if (m.surface.kind == ShapeKind::box) {
    const double* const s = m.surface.size;
    return {m.p[2] - 0.5 * (s[0] * std::abs(up[0]) + s[1] * std::abs(up[1]) + s[2] * std::abs(up[2])), 0};
  }
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& vertex : m.surface.surface->vertices) lowest = std::min(lowest, up.dot(vertex));
  return {m.p[2] + lowest, 0};
}

template <class Field>
void add_faces(const Field& field, const ShapePair& m, SurfaceScratch& out) noexcept {
  const Gap gap = gap_of(field, m);
  out.gap = std::max(0.0, gap.size);
  if (out.gap > 0.0) return;
  // only faces with a corner behind the face of the gap
  const Surface& surface = *m.surface.surface;
  const Vec3 n = m.R.transpose() * field.normal(gap.face);
  const double limit = field.offset(gap.face) - field.normal(gap.face).dot(m.p);
  double* const heights = out.vertex_heights.data();
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) heights[v] = n.dot(surface.vertices[v]) - limit;
  const auto is_behind = [&](const Face& face) noexcept {
    const std::int32_t* const corners = surface.loops.data() + face.first;
    return std::any_of(corners, corners + face.count, [&](std::int32_t v) { return heights[v] < 0.0; });
  };
  for_each_face(m, out, is_behind, [&](const PolygonPlane& plane, int count) noexcept {
    ConvexCells<Field>(field, plane, count, out).add(gap.face);
  });
  out.integrate();
}

void add_faces_in_solid(const ShapePair& m, SurfaceScratch& out) noexcept {
  if (m.solid.kind == ShapeKind::box) return add_faces(BoxField{0.5 * Vec3(m.solid.size), m.solid.inner_faces}, m, out);
  const std::vector<Face>& faces = m.solid.surface->faces;
  add_faces(FaceField{faces.data(), static_cast<int>(faces.size()), m.solid.inner_faces}, m, out);
}

// What a solid that is rounded by r has of the polygon in out.polygon[0]. Cells inside the core end a little further inside,
// where those above its faces begin: a polygon in the plane of a face belongs to the latter, whatever its rounding.
void add_in_rounded(const Shape& solid, double r, const PolygonPlane& plane, int corners,
                    SurfaceScratch& out) noexcept {
  const Surface& core = *solid.surface;
  const double inward = border_width * core.size;
  const int count = add_around_core(core, r, plane, corners, out);
  if (count == 0) return;
  if (solid.kind == ShapeKind::box) {
    const BoxField field{0.5 * Vec3(solid.size) - Vec3::Constant(inward)};
    return ConvexCells<BoxField, AddRaised>(field, plane, count, out, {r + inward}).add();
  }
  const FaceField field{core.faces.data(), static_cast<int>(core.faces.size()), 0, inward};
  ConvexCells<FaceField, AddRaised>(field, plane, count, out, {r + inward}).add();
}

// The core of a rounded solid that is deep in a mesh: its middle, and half-way from there to its corners. All are at least
// twice as deep in it as they reach.
Core deep_core(const Shape& rounded) noexcept {
  const Surface& surface = *rounded.surface;
  double inside = std::numeric_limits<double>::infinity();
  for (const Face& face : surface.faces) inside = std::min(inside, face.d - face.n.dot(surface.mean));
  Core core;
  core.reach = 0.25 * (inside + swept_radius(rounded)), core.area = 6.0 * rounded.volume / rounded.thickness;
  core.at[core.count++] = surface.mean;
  const std::size_t every = 1 + (surface.vertices.size() - 1) / (Core::most - 1);
  for (std::size_t v = 0; v < surface.vertices.size(); v += every)
    core.at[core.count++] = 0.5 * (surface.mean + surface.vertices[v]);
  return core;
}

// Two solids, whose roundings add up to r: the surface of one, or its core, in the other one's core that is rounded by r.
void add_rounded(const ShapePair& m, double r, SurfaceScratch& out) noexcept {
  const double gap =
      m.solid.kind == ShapeKind::box
          ? gap_of(BoxField{0.5 * Vec3(m.solid.size)}, m).size
          : gap_of(FaceField{m.solid.surface->faces.data(), static_cast<int>(m.solid.surface->faces.size())}, m).size;
  out.gap = std::max(0.0, gap - r);
  if (out.gap > 0.0) return;
  for_each_face(m, out,
                [&](const PolygonPlane& plane, int count) noexcept { add_in_rounded(m.solid, r, plane, count, out); });
  out.integrate();
  if (is_rounded(m.surface)) move_to_rounding(swept_radius(m.surface), out);
}

// Where the reference face is that of the solid with the field, what it has at the depth d on a plane: the face of the core,
// half of a line along its border, and at its corners together a ball.
Reference reference_of_rounded(const Shape& solid, const Shape& surface, double r, int p) noexcept {
  Reference out = reference_of(solid, surface);
  if (solid.reference_area > surface.reference_area) return out;
  const Reference around = capsule_reference(r, 0.5 * solid.reference_perimeter, p);
  out.line = around.line, out.ball = around.ball;
  return out;
}

ShapePair rounded_pair_of(const Shape& A, const Shape& B, const Placement& X, bool field_of_a,
                          SurfaceScratch& out) noexcept {
  const double r = swept_radius(A) + swept_radius(B);
  const Reference reference = reference_of_rounded(field_of_a ? A : B, field_of_a ? B : A, r, out.sharpness);
  return shape_pair_of(A, B, X, field_of_a, reference, out);
}

// Facets of a surface whose boxes overlap that of the solid.
void add_facets(const ShapePair& m, SurfaceScratch& out) noexcept {
  const Surface &from = *m.surface.surface, &field = *m.solid.surface;
  const double r = m.solid.kind == ShapeKind::mesh ? 0.0 : swept_radius(m.solid);
  const Vec3 low = Vec3(field.nodes[0].low).array() - r, high = Vec3(field.nodes[0].high).array() + r;
  const Mat3 spread = m.R.cwiseAbs();
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 middle = m.R * (0.5 * (Vec3(node.low) + Vec3(node.high))) + m.p;
    const Vec3 half = spread * (0.5 * (Vec3(node.high) - Vec3(node.low)));
    if (m.solid.kind == ShapeKind::mesh) return may_be_inside(field, middle - half, middle + half);
    return ((middle - half).array() <= high.array()).all() && ((middle + half).array() >= low.array()).all();
  };
  for_each_facet(from, meets, [&](const Facet& facet) noexcept {
    const PolygonPlane plane = place_triangle(m, facet.corner, facet.n, out);
    if (m.solid.kind == ShapeKind::mesh) return add_in_mesh(field, plane, 3, out);
    if (r > 0.0) return add_in_rounded(m.solid, r, plane, 3, out);
    if (m.solid.kind == ShapeKind::box)
      return ConvexCells<BoxField>({0.5 * Vec3(m.solid.size), m.solid.inner_faces}, plane, 3, out).add();
    ConvexCells<FaceField>({field.faces.data(), static_cast<int>(field.faces.size()), m.solid.inner_faces}, plane, 3,
                           out)
        .add();
  });
  out.integrate();
}

}  // namespace

void polytope_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = swept_radius(A) + swept_radius(B);
  if (r > 0.0) return add_rounded(rounded_pair_of(A, B, X, has_field(A, B), out), r, out);
  add_faces_in_solid(shape_pair_of(A, B, X, has_field(A, B), reference_of(A, B), out), out);
}

void solid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  if (is_rounded(A)) {
    const ShapePair m = rounded_pair_of(A, B, X, true, out);
    add_facets(m, out);
    out.from_behind = true;  // faces do not tell whether the core may be in contact
    return add_core(deep_core(A), m, out);
  }
  const ShapePair m = shape_pair_of(A, B, X, has_field(A, B), reference_of(A, B), out);
  if (m.solid.kind != ShapeKind::mesh || m.surface.kind == ShapeKind::mesh) return add_facets(m, out);
  for_each_face(
      m, out, [&](const PolygonPlane& plane, int count) noexcept { add_in_mesh(*m.solid.surface, plane, count, out); });
  out.integrate();
}

// The core of a rounded solid is in a plane that is higher by the rounding, as its surface is in the plane.
void polytope_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  ShapePair m = shape_pair_of(A, B, X, false, reference_of(A, B), out);
  m.p[2] -= swept_radius(A);
  add_faces(HalfSpaceField{}, m, out);
}

// Facets with a corner below the plane.
void mesh_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const ShapePair m = shape_pair_of(A, B, X, false, reference_of(A, B), out);
  const Vec3 up = m.R.row(2);
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 low(node.low), high(node.high);
    return up.dot(0.5 * (low + high)) + m.p[2] < 0.5 * up.cwiseAbs().dot(high - low);
  };
  for_each_facet(*A.surface, meets, [&](const Facet& facet) noexcept {
    ConvexCells<HalfSpaceField>({}, place_triangle(m, facet.corner, facet.n, out), 3, out).add();
  });
  out.integrate();
}

}  // namespace contactlib::geometry

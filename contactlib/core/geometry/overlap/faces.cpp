#include "faces.hpp"

#include <algorithm>

#include "convex_field.hpp"
#include "face_gap.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_field.hpp"
#include "shape_pair.hpp"

namespace contactlib::geometry {

namespace {

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

// Facets of a surface whose boxes overlap that of the solid.
void add_facets(const ShapePair& m, SurfaceScratch& out) noexcept {
  const Surface &from = *m.surface.surface, &field = *m.solid.surface;
  const NearBox near(m, Vec3(field.nodes[0].low), Vec3(field.nodes[0].high));
  const auto meets = [&](const BoxNode& node) noexcept {
    if (m.solid.kind != ShapeKind::mesh) return near(node);
    return near.visit(node, [&](const Vec3& low, const Vec3& high) { return may_be_inside(field, low, high); });
  };
  for_each_facet(from, meets, [&](const Facet& facet) noexcept {
    const PolygonPlane plane = place_triangle(m, facet.corner, facet.n, out);
    if (m.solid.kind == ShapeKind::mesh) return add_in_mesh(field, plane, 3, out);
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
  add_faces_in_solid(shape_pair_of(A, B, X, has_field(A, B), reference_of(A, B), out), out);
}

void solid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const ShapePair m = shape_pair_of(A, B, X, has_field(A, B), reference_of(A, B), out);
  if (m.solid.kind != ShapeKind::mesh || m.surface.kind == ShapeKind::mesh) return add_facets(m, out);
  for_each_face(
      m, out, [&](const PolygonPlane& plane, int count) noexcept { add_in_mesh(*m.solid.surface, plane, count, out); });
  out.integrate();
}

void polytope_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  add_faces(HalfSpaceField{}, shape_pair_of(A, B, X, false, reference_of(A, B), out), out);
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

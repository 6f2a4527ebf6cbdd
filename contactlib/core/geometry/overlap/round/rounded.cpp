#include "rounded.hpp"

#include <algorithm>
#include <limits>

#include "geometry/overlap/face_gap.hpp"
#include "geometry/overlap/faces.hpp"
#include "geometry/surface/nearest.hpp"
#include "round_field.hpp"
#include "rounded_field.hpp"

namespace contactlib::geometry {

namespace {

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

}  // namespace

void rounded_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = swept_radius(A) + swept_radius(B);
  if (!(r > 0.0)) return polytope_polytope(A, B, X, out);
  add_rounded(rounded_pair_of(A, B, X, has_field(A, B), out), r, out);
}

// A rounded solid has the field.
void rounded_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = swept_radius(A);
  if (!(r > 0.0)) return solid_mesh(A, B, X, out);
  const ShapePair m = rounded_pair_of(A, B, X, true, out);
  const BoxNode& box = A.surface->nodes[0];
  const Vec3 reach = Vec3::Constant(r);
  const NearBox meets(m, Vec3(box.low) - reach, Vec3(box.high) + reach);
  for_each_facet(*B.surface, meets, [&](const Facet& facet) noexcept {
    add_in_rounded(A, r, place_triangle(m, facet.corner, facet.n, out), 3, out);
  });
  out.integrate();
  out.from_behind = true;  // faces do not tell whether the core may be in contact
  add_core(deep_core(A), m, out);
}

// The core of a rounded solid is in a plane that is higher by the rounding, as its surface is in the plane.
void rounded_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = swept_radius(A);
  if (!(r > 0.0)) return polytope_plane(A, B, X, out);
  Placement raised = X;
  raised.p_AB_W += r * X.R_WB.col(2);
  polytope_plane(A, B, raised, out);
  out.frame.p_AF_A = X.R_WA.transpose() * X.p_AB_W;
}

}  // namespace contactlib::geometry

#include "faces.hpp"

#include <algorithm>

#include "convex_field.hpp"
#include "geometry/surface/nearest.hpp"
#include "mesh_field.hpp"
#include "geometry/surface/surface.hpp"
#include "ways.hpp"

namespace contactlib::geometry {

namespace {

ConvexField field_of(const Shape& shape) noexcept {
  return {shape.surface->faces.data(), static_cast<int>(shape.surface->faces.size())};
}

bool is_sheet(const Shape& shape) noexcept { return shape.kind == ShapeKind::triangle; }

// A triangle has two faces back to back, which are one sheet.
std::size_t sides(const Shape& shape) noexcept { return is_sheet(shape) ? 1 : shape.surface->faces.size(); }

// Corners of `surface` in the axes of the field's solid:  x_F = R_FS x_S + p_FS_F
void turn(const Shape& surface, const Mat3& R_FS, const Vec3& p_FS_F, SurfaceScratch& out) noexcept {
  const std::vector<Vec3>& vertices = surface.surface->vertices;
  for (std::size_t v = 0; v < vertices.size(); ++v) out.vertices[v] = R_FS * vertices[v] + p_FS_F;
}

// The greatest distance of the surface's corners from a face of the field's solid; > 0: they are apart.
double distance_beyond(const ConvexField& field, const Shape& surface, const SurfaceScratch& scratch) noexcept {
  double most = -1e300;
  const std::size_t count = surface.surface->vertices.size();
  for (const Face* face = field.faces; face < field.faces + field.count; ++face) {
    double least = 1e300;
    for (std::size_t v = 0; v < count; ++v) least = std::min(least, face->n.dot(scratch.vertices[v]));
    most = std::max(most, least - face->d);
  }
  return most;
}

// Adds the faces of `surface`, whose corners are in scratch.vertices.
void add_faces(const ConvexField& field, const Shape& surface, const Mat3& R_FS, const FieldPlacement& to,
               SurfaceScratch& out) noexcept {
  const Surface& from = *surface.surface;
  for (std::size_t f = 0; f < sides(surface); ++f) {
    const Face& face = from.faces[f];
    for (int i = 0; i < face.count; ++i) out.polygon[0][i] = out.vertices[from.loops[face.first + i]];
    add_polygon(field, face.count, R_FS * face.n, to, out);
  }
}

}  // namespace

void polytope_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  out.clear();
  const Mat3 R_AB = X.R_WA.transpose() * X.R_WB, R_BA = R_AB.transpose();
  const Vec3 p_AB_A = X.R_WA.transpose() * X.p_AB_W, p_BA_B = -(R_BA * p_AB_A);
  const Ways ways = ways_of(A, B);
  if (ways.field_a > 0.0) {
    turn(B, R_AB, p_AB_A, out);
    out.gap = std::max(0.0, distance_beyond(field_of(A), B, out));
    if (out.gap > 0.0) return;
    add_faces(field_of(A), B, R_AB, {Mat3::Identity(), Vec3::Zero(), 1.0, ways.field_a, is_sheet(B)}, out);
  }
  if (ways.field_b > 0.0) {
    turn(A, R_BA, p_BA_B, out);
    out.gap = std::max(0.0, distance_beyond(field_of(B), A, out));
    if (out.gap > 0.0) {
      out.count = out.needed = 0;
      return;
    }
    add_faces(field_of(B), A, R_BA, {R_AB, p_AB_A, -1.0, ways.field_b, is_sheet(A)}, out);
  }
}

namespace {

bool is_convex_shape(const Shape& s) noexcept { return s.kind == ShapeKind::box || s.kind == ShapeKind::polyhedron; }

// All faces of `surface` in the field of `solid`.
void add_surface(const Shape& solid, const Shape& surface, const Mat3& R_FS, const Vec3& p_FS_F, const FieldPlacement& to,
                 SurfaceScratch& out) noexcept {
  const Surface& from = *surface.surface;
  const Surface& field = *solid.surface;
  const BoxNode& box = field.nodes[0];
  const Vec3 low(box.low), high(box.high);
  const Mat3 spread = R_FS.cwiseAbs();
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 middle = R_FS * (0.5 * (Vec3(node.low) + Vec3(node.high))) + p_FS_F;
    const Vec3 half = spread * (0.5 * (Vec3(node.high) - Vec3(node.low)));
    return ((middle - half).array() <= high.array()).all() && ((middle + half).array() >= low.array()).all();
  };
  for_each_facet(from, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) out.polygon[0][i] = R_FS * facet.corner[i] + p_FS_F;
    const Vec3 n = R_FS * facet.n;
    if (is_convex_shape(solid))
      add_polygon(field_of(solid), 3, n, to, out);
    else
      add_polygon(field, 3, n, to, out);
  });
}

}  // namespace

void solid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  out.clear();
  const Mat3 R_AB = X.R_WA.transpose() * X.R_WB, R_BA = R_AB.transpose();
  const Vec3 p_AB_A = X.R_WA.transpose() * X.p_AB_W, p_BA_B = -(R_BA * p_AB_A);
  const Ways ways = ways_of(A, B);
  if (ways.field_a > 0.0)
    add_surface(A, B, R_AB, p_AB_A, {Mat3::Identity(), Vec3::Zero(), 1.0, ways.field_a, is_sheet(B)}, out);
  if (ways.field_b > 0.0)
    add_surface(B, A, R_BA, p_BA_B, {R_AB, p_AB_A, -1.0, ways.field_b, is_sheet(A)}, out);
}

void polytope_plane(const Shape& A, const Shape&, const Placement& X, SurfaceScratch& out) noexcept {
  out.clear();
  const Mat3 R_AB = X.R_WA.transpose() * X.R_WB, R_BA = R_AB.transpose();
  const Vec3 p_AB_A = X.R_WA.transpose() * X.p_AB_W;
  const Face top{0, 0, Vec3::UnitZ(), 0.0};
  const ConvexField half_space{&top, 1};
  turn(A, R_BA, -(R_BA * p_AB_A), out);
  out.gap = std::max(0.0, distance_beyond(half_space, A, out));
  if (out.gap > 0.0) return;
  add_faces(half_space, A, R_BA, {R_AB, p_AB_A, -1.0, 1.0, is_sheet(A)}, out);
}

}  // namespace contactlib::geometry

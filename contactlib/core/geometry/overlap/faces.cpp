#include "faces.hpp"

#include <algorithm>
#include <limits>

#include "convex_field.hpp"
#include "geometry/surface/nearest.hpp"
#include "geometry/surface/surface.hpp"
#include "mesh_field.hpp"
#include "ways.hpp"

namespace contactlib::geometry {

namespace {

bool is_sheet(const Shape& shape) noexcept { return shape.kind == ShapeKind::triangle; }

// A triangle has two faces back to back, which are one sheet.
std::size_t sides(const Shape& shape) noexcept { return is_sheet(shape) ? 1 : shape.surface->faces.size(); }

// The solid that has the field, the other one that has the surface, and where this is:  x_F = R x_S + p
struct Meeting {
  const Shape &solid, &surface;
  Mat3 R;
  Vec3 p;
};

// Sets the frame of the pieces, too.
Meeting meeting_of(const Shape& A, const Shape& B, const Placement& X, bool field_of_a, SurfaceScratch& out) noexcept {
  const Mat3 R_AB = X.R_WA.transpose() * X.R_WB;
  const Vec3 p_AB_A = X.R_WA.transpose() * X.p_AB_W;
  if (field_of_a) {
    out.begin({Mat3::Identity(), Vec3::Zero(), true, is_sheet(B)});
    return {A, B, R_AB, p_AB_A};
  }
  out.begin({R_AB, p_AB_A, false, is_sheet(A)});
  return {B, A, R_AB.transpose(), -(R_AB.transpose() * p_AB_A)};
}

// Brings the corners of the surface into the axes of the solid, and finds which faces they are beyond. Returns the
// greatest distance of all corners from a face of the solid; > 0: they are apart.
template <class Field>
double place_corners(const Field& field, const Meeting& m, SurfaceScratch& out) noexcept {
  const std::vector<Vec3>& vertices = m.surface.surface->vertices;
  const std::size_t count = vertices.size();
  for (std::size_t v = 0; v < count; ++v) out.vertices[v] = m.R * vertices[v] + m.p, out.beyond[v] = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < field.count; ++f) {
    double nearest = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < count; ++v) {
      const double extent = field.extent(f, out.vertices[v]);
      nearest = std::max(nearest, extent);
      out.beyond[v] |= static_cast<std::uint64_t>(extent < 0.0) << (f & 63);
    }
    most = std::max(most, -nearest);
    if (most > 0.0) break;
  }
  return most;
}

template <class Field>
void add_faces(const Field& field, const Meeting& m, SurfaceScratch& out) noexcept {
  out.gap = std::max(0.0, place_corners(field, m, out));
  if (out.gap > 0.0) return;
  const Surface& from = *m.surface.surface;
  for (std::size_t k = 0; k < sides(m.surface); ++k) {
    const Face& face = from.faces[k];
    Beyond beyond{0, ~std::uint64_t{0}};
    for (int i = 0; i < face.count; ++i) {
      const std::int32_t v = from.loops[face.first + i];
      beyond.some |= out.beyond[v], beyond.all &= out.beyond[v];
      out.polygon[0][i] = out.vertices[v];
    }
    if (beyond.all != 0 && field.count <= 64) continue;
    ConvexCells<Field>(field, face.count, m.R * face.n, out).add(beyond);
  }
}

void add_faces_in_solid(const Meeting& m, SurfaceScratch& out) noexcept {
  if (m.solid.kind == ShapeKind::box) return add_faces(BoxField{0.5 * Vec3(m.solid.size)}, m, out);
  const std::vector<Face>& faces = m.solid.surface->faces;
  add_faces(FaceField{faces.data(), static_cast<int>(faces.size())}, m, out);
}

// Facets of a surface whose boxes overlap that of the solid.
void add_facets(const Meeting& m, SurfaceScratch& out) noexcept {
  const Surface &from = *m.surface.surface, &field = *m.solid.surface;
  const Vec3 low(field.nodes[0].low), high(field.nodes[0].high);
  const Mat3 spread = m.R.cwiseAbs();
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 middle = m.R * (0.5 * (Vec3(node.low) + Vec3(node.high))) + m.p;
    const Vec3 half = spread * (0.5 * (Vec3(node.high) - Vec3(node.low)));
    return ((middle - half).array() <= high.array()).all() && ((middle + half).array() >= low.array()).all();
  };
  for_each_facet(from, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) out.polygon[0][i] = m.R * facet.corner[i] + m.p;
    const Vec3 n = m.R * facet.n;
    if (m.solid.kind == ShapeKind::mesh) return add_polygon(field, 3, n, out);
    if (m.solid.kind == ShapeKind::box) return ConvexCells<BoxField>({0.5 * Vec3(m.solid.size)}, 3, n, out).add();
    ConvexCells<FaceField>({field.faces.data(), static_cast<int>(field.faces.size())}, 3, n, out).add();
  });
}

}  // namespace

void polytope_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  add_faces_in_solid(meeting_of(A, B, X, has_field(A, B), out), out);
}

void solid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  add_facets(meeting_of(A, B, X, has_field(A, B), out), out);
}

void polytope_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  add_faces(HalfSpaceField{}, meeting_of(A, B, X, false, out), out);
}

// Facets with a corner below the plane.
void mesh_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const Meeting m = meeting_of(A, B, X, false, out);
  const Vec3 up = m.R.row(2);
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 low(node.low), high(node.high);
    return up.dot(0.5 * (low + high)) + m.p[2] < 0.5 * up.cwiseAbs().dot(high - low);
  };
  for_each_facet(*A.surface, meets, [&](const Facet& facet) noexcept {
    for (int i = 0; i < 3; ++i) out.polygon[0][i] = m.R * facet.corner[i] + m.p;
    ConvexCells<HalfSpaceField>({}, 3, m.R * facet.n, out).add();
  });
}

}  // namespace contactlib::geometry

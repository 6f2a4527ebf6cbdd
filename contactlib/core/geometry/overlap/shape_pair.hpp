// Two shapes of a surface contact: the solid that has the extent field, and the other one, whose surface counts.
#pragma once

#include "depth.hpp"
#include "geometry/surface/surface.hpp"
#include "ways.hpp"

namespace contactlib::geometry {

// In the axes of the solid with the field:  x_F = R x_S + p
struct ShapePair {
  const Shape &solid, &surface;
  Mat3 R;
  Vec3 p;  // m
};

inline bool is_sheet(const Shape& shape) noexcept { return shape.kind == ShapeKind::triangle; }

// Begins a contact with this reference: sets the frame of the pieces.
inline ShapePair shape_pair_of(const Shape& A, const Shape& B, const Placement& X, bool field_of_a,
                               const Reference& reference, SurfaceScratch& out) noexcept {
  const Mat3 R_AB = X.R_WA.transpose() * X.R_WB;
  const Vec3 p_AB_A = X.R_WA.transpose() * X.p_AB_W;
  if (field_of_a) {
    out.begin({Mat3::Identity(), Vec3::Zero(), true, is_sheet(B), A.convex && B.convex}, reference);
    return {A, B, R_AB, p_AB_A};
  }
  out.begin({R_AB, p_AB_A, false, is_sheet(A), A.convex && B.convex}, reference);
  return {B, A, R_AB.transpose(), -(R_AB.transpose() * p_AB_A)};
}

// Whether a box around faces of the surface meets a box in the axes of the field, or may do so.
class NearBox {
 public:
  NearBox(const ShapePair& m, const Vec3& low, const Vec3& high) noexcept
      : m_(m), spread_(m.R.cwiseAbs()), low_(low), high_(high) {}

  bool operator()(const BoxNode& node) const noexcept {
    return visit(node, [&](const Vec3& low, const Vec3& high) noexcept {
      return (low.array() <= high_.array()).all() && (high.array() >= low_.array()).all();
    });
  }
  // Calls meets(low, high) with the box around the node's box in the axes of the field.
  template <class Meets>
  bool visit(const BoxNode& node, const Meets& meets) const noexcept {
    const Vec3 middle = m_.R * (0.5 * (Vec3(node.low) + Vec3(node.high))) + m_.p;
    const Vec3 half = spread_ * (0.5 * (Vec3(node.high) - Vec3(node.low)));
    return meets(Vec3(middle - half), Vec3(middle + half));
  }

 private:
  const ShapePair& m_;
  const Mat3 spread_;
  const Vec3 low_, high_;
};

// A triangle in the axes of the field, with its corners in out.polygon[0]. The coordinates are those along two of its
// sides, from the middle of their parallelogram.
inline PolygonPlane place_triangle(const ShapePair& m, const Vec3* corners, const Vec3& n,
                                   SurfaceScratch& out) noexcept {
  const Vec3 b = m.R * (corners[1] - corners[0]), c = m.R * (corners[2] - corners[0]);
  out.polygon[0][0] = {-0.5, -0.5, 0.0}, out.polygon[0][1] = {0.5, -0.5, 0.0}, out.polygon[0][2] = {-0.5, 0.5, 0.0};
  return {m.R * corners[0] + m.p + 0.5 * (b + c), b, c, m.R * n, b.cross(c).norm()};
}

// A face of a triangle, a box or a polyhedron in the axes of the field, with its corners in out.polygon[0].
inline PolygonPlane place_face(const ShapePair& m, std::size_t k, SurfaceScratch& out) noexcept {
  const Surface& from = *m.surface.surface;
  const Face& face = from.faces[k];
  if (from.planes.empty()) {
    const Vec3 corners[] = {from.corner(face, 0), from.corner(face, 1), from.corner(face, 2)};
    return place_triangle(m, corners, face.n, out);
  }
  const FacePlane& plane = from.planes[k];
  for (int i = 0; i < face.count; ++i) {
    const std::array<double, 2>& uv = from.loop_uv[face.first + i];
    out.polygon[0][i] = {uv[0], uv[1], 0.0};
  }
  return {m.R * plane.o + m.p, m.R * plane.t_u, m.R * plane.t_v, m.R * face.n, 1.0};
}

// Calls visit(plane, count) for each of these faces that is wanted. A triangle has two of them back to back, which are one
// sheet.
template <class Wanted, class Visit>
void for_each_face(const ShapePair& m, SurfaceScratch& out, const Wanted& wanted, Visit&& visit) noexcept {
  const std::vector<Face>& faces = m.surface.surface->faces;
  const std::size_t count = is_sheet(m.surface) ? 1 : faces.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (m.surface.inner_faces != 0 && k < 64 && (m.surface.inner_faces >> k & 1)) continue;
    if (!wanted(faces[k])) continue;
    const PolygonPlane plane = place_face(m, k, out);
    visit(plane, static_cast<int>(faces[k].count));
  }
}

template <class Visit>
void for_each_face(const ShapePair& m, SurfaceScratch& out, Visit&& visit) noexcept {
  for_each_face(m, out, [](const Face&) noexcept { return true; }, visit);
}

}  // namespace contactlib::geometry

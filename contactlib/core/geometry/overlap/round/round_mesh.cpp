#include "round_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "cylinder.hpp"
#include "geometry/surface/nearest.hpp"
#include "math/elementary.hpp"
#include "round_field.hpp"
#include "rounded_field.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;

struct CylinderField {
  double r, h;
  Vec3 half() const noexcept { return {r, r, h}; }
};

void add_polygon(const CylinderField& field, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  add_in_cylinder(field.r, field.h, plane, count, 0.0, out);
}

// The facets of the mesh that reach into the box around the solid.
template <class Field>
void add_facets(const Field& field, const ShapePair& m, SurfaceScratch& out) noexcept {
  const Vec3 half = field.half();
  const NearBox meets(m, -half, half);
  for_each_facet(*m.surface.surface, meets, [&](const Facet& facet) noexcept {
    const PolygonPlane plane = place_triangle(m, facet.corner, facet.n, out);
    const Vec3 a = plane.o - 0.5 * (plane.t_u + plane.t_v), b = a + plane.t_u, c = a + plane.t_v;
    if ((a.cwiseMin(b).cwiseMin(c).array() > half.array()).any()) return;
    if ((a.cwiseMax(b).cwiseMax(c).array() < -half.array()).any()) return;
    add_polygon(field, plane, 3, out);
  });
}

ShapePair meet(const Shape& A, const Shape& B, const Placement& X, const Reference& reference,
               SurfaceScratch& out) noexcept {
  const ShapePair m = shape_pair_of(A, B, X, true, reference, out);
  out.frame.sheet = out.frame.sheet || !B.surface->closed;
  return m;
}

// How far a capsule is from the box around the corners, at least.
double gap_of(const CapsuleField& field, const ShapePair& m) noexcept {
  const BoxNode& node = m.surface.surface->nodes[0];
  const Vec3 low(node.low), high(node.high), middle = -(m.R.transpose() * m.p), along = m.R.row(2);
  const Vec3 beyond = (middle - 0.5 * (low + high)).cwiseAbs() - 0.5 * (high - low) - 0.5 * field.l * along.cwiseAbs();
  return beyond.maxCoeff() - field.r;
}

}  // namespace

void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1];
  const ShapePair m = meet(A, B, X, capsule_reference(r, l, out.sharpness), out);
  add_facets(CapsuleField{r, l}, m, out);
  add_core(capsule_core(r, l), m, out);
}

// A rounded solid is met at its core, by a capsule that is thicker by the rounding.
void capsule_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double rounding = swept_radius(B), r = A.size[0] + rounding, l = A.size[1];
  const ShapePair m = meet(A, B, X, capsule_reference(r, l, out.sharpness), out);
  const CapsuleField field{r, l};
  out.gap = std::max(0.0, gap_of(field, m));
  if (out.gap > 0.0) return;
  for_each_face(m, out, [&](const PolygonPlane& plane, int count) noexcept { add_polygon(field, plane, count, out); });
  if (!is_sheet(B)) add_core(capsule_core(r, l), m, out);
  if (rounding > 0.0) move_to_rounding(rounding, out);
}

// The plane as a square that is larger than the capsule.
void capsule_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1];
  const ShapePair m = shape_pair_of(A, B, X, true, capsule_reference(r, l, out.sharpness), out);
  const CapsuleField field{r, l};
  const Vec3 n = m.R.col(2);
  const double height = -n.dot(m.p);  // of the capsule's middle
  out.gap = std::max(0.0, height - 0.5 * l * std::abs(n[2]) - r);
  if (out.gap > 0.0) return;
  const Vec3 t_u = m.R.col(0), t_v = m.R.col(1);
  const double half = l + 2.0 * r;
  const PolygonPlane plane{-height * n, t_u, t_v, n, 1.0};
  out.polygon[0][0] = {-half, -half, 0.0}, out.polygon[0][1] = {half, -half, 0.0};
  out.polygon[0][2] = {half, half, 0.0}, out.polygon[0][3] = {-half, half, 0.0};
  add_polygon(field, plane, 4, out);
  const double sunk = std::min(r, 0.5 * l * std::abs(n[2]) + r - height);
  out.sums.deepest = std::max(out.sums.deepest, sunk * (1.0 - 0.5 * sunk / r) / extent_unit);
  // below its middle, less and less of the plane is inside the capsule
  const Core core = capsule_core(r, l);
  for (int i = 0; i < core.count; ++i) core.add(i, core.reach - height - n.dot(core.at[i]), -n, out);
}

void ellipsoid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const Vec3 s(A.size);
  const double r = math::cbrt(s.prod());
  const ShapePair m = meet(A, B, X, ball_reference(r, out.sharpness), out);
  add_facets(EllipsoidField{s}, m, out);
  Core core;
  core.reach = 0.5 * s.minCoeff(), core.area = 4.0 * pi * r * r;
  core.at[core.count++] = Vec3::Zero();
  add_core(core, m, out);
}

void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], h = 0.5 * A.size[1];
  const ShapePair m = meet(A, B, X, reference_of(A, B), out);
  add_facets(CylinderField{r, h}, m, out);
  Core core;
  core.reach = 0.5 * std::min(r, h), core.area = 2.0 * pi * r * (r + 2.0 * h);
  core.add_line(std::max(0.0, h - r));
  if (r > h) core.add_ring(r - h);
  add_core(core, m, out);
}

void add_sphere_on_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0];
  const ShapePair m = meet(A, B, X, ball_reference(r, out.sharpness), out);
  add_facets(EllipsoidField{Vec3::Constant(r)}, m, out);
}

}  // namespace contactlib::geometry

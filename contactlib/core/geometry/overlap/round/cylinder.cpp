#include "cylinder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curved_region.hpp"
#include "cylinder_side.hpp"
#include "geometry/overlap/convex_field.hpp"
#include "geometry/overlap/gauss.hpp"
#include "geometry/overlap/shape_pair.hpp"
#include "outline_region.hpp"

namespace contactlib::geometry {

namespace {

// The square around a disc is so much wider than the disc that it does not touch it.
constexpr double wide = 1.25;

// Adds what a disc about the origin of the plane has of a cell.
struct AddDisc {
  double r;

  void operator()(const PolygonPlane& plane, Corner* cell, int count, const Slope& extent, const Vec3& n,
                  SurfaceScratch& out) const noexcept {
    const CurvedRegion region{cell, count, {{r * r, 0.0, 0.0, -1.0, 0.0, -1.0}, {}}, 1, false, {}, {}};
    const auto extent_at = [&](double u, double v) { return extent.at({u, v, 0.0}); };
    if (out.outlines) outline_region(region, plane, extent_at, out);
    for_each_chord(region, chord_rule(out.sharpness), [&](const Chord& chord) noexcept {
      const auto at = [&](double u) { return Vec3(plane.o + u * plane.t_u + chord.v * plane.t_v); };
      const auto e = [&](double u) { return extent.at({u, chord.v, 0.0}); };
      add_strip(at(chord.a), at(chord.b), e(chord.a), e(chord.b), chord.width, plane.n, n, out);
    });
  }
};

double radius(const Shape& cylinder) noexcept { return cylinder.size[0]; }
double half_length(const Shape& cylinder) noexcept { return 0.5 * cylinder.size[1]; }

// Its discs and its side.
template <class Field>
void add_cylinder(const Field& field, const ShapePair& m, SurfaceScratch& out) noexcept {
  const double r = radius(m.surface), h = half_length(m.surface);
  const Vec3 t_1 = m.R.col(0), t_2 = m.R.col(1), axis = m.R.col(2);
  const CylinderSide side{m.p, t_1, t_2, axis, r, h};
  const PolygonPlane across{m.p, t_1, t_2, axis, 1.0};
  const PolygonPlane lengthwise{m.p, axis, t_2, t_1, 1.0};
  double gap = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < field.count; ++f) {
    const Slope slope = field.slope(f, across);
    const double C = field.slope(f, lengthwise).du;
    out.side_faces[f] = {slope.c, r * slope.du, r * slope.dv, C, field.normal(f)};
    gap = std::max(gap, -(slope.c + out.side_faces[f].reach() + h * std::abs(C)));
  }
  out.gap = std::max(0.0, gap);
  if (gap > 0.0) return;
  add_side(side, field.count, out);
  for (const double z : {h, -h}) {
    const PolygonPlane disc{m.p + z * axis, t_1, t_2, z > 0.0 ? axis : Vec3(-axis), 1.0};
    const int corners = square_around(r, out.polygon[0].data());
    ConvexCells<Field, AddDisc>(field, disc, corners, out, {r}).add();
  }
}

ShapePair meet(const Shape& A, const Shape& B, const Placement& X, bool field_of_a, SurfaceScratch& out) noexcept {
  return shape_pair_of(A, B, X, field_of_a, reference_of(A, B), out);
}

void add_faces_in_cylinder(const ShapePair& m, SurfaceScratch& out) noexcept {
  for_each_face(m, out, [&](const PolygonPlane& plane, int count) noexcept {
    add_in_cylinder(radius(m.solid), half_length(m.solid), plane, count, 0.0, out);
  });
}

}  // namespace

int square_around(double disc, Corner* out) noexcept {
  const double half = wide * disc;
  out[0] = {-half, -half, 0.0}, out[1] = {half, -half, 0.0}, out[2] = {half, half, 0.0}, out[3] = {-half, half, 0.0};
  return 4;
}

void add_in_cylinder(double r, double h, const PolygonPlane& plane, int count, double disc,
                     SurfaceScratch& out) noexcept {
  const Vec3 &o = plane.o, &u = plane.t_u, &v = plane.t_v;
  const double by = 0.5 / r;
  const auto flat = [](const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1]; };
  const Quadratic side{by * (r * r - flat(o, o)), -2.0 * by * flat(o, u), -2.0 * by * flat(o, v),
                       -by * flat(u, u),          -2.0 * by * flat(u, v), -by * flat(v, v)};
  const GaussRule& rule = gauss_of_degree(2 * out.sharpness);
  const double length = u.norm(), strip = plane.unit_area / length;
  for (const double sign : {1.0, -1.0}) {
    const Slope z{sign * o[2], sign * u[2], sign * v[2]}, end{h - z.c, -z.du, -z.dv};
    int left = keep_positive(z, 0, count, 1, out);
    if (left < 3) continue;
    left = keep_positive(end, 1, left, 2, out);
    if (left < 3) continue;
    const CurvedRegion region{out.polygon[2].data(),
                              left,
                              {side, {disc * disc, 0.0, 0.0, -1.0, 0.0, -1.0}},
                              disc > 0.0 ? 2 : 1,
                              true,
                              side,
                              end};
    const auto extent_at = [&](double u, double v) { return std::min(side.at(u, v), end.at({u, v, 0.0})); };
    if (out.outlines) outline_region(region, plane, extent_at, out);
    for_each_chord(region, chord_rule(out.sharpness), [&](const Chord& chord) noexcept {
      const auto at = [&](double along) { return Vec3(o + along * u + chord.v * v); };
      if (chord.at_end) {
        const auto e = [&](double along) { return end.at({along, chord.v, 0.0}); };
        return add_strip(at(chord.a), at(chord.b), e(chord.a), e(chord.b), chord.width * strip, plane.n,
                         sign * Vec3::UnitZ(), out);
      }
      for (int i = 0; i < rule.count; ++i) {
        const Vec3 x = at(chord.a + rule.at[i] * (chord.b - chord.a));
        const double rho = std::sqrt(flat(x, x));
        if (!(rho > 0.0)) continue;  // on the axis the force of the side has no direction
        add_point(x, by * (r * r - rho * rho), rule.weight[i] * (chord.b - chord.a) * chord.width * plane.unit_area,
                  plane.n, Vec3(x[0] / rho, x[1] / rho, 0.0), rho / r, out);
      }
    });
  }
}

void triangle_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  add_faces_in_cylinder(meet(A, B, X, false, out), out);
}

void cylinder_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const ShapePair m = meet(A, B, X, has_field(A, B), out);
  if (m.solid.kind == ShapeKind::cylinder) return add_faces_in_cylinder(m, out);
  if (m.solid.kind == ShapeKind::box)
    return add_cylinder(BoxField{0.5 * Vec3(m.solid.size), m.solid.inner_faces}, m, out);
  const std::vector<Face>& faces = m.solid.surface->faces;
  add_cylinder(FaceField{faces.data(), static_cast<int>(faces.size()), m.solid.inner_faces}, m, out);
}

void cylinder_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const ShapePair m = meet(A, B, X, false, out);
  add_cylinder(HalfSpaceField{}, m, out);
  // between the lines that are integrated there is a deeper one
  const Vec3 up = m.R.row(2);
  const double reach = radius(A) * std::sqrt(std::max(0.0, 1.0 - up[2] * up[2])) + half_length(A) * std::abs(up[2]);
  out.sums.deepest = std::max(out.sums.deepest, (reach - m.p[2]) / extent_unit);
}

}  // namespace contactlib::geometry

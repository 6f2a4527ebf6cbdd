#include "shape.hpp"

#include <cmath>
#include <limits>

#include "geometry/surface/reference_area.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846, endless = std::numeric_limits<double>::infinity();

struct Ball {
  Vec3 middle;  // m, in the shape's axes
  double radius;
};

// Around points and all that is within `reach` of them.
Ball around(const std::vector<Vec3>& vertices, double reach) noexcept {
  if (vertices.empty()) return {Vec3::Zero(), 0.0};
  Vec3 low = vertices[0], high = vertices[0];
  for (const Vec3& vertex : vertices) low = low.cwiseMin(vertex), high = high.cwiseMax(vertex);
  Ball ball{0.5 * (low + high), 0.0};
  for (const Vec3& vertex : vertices) ball.radius = math::fmax(ball.radius, (vertex - ball.middle).norm());
  ball.radius += reach;
  return ball;
}

Ball ball(const Shape& shape) noexcept {
  const double* s = shape.size;
  switch (shape.kind) {
    case ShapeKind::point:
    case ShapeKind::sphere: return {Vec3::Zero(), s[0]};
    case ShapeKind::segment:
    case ShapeKind::capsule: return {Vec3::Zero(), s[0] + 0.5 * s[1]};
    case ShapeKind::ellipsoid: return {Vec3::Zero(), math::fmax(s[0], math::fmax(s[1], s[2]))};
    case ShapeKind::cylinder: return {Vec3::Zero(), math::hypot(s[0], 0.5 * s[1])};
    case ShapeKind::socket: return {Vec3(0.0, 0.0, -0.5 * s[2]), 0.5 * Vec3(s[0], s[1], s[2]).norm()};
    case ShapeKind::triangle:
    case ShapeKind::box:
    case ShapeKind::polyhedron:
    case ShapeKind::mesh: return around(shape.surface->vertices, swept_radius(shape));
    case ShapeKind::plane: break;
  }
  return {Vec3::Zero(), endless};
}

// m, around the largest face.
double largest_perimeter(const Surface& surface) noexcept {
  double most = 0.0, perimeter = 0.0;
  for (const Face& face : surface.faces) {
    Vec3 twice = Vec3::Zero();
    double around = 0.0;
    for (int i = 0; i < face.count; ++i) {
      const Vec3 &here = surface.corner(face, i), &next = surface.corner(face, (i + 1) % face.count);
      twice += (here - surface.corner(face, 0)).cross(next - surface.corner(face, 0)), around += (next - here).norm();
    }
    if (twice.norm() > most * (1.0 + 1e-9)) most = twice.norm(), perimeter = around;
  }
  return perimeter;
}

// Thickness, volume and the area of the largest flat face.
void measure(Shape& shape) {
  const double* s = shape.size;
  switch (shape.kind) {
    case ShapeKind::cylinder:
      shape.thickness = math::fmin(2.0 * s[0], s[1]);
      shape.volume = pi * s[0] * s[0] * s[1];
      shape.reference_area = pi * s[0] * s[0];
      break;
    case ShapeKind::box:
    case ShapeKind::polyhedron:
    case ShapeKind::mesh:
      if (shape.surface->closed) shape.thickness = shape.surface->thickness;
      shape.volume = enclosed_volume(*shape.surface);
      shape.reference_area = reference_area(*shape.surface);
      if (shape.kind != ShapeKind::mesh) shape.reference_perimeter = largest_perimeter(*shape.surface);
      break;
    case ShapeKind::triangle: shape.reference_area = reference_area(*shape.surface); break;
    case ShapeKind::plane: shape.thickness = shape.volume = shape.reference_area = endless; break;
    default: break;
  }
}

bool valid_socket(const double* s) noexcept {
  const bool fits = s[0] > 2 * s[3] && s[1] > 2 * s[3] && s[2] >= s[3] + s[4];
  return s[3] > 0 && s[4] >= 0 && fits && s[5] >= 1 && s[5] <= 64;
}

}  // namespace

bool valid_size(ShapeKind kind, const double* s) noexcept {
  for (int i = 0; i < 9; ++i)
    if (!std::isfinite(s[i])) return false;
  switch (kind) {
    case ShapeKind::point: return s[0] == 0;
    case ShapeKind::sphere: return s[0] > 0;
    case ShapeKind::segment: return s[0] == 0 && s[1] > 0;
    case ShapeKind::capsule: return s[0] > 0 && s[1] >= 0;
    case ShapeKind::ellipsoid: return s[0] > 0 && s[1] > 0 && s[2] > 0;
    case ShapeKind::box: return s[0] > 0 && s[1] > 0 && s[2] > 0 && s[3] >= 0;
    case ShapeKind::cylinder: return s[0] > 0 && s[1] > 0;
    case ShapeKind::socket: return valid_socket(s);
    case ShapeKind::polyhedron: return s[3] >= 0;
    case ShapeKind::triangle:
    case ShapeKind::mesh:
    case ShapeKind::plane: return true;
  }
  return false;
}

bool complete_shape(Shape& shape, Surface* own) {
  if (!valid_size(shape.kind, shape.size)) return false;
  if (needs_surface(shape.kind) != (shape.surface != nullptr)) return false;
  if (shape.kind == ShapeKind::polyhedron && !is_convex(*shape.surface)) return false;
  if (shape.kind == ShapeKind::box && !make_box_surface(shape.size, *own)) return false;
  if (shape.kind == ShapeKind::triangle && !make_triangle_surface(shape.size, *own)) return false;
  if (makes_surface(shape.kind)) shape.surface = own;
  measure(shape);
  shape.convex = shape.kind == ShapeKind::mesh ? bends_outwards(*shape.surface) : shape.kind != ShapeKind::socket;
  shape.turned = !shape.R_BS.isIdentity(0.0);
  const Ball held = ball(shape);
  shape.p_BC = shape.p_BS + shape.R_BS * held.middle;
  shape.bound = held.radius * (1.0 + 1e-12);  // rounding must not separate shapes that overlap
  return true;
}

}  // namespace contactlib::geometry

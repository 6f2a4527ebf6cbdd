#include "deep.hpp"

#include <algorithm>
#include <limits>

#include "geometry/pairs.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::monitor {

using geometry::Manifold, geometry::ManifoldPoint, geometry::ShapeKind, geometry::swept_radius;
using state::Globals;

namespace {

constexpr double part = 0.1;  // fraction of the thickness
constexpr double endless = std::numeric_limits<double>::infinity();

double thickness(const Shape& shape) noexcept {
  const double* s = shape.size;
  switch (shape.kind) {
    case ShapeKind::ellipsoid: return 2.0 * std::min({s[0], s[1], s[2]});
    case ShapeKind::box: return std::min({s[0], s[1], s[2]}) + 2.0 * swept_radius(shape);
    case ShapeKind::cylinder: return std::min(2.0 * s[0], s[1]);
    case ShapeKind::polyhedron:
    case ShapeKind::mesh: return shape.surface->thickness + 2.0 * swept_radius(shape);
    case ShapeKind::point:
    case ShapeKind::sphere:
    case ShapeKind::segment:
    case ShapeKind::capsule:
    case ShapeKind::triangle:
    case ShapeKind::socket:
    case ShapeKind::plane: break;
  }
  return endless;  // the pair has a rule of its own, or no thickness
}

// m, of a solid of a surface contact without a mesh.
double solid_thickness(const Shape& shape) noexcept {
  return shape.kind == ShapeKind::capsule ? 2.0 * shape.size[0] : shape.thickness + 2.0 * swept_radius(shape);
}

// Whether a place is inside a shape that is no mesh. x_W: m, from the origin of the shape's body.
bool is_inside(const Data& data, const Shape& shape, const Vec3& x_W) noexcept {
  Shape place{};
  place.kind = ShapeKind::point;
  ManifoldPoint points[Manifold::max_points];
  Manifold found{points, Manifold::max_points};
  const Mat3& R_WB = data.R_WB[shape.body];
  const geometry::Placement X{Mat3::Identity(), R_WB * shape.R_BS, R_WB * shape.p_BS - x_W, Vec3::Zero()};
  geometry::pair_row(geometry::pair_row_index(ShapeKind::point, shape.kind)).kernel(place, shape, X, found);
  return found.count > 0;
}

// The thinner of the two solids of a surface contact, of two alike the first; null: one of them is a sheet.
const Shape* thinner_of(const Shape& A, const Shape& B) noexcept {
  const double a = solid_thickness(A), b = solid_thickness(B);
  return std::min(a, b) > 0.0 ? (b < a ? &B : &A) : nullptr;
}

// A depth of less than a tenth of the thickness needs no test of the middle: usual runs take no time for it.
bool is_past_middle(const Model& model, const Data& data, const Contact& c) noexcept {
  const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  const Shape* const thinner = thinner_of(A, B);
  if (thinner == nullptr || !(c.depth > part * solid_thickness(*thinner))) return false;
  const Vec3 r_AB_W = c.p_AC_W - c.p_BC_W, middle_W = data.R_WB[thinner->body] * thinner->p_BC;
  return thinner == &A ? is_inside(data, B, middle_W - r_AB_W) : is_inside(data, A, middle_W + r_AB_W);
}

}  // namespace

double deep_from(const Shape& A, const Shape& B) noexcept {
  if (B.kind != ShapeKind::mesh) return endless;
  const bool round = A.kind <= ShapeKind::capsule;
  return (round ? A.size[0] : 0.0) + part * std::min(thickness(A), thickness(B));
}

bool is_deep(const Model& model, const Data& data, const Contact& c) noexcept {
  const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  if (B.kind == ShapeKind::mesh) return c.depth > deep_from(A, B);
  return c.surface != 0 && is_past_middle(model, data, c);
}

void watch_depth(const Model& model, Data& data, double time) noexcept {
  Globals& g = data.globals();
  if (g.deep_count == 0.0 || g.deep_reported != 0.0) return;
  double most = 0.0;
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& c = data.contacts[i];
    if (!(c.depth > most) || !is_deep(model, data, c)) continue;
    const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
    const bool of_mesh = B.kind == ShapeKind::mesh, b_is_inside = !of_mesh && thinner_of(A, B) == &B;
    if (!of_mesh && !(c.normal_force > 0.0)) continue;  // told when it bears, with the stiffness that would do
    most = c.depth;
    g.deep_reported = 1.0, g.deep_time = time, g.deep_depth = c.depth;
    g.deep_limit = of_mesh ? deep_from(A, B) : 0.5 * solid_thickness(b_is_inside ? B : A);
    g.deep_load = of_mesh ? 0.0 : c.normal_force;
    g.deep_body = b_is_inside ? c.body_b : c.body_a, g.deep_other = b_is_inside ? c.body_a : c.body_b;
  }
}

}  // namespace contactlib::monitor

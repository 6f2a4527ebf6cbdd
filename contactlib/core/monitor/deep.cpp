#include "deep.hpp"

#include <algorithm>
#include <limits>

#include "geometry/surface/surface.hpp"

namespace contactlib::monitor {

using geometry::ShapeKind;
using state::Contact, state::Globals;

namespace {

constexpr double part = 0.1;  // fraction of the thickness
constexpr double endless = std::numeric_limits<double>::infinity();

double thickness(const Shape& shape) noexcept {
  const double* s = shape.size;
  switch (shape.kind) {
    case ShapeKind::ellipsoid: return 2.0 * std::min({s[0], s[1], s[2]});
    case ShapeKind::box: return std::min({s[0], s[1], s[2]});
    case ShapeKind::cylinder: return std::min(2.0 * s[0], s[1]);
    case ShapeKind::polyhedron:
    case ShapeKind::mesh: return shape.surface->thickness;
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

}  // namespace

double deep_from(const Shape& A, const Shape& B) noexcept {
  if (B.kind != ShapeKind::mesh) return endless;
  const bool round = A.kind <= ShapeKind::capsule;
  return (round ? A.size[0] : 0.0) + part * std::min(thickness(A), thickness(B));
}

void watch_depth(const Model& model, Data& data, double time) noexcept {
  Globals& g = data.globals();
  if (g.deep_count == 0.0 || g.deep_reported != 0.0) return;
  double most = 0.0;
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& c = data.contacts[i];
    const double limit = deep_from(model.shapes[c.shape_a], model.shapes[c.shape_b]);
    if (!(c.depth > limit) || !(c.depth > most)) continue;
    most = c.depth;
    g.deep_reported = 1.0, g.deep_time = time, g.deep_depth = c.depth, g.deep_limit = limit;
    g.deep_body = c.body_a, g.deep_other = c.body_b;
  }
}

}  // namespace contactlib::monitor

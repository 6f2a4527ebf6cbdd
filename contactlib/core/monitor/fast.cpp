#include "fast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface/surface.hpp"

namespace contactlib::monitor {

using geometry::Shape, geometry::ShapeKind, geometry::swept_radius;
using model::BodyState, model::Pair;
using state::Globals;

namespace {

// A step of a length that the core chooses moves bodies by at most this part of their thickness.
constexpr double seen_part = 0.5;

// m, what a body must move by to pass through the shape from one side to the other; a plane has no other side.
double way_through(const Shape& shape) noexcept {
  const double* s = shape.size;
  switch (shape.kind) {
    case ShapeKind::point:
    case ShapeKind::segment:
    case ShapeKind::triangle: return 0.0;
    case ShapeKind::sphere:
    case ShapeKind::capsule: return 2.0 * s[0];
    case ShapeKind::ellipsoid: return 2.0 * std::min({s[0], s[1], s[2]});
    case ShapeKind::box: return std::min({s[0], s[1], s[2]}) + 2.0 * swept_radius(shape);
    case ShapeKind::socket: return std::min({s[0], s[1], s[2]});
    case ShapeKind::cylinder: return std::min(2.0 * s[0], s[1]);
    case ShapeKind::polyhedron:
    case ShapeKind::
        mesh:  // six volumes over the surface, which is three times as thick as a plate; an open mesh is a sheet
      return std::isfinite(shape.surface->thickness) ? shape.surface->thickness / 3.0 + 2.0 * swept_radius(shape) : 0.0;
    case ShapeKind::plane: break;
  }
  return std::numeric_limits<double>::infinity();
}

// Whether the balls about both origins meet while B moves from x0 to x1, seen from A.
bool meet(const Vec3& x0, const Vec3& x1, double reach) noexcept {
  const Vec3 d = x1 - x0;
  const double length2 = d.squaredNorm();
  const double at = length2 > 0.0 ? std::clamp(-x0.dot(d) / length2, 0.0, 1.0) : 0.0;
  return (x0 + at * d).squaredNorm() <= reach * reach;
}

// The part of the way from x0 to x1 after which the balls meet; they do meet on it.
double part_before(const Vec3& x0, const Vec3& x1, double reach) noexcept {
  const Vec3 d = x1 - x0;
  const double a = d.squaredNorm(), b = x0.dot(d), c = x0.squaredNorm() - reach * reach;
  if (!(c > 0.0) || !(a > 0.0)) return 0.0;
  return std::max(0.0, c / (std::sqrt(std::max(0.0, b * b - a * c)) - b));  // b < 0: they approach
}

// Of bodies that may touch: how they move relative to each other.
struct Passing {
  Vec3 x0, x1;
  double turned, thickness, reach;
};

// s, at most h.
double limit_of(const Passing& p, double h) noexcept {
  const double moved = (p.x1 - p.x0).norm() + p.turned;
  if (!(moved > seen_part * p.thickness) || !meet(p.x0, p.x1, p.reach)) return h;
  return std::min(h, std::max(h * part_before(p.x0, p.x1, p.reach), h * 0.9 * seen_part * p.thickness / moved));
}

template <class End>
double limit_of_all(const Model& model, Data& data, const BodyState* from, double h, const End& end) noexcept {
  double* const turned = data.trial.turned.data();
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    turned[i] = h * data.bodies()[i].w_WB.norm() * data.extents[i].radius;
  double limit = h;
  for (const Pair& pair : model.pairs) {
    const BodyExtent &A = data.extents[pair.body_a], &B = data.extents[pair.body_b];
    const double thickness = A.thickness + B.thickness;
    if (!(thickness > 0.0) || !std::isfinite(thickness)) continue;
    const BodyState &a0 = from[pair.body_a], &b0 = from[pair.body_b];
    const BodyState &a1 = data.bodies()[pair.body_a], &b1 = data.bodies()[pair.body_b];
    const Vec3 x0 = b0.r_WB - a0.r_WB;
    const Vec3 x1 = end(x0, a1, b1);
    const double both = turned[pair.body_a] + turned[pair.body_b], left = seen_part * thickness - both;
    if (left > 0.0 && (x1 - x0).squaredNorm() <= left * left) continue;
    limit = std::min(limit, limit_of({x0, x1, both, thickness, A.radius + B.radius}, h));
  }
  return limit;
}

}  // namespace

double step_before_passing(const Model& model, Data& data, double h) noexcept {
  return limit_of_all(model, data, data.bodies(), h, [h](const Vec3& x0, const BodyState& a, const BodyState& b) {
    return Vec3(x0 + h * (b.v_WB - a.v_WB));
  });
}

double step_that_sees(const Model& model, Data& data, double h) noexcept {
  return limit_of_all(model, data, data.before.data(), h,
                      [](const Vec3&, const BodyState& a, const BodyState& b) { return Vec3(b.r_WB - a.r_WB); });
}

BodyExtent extent_of(const Model& model, std::size_t body) noexcept {
  BodyExtent out{0.0, std::numeric_limits<double>::infinity()};
  for (const Shape& shape : model.shapes) {
    if (shape.body != static_cast<std::int32_t>(body)) continue;
    out.radius = std::max(out.radius, shape.p_BC.norm() + shape.bound);
    out.thickness = std::min(out.thickness, way_through(shape));
  }
  return out;
}

void watch_speed(const Model& model, Data& data, double h, double time) noexcept {
  Globals& g = data.globals();
  if (g.fast_reported != 0.0) return;
  for (const Pair& pair : model.pairs) {
    const BodyExtent &A = data.extents[pair.body_a], &B = data.extents[pair.body_b];
    const double thickness = A.thickness + B.thickness;
    if (!(thickness > 0.0) || !std::isfinite(thickness)) continue;
    const BodyState &a0 = data.before[pair.body_a], &b0 = data.before[pair.body_b];
    const BodyState &a1 = data.bodies()[pair.body_a], &b1 = data.bodies()[pair.body_b];
    const Vec3 x0 = b0.r_WB - a0.r_WB, x1 = b1.r_WB - a1.r_WB;
    const double turned = h * (a1.w_WB.norm() * A.radius + b1.w_WB.norm() * B.radius);
    const double moved = (x1 - x0).norm() + turned;
    if (!(moved > thickness) || !meet(x0, x1, A.radius + B.radius)) continue;
    g.fast_reported = 1.0, g.fast_time = time, g.fast_way = moved, g.fast_thickness = thickness, g.fast_step = h;
    g.fast_body = pair.body_a, g.fast_other = pair.body_b;
    return;
  }
}

}  // namespace contactlib::monitor

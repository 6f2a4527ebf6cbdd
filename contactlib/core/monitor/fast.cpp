#include "fast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface/surface.hpp"
#include "ways.hpp"

namespace contactlib::monitor {

using geometry::Shape, geometry::ShapeKind, geometry::swept_radius;
using model::BodyPair, model::BodyState;
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

// Whether bodies of so much thickness (m) in sum can pass through each other: not two without any, and not a plane.
bool can_pass(double thickness) noexcept { return thickness > 0.0 && std::isfinite(thickness); }

// How far a body moves (m), and two bodies relative to each other after x0.
struct AtPresentVelocity {
  double h;
  Vec3 alone(const BodyState&, const BodyState& now) const noexcept { return h * now.v_WB; }
  Vec3 end(const Vec3& x0, const BodyState& a, const BodyState& b) const noexcept { return x0 + h * (b.v_WB - a.v_WB); }
};
struct FromStart {
  Vec3 alone(const BodyState& start, const BodyState& now) const noexcept { return now.r_WB - start.r_WB; }
  Vec3 end(const Vec3&, const BodyState& a, const BodyState& b) const noexcept { return b.r_WB - a.r_WB; }
};

template <class Motion>
void keep_moved(const Model& model, Data& data, const BodyState* from, const Motion& motion) noexcept {
  for (const std::int32_t i : model.pair_index.bodies) data.near.moved[i] = motion.alone(from[i], data.bodies()[i]);
}

template <class Motion>
double limit_of_all(const Model& model, Data& data, const BodyState* from, double h, const Motion& motion) noexcept {
  double* const turned = data.trial.turned.data();
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    turned[i] = h * data.bodies()[i].w_WB.norm() * data.extents[i].radius;
  const auto limit_of_two = [&](std::int32_t a, std::int32_t b) {
    const BodyExtent &A = data.extents[a], &B = data.extents[b];
    const double thickness = A.thickness + B.thickness;
    if (!can_pass(thickness)) return h;
    const Vec3 x0 = from[b].r_WB - from[a].r_WB, x1 = motion.end(x0, data.bodies()[a], data.bodies()[b]);
    const double both = turned[a] + turned[b], left = seen_part * thickness - both;
    if (left > 0.0 && (x1 - x0).squaredNorm() <= left * left) return h;
    return limit_of({x0, x1, both, thickness, A.radius + B.radius}, h);
  };
  double limit = h;
  for (const BodyPair& pair : model.pair_index.listed) limit = std::min(limit, limit_of_two(pair.body_a, pair.body_b));
  if (!data.near.used()) return limit;
  keep_moved(model, data, from, motion);
  visit_fast(model, data, {from, h, seen_part}, [&](std::int32_t i, std::int32_t k) {
    const double shorter = limit_of_two(i, k);
    if (shorter < limit && model.pair_index.find(model.pairs, i, k).pair >= 0) limit = shorter;
  });
  return limit;
}

// Two bodies that moved by more than both are thick, m.
struct Pass {
  double moved, thickness;  // moved 0: they did not
};

Pass pass_of(Data& data, std::int32_t a, std::int32_t b, double h) noexcept {
  const BodyExtent &A = data.extents[a], &B = data.extents[b];
  const double thickness = A.thickness + B.thickness;
  if (!can_pass(thickness)) return {0.0, thickness};
  const BodyState &a0 = data.before[a], &b0 = data.before[b], &a1 = data.bodies()[a], &b1 = data.bodies()[b];
  const Vec3 x0 = b0.r_WB - a0.r_WB, x1 = b1.r_WB - a1.r_WB;
  const double turned = h * (a1.w_WB.norm() * A.radius + b1.w_WB.norm() * B.radius);
  const double moved = (x1 - x0).norm() + turned;
  return {moved > thickness && meet(x0, x1, A.radius + B.radius) ? moved : 0.0, thickness};
}

// The first pair whose bodies may have passed each other; its `pair` is -1 if there is none.
BodyPair first_pass(const Model& model, Data& data, double h) noexcept {
  for (const BodyPair& pair : model.pair_index.listed)
    if (pass_of(data, pair.body_a, pair.body_b, h).moved > 0.0) return pair;
  BodyPair first{0, -1, -1, -1};
  if (!data.near.used()) return first;
  keep_moved(model, data, data.before.data(), FromStart{});
  visit_fast(model, data, {data.before.data(), h, 1.0}, [&](std::int32_t i, std::int32_t k) {
    if (!(pass_of(data, i, k, h).moved > 0.0)) return;
    const BodyPair pair = model.pair_index.find(model.pairs, i, k);
    if (pair.pair >= 0 && (first.pair < 0 || before(pair, first))) first = pair;
  });
  return first;
}

}  // namespace

double step_before_passing(const Model& model, Data& data, double h) noexcept {
  return limit_of_all(model, data, data.bodies(), h, AtPresentVelocity{h});
}

double step_that_sees(const Model& model, Data& data, double h) noexcept {
  return limit_of_all(model, data, data.before.data(), h, FromStart{});
}

std::vector<BodyExtent> extents_of(const Model& model) {
  std::vector<BodyExtent> extents(model.bodies.size(), {0.0, std::numeric_limits<double>::infinity()});
  for (const Shape& shape : model.shapes) {
    BodyExtent& out = extents[shape.body];
    out.radius = std::max(out.radius, shape.p_BC.norm() + shape.bound);
    out.thickness = std::min(out.thickness, way_through(shape));
  }
  return extents;
}

void watch_speed(const Model& model, Data& data, double h, double time) noexcept {
  Globals& g = data.globals();
  if (g.fast_reported != 0.0) return;
  const BodyPair pair = first_pass(model, data, h);
  if (pair.pair < 0) return;
  const Pass pass = pass_of(data, pair.body_a, pair.body_b, h);
  g.fast_reported = 1.0, g.fast_time = time, g.fast_way = pass.moved, g.fast_thickness = pass.thickness;
  g.fast_step = h, g.fast_body = pair.body_a, g.fast_other = pair.body_b;
}

}  // namespace contactlib::monitor

// The distance f of a convex solid A from the rim point E(angle) = R (cos, sin, 0) is a function of one variable:
//   f' = R t.n,   t: the tangent, n: unit, from A's nearest point to E
// The search samples the circle, descends wherever f' changes from - to +, and divides arcs on which
// f may be less than the best value found. The distance from points of a chord is convex, and an arc lies within its
// sagitta of the chord:
//   f >= max(f0 + g0 s, f1 - g1 (l - s)) - sagitta,   g: the slope along the chord, l: its length
#include "rim_distance.hpp"

#include <limits>

#include "geometry/convex/held_corners.hpp"
#include "math/bracket.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int samples = 48;  // arcs at first
constexpr int divisions = 3;  // of an arc, one after the other; solids with a round part have no minima so close
constexpr double flat = 1e-15;  // of the radius: a slope that is zero up to rounding
constexpr double least_gain = 1e-9;  // of the radius: a smaller one is not searched for

}  // namespace

struct RimDistance::Search {
  NearestPoints& out;
  bool found = false;

  void offer(const At& at) noexcept {
    if (!(at.distance < out.distance)) return;
    out = at.points;
    found = true;
  }
};

RimDistance::RimDistance(const SolidSource& piece, const Axes& A_to_B, double R) noexcept
    : piece_(piece), A_to_B_(A_to_B), R_(R), spot_(bare_shape(ShapeKind::point)) {}

RimDistance::At RimDistance::at(double angle) const noexcept {
  const auto [sine, cosine] = math::sin_cos(angle);
  const Vec3 E(R_ * cosine, R_ * sine, 0.0), t(-sine, cosine, 0.0);
  const Mat3 R_AB = A_to_B_.R.transpose();
  const MinkowskiDifference D(piece_, {spot_}, R_AB, R_AB * (E - A_to_B_.p));
  NearestPoints points;
  if (convex_distance(D, std::numeric_limits<double>::infinity(), points) == Nearness::overlap)
    return {angle, 0.0, 0.0, {0.0, Vec3::UnitZ(), E, E}};
  const Vec3 n = A_to_B_.R * points.n;
  return {angle, points.distance, R_ * t.dot(n), {points.distance, n, E - points.distance * n, E}};
}

// Between low, where f falls, and high, where it rises.
void RimDistance::descend(const At& low, const At& high, Search& search) const noexcept {
  math::zero_between(low.angle, low.slope, high.angle, high.slope, [&](double angle) noexcept {
    const At middle = at(angle);
    search.offer(middle);
    return std::abs(middle.slope) <= flat * R_ ? 0.0 : middle.slope;
  });
}

void RimDistance::refine(const At& low, const At& high, int depth, Search& search) const noexcept {
  const double half = 0.5 * (high.angle - low.angle);
  const auto [sine, cosine] = math::sin_cos(half);
  const double chord = 2.0 * R_ * sine, sagitta = R_ * (1.0 - cosine);
  const Vec3 along = (high.points.Q - low.points.Q) / chord;
  const double g0 = low.points.n.dot(along), g1 = high.points.n.dot(along);
  // where the two lines meet
  const double rise = g1 - g0;
  const double s = rise > 0.0 ? std::clamp((low.distance - high.distance + g1 * chord) / rise, 0.0, chord) : 0.0;
  const double least = std::max(low.distance + g0 * s, high.distance - g1 * (chord - s)) - sagitta;
  if (!(least < search.out.distance - least_gain * R_)) return;
  if (low.slope < 0.0 && high.slope > 0.0) descend(low, high, search);
  if (depth == 0 || !(least < search.out.distance - least_gain * R_)) return;
  const At middle = at(low.angle + half);
  search.offer(middle);
  refine(low, middle, depth - 1, search);
  refine(middle, high, depth - 1, search);
}

// The distance of a ball around the solid's origin from the rim.
double RimDistance::bound(const Solid& solid) const noexcept {
  double squared = 0.0;
  for (int v = 0; v < solid.corners.count; ++v) squared = std::max(squared, solid.corners.x[v].squaredNorm());
  const Vec3& p = A_to_B_.p;
  return math::hypot(math::hypot(p[0], p[1]) - R_, p[2]) - std::sqrt(squared) - solid.radii.maxCoeff();
}

bool RimDistance::find(NearestPoints& out) const noexcept {
  const Solid solid(piece_);
  if (!(bound(solid) < out.distance)) return false;
  const int depth = solid.is_round() ? 0 : divisions;
  Search search{out};
  At sample[samples];
  for (int i = 0; i < samples; ++i) {
    sample[i] = at(2.0 * pi / samples * i);
    search.offer(sample[i]);
    if (!(out.distance > 0.0)) return true;
  }
  for (int i = 0; i < samples; ++i) {
    At next = sample[(i + 1) % samples];
    next.angle = 2.0 * pi / samples * (i + 1);
    refine(sample[i], next, depth, search);
    if (!(out.distance > 0.0)) return true;
  }
  return search.found;
}

}  // namespace contactlib::geometry

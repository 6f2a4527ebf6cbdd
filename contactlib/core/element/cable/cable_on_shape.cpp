// a part of a cable against a shape: places of its capsule, each then moved along the curve to where the distance phi
// of the shape is least, with phi and its gradient g from a ball about r(xi).
#include "../../geometry/ball.hpp"
#include "../../geometry/pairs.hpp"
#include "cable_places.hpp"

namespace contactlib {

namespace {

using Obstacle = CableSkinScratch::Obstacle;

// contacts of a ball or a capsule about p_O, normals out of the obstacle.
int meet(const Shape& own, const Mat3& R_W, const Vec3& p_O, const Obstacle& o, ManifoldPoint* points) noexcept {
  const bool swapped = o.shape->kind < own.kind;
  const Shape &A = swapped ? *o.shape : own, &B = swapped ? own : *o.shape;
  const PairRow& row = pair_row(pair_row_index(A.kind, B.kind));
  if (row.kernel == nullptr) return 0;
  Placement X;
  X.R_WA = swapped ? o.R_WS : R_W;
  X.R_WB = swapped ? R_W : o.R_WS;
  X.p_AB_W = swapped ? Vec3(p_O - o.p_OS) : Vec3(o.p_OS - p_O);
  X.hint_W = Vec3::Zero();
  Manifold manifold{points, row.max_contacts == many ? most_starts : Manifold::most};
  row.kernel(A, B, X, manifold);
  for (int i = 0; i < manifold.count; ++i) {
    if (swapped)
      points[i].p_AC_W -= X.p_AB_W;
    else
      points[i].n_AB_W = -points[i].n_AB_W;
  }
  return manifold.count;
}

// where the curve is at xi, and the shape from there.
struct Foot {
  double xi;
  Vec3 p_O, t, g;    // m, dr/dxi; g = grad phi
  double phi, slope;  // slope = g.t/|t|

  void lean() noexcept {
    const double speed = t.norm();
    slope = speed > 0.0 ? g.dot(t) / speed : 0.0;
  }
};

class Search {
 public:
  Search(const SkinPart& part, const Obstacle& obstacle, double reach, ManifoldPoint* points) noexcept
      : part_(part), obstacle_(obstacle), points_(points) {
    ball_.kind = ShapeKind::sphere;
    ball_.size[0] = part.radius + reach + 2.0 * part.sag;
    const ShapeKind kind = obstacle.shape->kind;
    long_ = kind == ShapeKind::segment || kind == ShapeKind::capsule || kind == ShapeKind::cylinder;
    round_ = long_ || kind == ShapeKind::point || kind == ShapeKind::sphere;
    several_ = kind == ShapeKind::mesh || kind == ShapeKind::socket;
    thin_ = 0.5 * (obstacle.high - obstacle.low).minCoeff();
    if (long_) thin_ = obstacle.shape->size[0];
  }

  // the place with a normal like that of `out`, in a mesh or a socket unlike by 60 degrees at most; false if there is
  // none.
  bool look(double xi, Foot& out) noexcept { return look(xi, several_ ? 0.5 : -2.0, out); }
  bool look_anywhere(double xi, Foot& out) noexcept { return look(xi, -2.0, out); }

  bool look(double xi, double like, Foot& out) noexcept {
    out.xi = xi;
    out.p_O = part_.curve->at(xi);
    out.t = part_.curve->slope(xi);
    const int count = meet(ball_, Mat3::Identity(), out.p_O, obstacle_, points_);
    const ManifoldPoint* best = nullptr;
    for (int i = 0; i < count; ++i) {
      const double alike = points_[i].n_AB_W.dot(out.g);
      const bool tie = best && std::abs(alike - like) < 1e-9;
      if (tie ? points_[i].depth > best->depth : alike > like) best = points_ + i, like = alike;
    }
    if (best == nullptr) return false;
    out.g = best->n_AB_W;
    out.phi = ball_.size[0] - best->depth;
    out.lean();
    return true;
  }

  // the least phi on the part, from `at` downhill: secants within a bracket.
  Foot descend(Foot at) noexcept {
    double low = part_.from, high = part_.to;
    bool low_seen = false, high_seen = false;
    Foot best = at, last = at;
    for (int i = 0; i < 24; ++i) {
      if (std::abs(at.slope) <= level) return at;
      if (at.slope > 0.0 ? at.xi <= part_.from : at.xi >= part_.to) return at;
      (at.slope > 0.0 ? high : low) = at.xi;
      (at.slope > 0.0 ? high_seen : low_seen) = true;
      if (high - low < 1e-13) break;
      const double rise = i > 0 ? (at.slope - last.slope) / (at.xi - last.xi) : rise_at(at);
      double xi = rise > 0.0 ? at.xi - at.slope / rise : (at.slope > 0.0 ? low : high);
      if (xi <= low) xi = low_seen ? 0.5 * (low + high) : low;
      if (xi >= high) xi = high_seen ? 0.5 * (low + high) : high;
      if (i > 10 && low_seen && high_seen) xi = 0.5 * (low + high);
      last = at;
      if (!look(xi, at)) break;
      if (at.phi < best.phi) best = at;
    }
    return best;
  }

  // the curve bends away from the shape, by more than a thousandth of the radius: it may come near more than once.
  bool bends_away(const Foot& at) const noexcept {
    const double d = part_.to - part_.from, least = -0.008 * part_.radius / (d * d) - (round_ ? roundness(at) : 0.0);
    return at.g.dot(part_.curve->bend(part_.from)) < least || at.g.dot(part_.curve->bend(part_.to)) < least;
  }

 private:
  // d slope/d xi, as if the shape were as round as it is thin.
  double rise_at(const Foot& at) const noexcept {
    return (at.g.dot(part_.curve->bend(at.xi)) + roundness(at)) / at.t.norm();
  }
  double roundness(const Foot& at) const noexcept {
    const double straight = long_ ? at.t.dot(obstacle_.R_WS.col(2)) : 0.0;
    const double across = at.t.squaredNorm() * (1.0 - at.slope * at.slope) - straight * straight;
    return std::max(across, 0.0) / (thin_ + std::max(at.phi, 0.0));
  }

  const SkinPart& part_;
  const Obstacle& obstacle_;
  ManifoldPoint* points_;
  Shape ball_{};
  bool long_, round_, several_;
  double thin_;  // m
};

bool misses(const SkinPart& part, const Obstacle& o, double reach) noexcept {
  const Vec3 at = o.R_WS.transpose() * (part.middle - o.p_OS), half = o.R_WS.transpose() * part.half;
  for (int k = 0; k < 3; ++k)
    if (!(std::max(o.low[k] - at[k], at[k] - o.high[k]) - std::abs(half[k]) < reach)) return true;
  return false;
}

SkinPlace place(const Foot& at, double radius, bool late) noexcept {
  const double gap = at.phi - radius;
  return {at.xi, 0.0, at.p_O - at.g * (radius + 0.5 * gap), at.g, gap, late};
}

}  // namespace

Mat3 axes_along(const Vec3& half) noexcept {
  const double length = half.norm();
  Mat3 R = Mat3::Identity();
  if (!(length > 0.0)) return R;
  R.col(2) = half / length;
  R.col(0) = perpendicular(R.col(2));
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

int places_on_shape(const SkinPart& part, const Obstacle& obstacle, double reach, ManifoldPoint* points,
                    SkinPlace* out) noexcept {
  const double r = part.radius + reach + part.sag;
  if (misses(part, obstacle, r)) return 0;
  Shape capsule{};
  capsule.kind = ShapeKind::capsule;
  capsule.size[0] = r;
  capsule.size[1] = 2.0 * part.half.norm();
  const int starts = meet(capsule, axes_along(part.half), part.middle, obstacle, points);
  if (starts == 0) return 0;

  Search search(part, obstacle, reach, points + most_starts);
  const double squared = part.half.squaredNorm();
  int count = 0;
  const auto add = [&](const Foot& at, bool late) noexcept {
    const auto kind = part.kind(at.xi, at.slope);
    if (!(at.phi - part.radius < reach) || (!late && kind == SkinPart::Kind::dropped)) return;
    out[count++] = place(at, part.radius, late || kind == SkinPart::Kind::late);
  };
  bool bends_away = false;
  Foot at;
  for (int i = 0; i < starts; ++i) {
    const ManifoldPoint& point = points[i];
    const Vec3 p = point.p_AC_W + point.n_AB_W * (r - 0.5 * point.depth);  // on the chord, from its middle
    const double s = squared > 0.0 ? part.half.dot(p) / squared : 0.0;
    at.g = point.n_AB_W;
    bool seen = search.look(part.xi(std::abs(s) > 1.0 - 1e-9 ? std::copysign(1.0, s) : s), at);
    if (!seen) {  // the ball meets another part of a mesh or a socket: the capsule's own place, on the curve
      at.phi = r - point.depth + at.g.dot(at.p_O - part.middle - p);
      at.lean();
      seen = at.phi < 0.0 && search.look_anywhere(at.xi, at);
    }
    if (seen) {
      if (part.flat_end(at.xi, at.slope)) add(at, true);
      at = search.descend(at);
      bends_away = bends_away || search.bends_away(at);
    }
    add(at, false);
  }
  if (!bends_away || count + 2 > most_places) return count;
  for (const double xi : {part.from, part.to})
    if (search.look(xi, at)) add(search.descend(at), false);
  return count;
}

}  // namespace contactlib

// A capsule of a cable against a shape: feet on its chord, then the distance phi of the shape and its gradient g at
// r(xi).
#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/manifold/ball.hpp"
#include "geometry/pairs.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/cylinder.hpp"
#include "places.hpp"

namespace contactlib::element {

using geometry::BoxSolid, geometry::Manifold, geometry::Nearest, geometry::PairRow, geometry::Placement,
    geometry::ShapeKind, geometry::many, geometry::nearest_on_box, geometry::nearest_on_cylinder, geometry::nearest_row,
    geometry::pair_row_index, geometry::perpendicular, geometry::swept_radius;

namespace {

using Obstacle = CableSkinScratch::Obstacle;
using Capsule = CableSkinScratch::Capsule;

// Contacts of a ball or a capsule about p_O, normals out of the obstacle.
int meet(const Shape& own, const Mat3& R_W, const Vec3& p_O, const Obstacle& o, ManifoldPoint* points) noexcept {
  const bool swapped = o.shape->kind < own.kind;
  const Shape &A = swapped ? *o.shape : own, &B = swapped ? own : *o.shape;
  const PairRow& row = nearest_row(pair_row_index(A.kind, B.kind));
  if (row.kernel == nullptr) return 0;
  Placement X;
  X.R_WA = swapped ? o.R_WS : R_W;
  X.R_WB = swapped ? R_W : o.R_WS;
  X.p_AB_W = swapped ? Vec3(p_O - o.p_OS) : Vec3(o.p_OS - p_O);
  X.hint_W = Vec3::Zero();
  Manifold manifold{points, row.max_contacts == many ? max_places : Manifold::max_points};
  row.kernel(A, B, X, manifold);
  for (int i = 0; i < manifold.count; ++i) {
    if (swapped)
      points[i].p_AC_W -= X.p_AB_W;
    else
      points[i].n_AB_W = -points[i].n_AB_W;
  }
  return manifold.count;
}

// Rotation whose z axis is along the chord.
Mat3 axes_along(const Capsule& chord) noexcept {
  Mat3 R = Mat3::Identity();
  if (!(chord.half_length > 0.0)) return R;
  R.col(2) = chord.half / chord.half_length;
  R.col(0) = perpendicular(R.col(2));
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

// Whether it misses the box around the shape in the shape's axes.
bool misses(const Capsule& chord, const Obstacle& o, double reach) noexcept {
  const Vec3 w = chord.middle - o.p_OS;
  for (int k = 0; k < 3; ++k) {
    const auto axis = o.R_WS.col(k);
    if (!(std::abs(axis.dot(w) - o.middle_S[k]) - std::abs(axis.dot(chord.half)) < o.half_S[k] + reach)) return true;
  }
  return false;
}

// The curve at xi, and the shape's distance and normal there.
struct Foot {
  double xi;
  Vec3 p_O, g;      // m; g = grad phi
  double phi;
};

struct Start {
  double s;  // on the chord, from -1 to 1
  const ManifoldPoint* point;  // of a kernel
};

class OnShape {
 public:
  OnShape(const SkinPart& part, const Obstacle& obstacle, double reach, ManifoldPoint* points) noexcept
      : part_(part), chord_(part.chord), o_(obstacle), kind_(obstacle.shape->kind), reach_(reach), points_(points) {
    const double* const size = o_.shape->size;
    straight_ = kind_ == ShapeKind::segment || kind_ == ShapeKind::capsule || kind_ == ShapeKind::cylinder;
    round_ = straight_ || kind_ == ShapeKind::point || kind_ == ShapeKind::sphere;
    several_ = kind_ == ShapeKind::mesh || kind_ == ShapeKind::socket;
    r_ = part.radius + reach + chord_.sag;
    thick_ = round_ ? size[0] : 0.0;
    half_ = straight_ ? 0.5 * size[1] : 0.0;
  }

  int find(SkinPlace* out) noexcept {
    Start starts[max_places];
    int begun = round_ || kind_ == ShapeKind::plane ? start(starts) : -1;
    if (begun < 0) begun = start_of_kernel(starts);
    int count = 0;
    for (int i = 0; i < begun; ++i) {
      Foot at;
      if (!first(starts[i], at)) continue;
      correct(at);
      const double gap = at.phi - part_.radius;
      if (!(gap < reach_)) continue;
      const SkinPlace place{at.xi, 0.0, at.p_O - at.g * (part_.radius + 0.5 * gap), at.g, gap};
      int k = count++;
      for (; k > 0 && out[k - 1].xi > place.xi; --k) out[k] = out[k - 1];
      out[k] = place;
    }
    return count;
  }

 private:
  // For points, lines and planes in closed form; -1 where the kernel is needed. With w from the obstacle's middle to
  // the chord's, h half the chord and a the axis: the least |w + s h - z a|, over s alone where z is at an end.
  int start(Start* out) const noexcept {
    const Vec3 w = chord_.middle - o_.p_OS, &h = chord_.half, a = o_.R_WS.col(2);
    if (kind_ == ShapeKind::plane) {
      const double middle = a.dot(w), rise = a.dot(h);
      if (!(middle - std::abs(rise) < r_)) return 0;
      out[0].s = -1.0, out[1].s = 1.0;
      return 2;
    }
    const double hh = chord_.half_length * chord_.half_length, wh = w.dot(h);
    double z = 0.0;
    if (straight_) {
      const double wa = w.dot(a), ha = h.dot(a), across = hh - ha * ha;
      if (!(across > along_axis * hh)) return misses(chord_, o_, r_) ? 0 : -1;
      const double s = std::clamp((wa * ha - wh) / across, -1.0, 1.0), far = r_ + thick_;
      const double x = w.squaredNorm() - wa * wa + s * (2.0 * (wh - wa * ha) + s * across);
      if (!(x < far * far)) return 0;
      z = wa + s * ha;
      out[0].s = s;
      if (std::abs(z) <= half_) return 1;
      if (kind_ == ShapeKind::cylinder) return misses(chord_, o_, r_) ? 0 : -1;
      z = std::copysign(half_, z);
      out[0].s = hh > 0.0 ? std::clamp((z * ha - wh) / hh, -1.0, 1.0) : 0.0;
    } else {
      out[0].s = hh > 0.0 ? std::clamp(-wh / hh, -1.0, 1.0) : 0.0;
    }
    return (w + out[0].s * h - z * a).squaredNorm() < (r_ + thick_) * (r_ + thick_);
  }

  int start_of_kernel(Start* out) noexcept {
    if (misses(chord_, o_, r_)) return 0;
    Shape capsule{};
    capsule.kind = ShapeKind::capsule;
    capsule.size[0] = r_;
    capsule.size[1] = 2.0 * chord_.half_length;
    const int count = std::min(meet(capsule, axes_along(chord_), chord_.middle, o_, points_), max_places);
    const double squared = chord_.half.squaredNorm();
    for (int i = 0; i < count; ++i) {
      const double s = squared > 0.0 ? chord_.half.dot(on_chord(points_[i])) / squared : 0.0;
      out[i] = {std::clamp(s, -1.0, 1.0), points_ + i};
    }
    return count;
  }

  // From the chord's middle.
  Vec3 on_chord(const ManifoldPoint& point) const noexcept {
    return point.p_AC_W + point.n_AB_W * (r_ - 0.5 * point.depth);
  }

  // Where the ball misses the part of a mesh or a socket that the capsule met: phi of the tangent plane there.
  bool first(const Start& start, Foot& at) noexcept {
    at.xi = part_.xi(start.s);
    at.p_O = part_.curve.at(at.xi);
    if (!several_) return evaluate(at);
    at.g = start.point->n_AB_W;
    if (evaluate(at)) return true;
    at.g = start.point->n_AB_W;
    at.phi = r_ - start.point->depth + at.g.dot(at.p_O - chord_.middle - on_chord(*start.point));
    return true;
  }

  // phi and g at p_O; returns false if it is too far away. Of a mesh or a socket, with a normal less than 60 degrees
  // from g.
  bool evaluate(Foot& at) noexcept {
    const Vec3 w = at.p_O - o_.p_OS;
    switch (kind_) {
      case ShapeKind::plane:
        at.g = o_.R_WS.col(2);
        at.phi = at.g.dot(w);
        return true;
      case ShapeKind::box: {
        const double r = swept_radius(*o_.shape);
        const BoxSolid core{Vec3::Zero(), o_.half_S - Vec3::Constant(r)};
        if (!take(nearest_on_box(core, o_.R_WS.transpose() * w), at)) return false;
        at.phi -= r;
        return true;
      }
      case ShapeKind::cylinder: {
        if (std::abs(w.dot(o_.R_WS.col(2))) < half_ && evaluate_round(w, at) && at.phi > 0.0) return true;
        return take(nearest_on_cylinder(thick_, half_, o_.R_WS.transpose() * w), at);
      }
      case ShapeKind::point:
      case ShapeKind::sphere:
      case ShapeKind::segment:
      case ShapeKind::capsule: return evaluate_round(w, at);
      default: return evaluate_ball(at);
    }
  }

  bool take(const Nearest& nearest, Foot& at) const noexcept {
    at.phi = nearest.phi;
    at.g = o_.R_WS * nearest.g_B;
    return true;
  }

  bool evaluate_round(const Vec3& w, Foot& at) const noexcept {
    const Vec3 a = o_.R_WS.col(2);
    const Vec3 d = w - std::clamp(w.dot(a), -half_, half_) * a;
    const double distance = d.norm();
    at.g = distance > 0.0 ? Vec3(d / distance) : Vec3(o_.R_WS.col(0));
    at.phi = distance - thick_;
    return true;
  }

  bool evaluate_ball(Foot& at) noexcept {
    Shape ball{};
    ball.kind = ShapeKind::sphere;
    ball.size[0] = r_ + chord_.sag;
    ManifoldPoint* const points = points_ + max_places;
    const int count = meet(ball, Mat3::Identity(), at.p_O, o_, points);
    const ManifoldPoint* best = nullptr;
    for (int i = 0; i < count; ++i) {
      if (several_ && !(points[i].n_AB_W.dot(at.g) > 0.5)) continue;
      if (best == nullptr || points[i].depth > best->depth) best = points + i;
    }
    if (best == nullptr) return false;
    at.g = best->n_AB_W;
    at.phi = ball.size[0] - best->depth;
    return true;
  }

  // phi' = g.r',  phi'' = g.r'' on a flat face; small corrections are skipped. Beside a round shape the foot stays
  // where it is on the chord: a cable around a pin bends as the pin does, and each capsule keeps its own part.
  void correct(Foot& at) noexcept {
    if (round_) return;
    const double slope = at.g.dot(part_.curve.slope(at.xi));
    if (slope > 0.0 ? at.xi <= chord_.from : at.xi >= chord_.to) return;
    const double rise = at.g.dot(part_.curve.bend(at.xi));
    if (!(rise > 0.0) || !(0.5 * slope * slope > small_gain * part_.radius * rise)) return;
    Foot next = at;
    next.xi = std::clamp(at.xi - slope / rise, chord_.from, chord_.to);
    next.p_O = part_.curve.at(next.xi);
    if (evaluate(next) && next.phi < at.phi) at = next;
  }

  static constexpr double along_axis = 1e-4;  // sine squared of the angle below which a chord is along an axis
  static constexpr double small_gain = 1e-3;  // of the radius

  const SkinPart& part_;
  const Capsule& chord_;
  const Obstacle& o_;
  const ShapeKind kind_;
  const double reach_;
  ManifoldPoint* const points_;
  bool straight_, round_, several_;
  double r_;             // m, of the chord's capsule
  double thick_, half_;  // m, of the obstacle
};

}  // namespace

int places_on_shape(const SkinPart& part, const Obstacle& obstacle, double reach, ManifoldPoint* points,
                    SkinPlace* out) noexcept {
  return OnShape(part, obstacle, reach, points).find(out);
}

}  // namespace contactlib::element

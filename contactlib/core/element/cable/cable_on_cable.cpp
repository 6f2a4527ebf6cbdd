// parts of two cables: places of their capsules, each then moved to where the distance of the two curves is least,
//   w = r_a(xi) - r_b(eta),   F = w.w/2,   dF = (w.r_a', -w.r_b')
// by Newton's method over xi and eta between their ends.
#include "../../geometry/ball.hpp"
#include "../../geometry/pairs.hpp"
#include "cable_places.hpp"

namespace contactlib {

namespace {

constexpr double meeting = 1e-12;  // m, centre lines nearer than this meet

// both curves at xi and eta.
struct Two {
  double xi[2];
  Vec3 p_O, t[2], w;  // p_O on a; t: dr/dxi

  Two(const SkinPart* const part[2], double xi_a, double xi_b) noexcept : xi{xi_a, xi_b} {
    p_O = part[0]->curve->at(xi_a);
    w = p_O - part[1]->curve->at(xi_b);
    for (int k = 0; k < 2; ++k) t[k] = part[k]->curve->slope(xi[k]);
  }

  double F() const noexcept { return 0.5 * w.squaredNorm(); }

  // from b to a. where the centre lines meet: across both tangents; where these are along each other: across one.
  Vec3 normal() const noexcept {
    const double apart = w.norm();
    if (apart >= meeting) return w / apart;
    const Vec3 n = t[0].cross(t[1]);
    const double sine = n.norm(), speed = t[0].norm();
    if (sine > 1e-9 * speed * t[1].norm()) return n / sine;
    return speed > 0.0 ? perpendicular(t[0] / speed) : Vec3(Vec3::UnitZ());
  }

  // of the gap by the length of each.
  double slope(int k, const Vec3& n) const noexcept {
    const double speed = t[k].norm();
    return speed > 0.0 ? (k == 0 ? 1.0 : -1.0) * n.dot(t[k]) / speed : 0.0;
  }
};

class Pair {
 public:
  Pair(const SkinPart& a, const SkinPart& b) noexcept : part_{&a, &b} {}

  // `held` are ends of the capsules that are to stay.
  Two descend(double xi_a, double xi_b, bool held_a, bool held_b) const noexcept {
    Two at(part_, xi_a, xi_b);
    const bool held[2] = {held_a, held_b};
    for (int i = 0; i < 24; ++i) {
      double g[2], step[2];
      bool free[2];
      const double apart = at.w.norm();
      bool done = true;
      for (int k = 0; k < 2; ++k) {
        g[k] = (k == 0 ? 1.0 : -1.0) * at.w.dot(at.t[k]);
        free[k] = !held[k] && !(g[k] > 0.0 ? at.xi[k] <= part_[k]->from : at.xi[k] >= part_[k]->to);
        done = done && (!free[k] || std::abs(g[k]) <= 0.1 * level * apart * at.t[k].norm());
      }
      if (done) break;
      newton(at, g, free, step);
      if (!move(at, step)) break;
    }
    return at;
  }

 private:
  // the full second derivatives where they are positive, else without those of the curves.
  void newton(const Two& at, const double g[2], const bool free[2], double step[2]) const noexcept {
    const double a = at.t[0].squaredNorm(), b = at.t[1].squaredNorm();
    double H00 = a + at.w.dot(part_[0]->curve->bend(at.xi[0])), H11 = b - at.w.dot(part_[1]->curve->bend(at.xi[1]));
    const double H01 = -at.t[0].dot(at.t[1]);
    if (!(H00 > 0.0)) H00 = a;
    if (!(H11 > 0.0)) H11 = b;
    step[0] = free[0] ? -g[0] / H00 : 0.0;
    step[1] = free[1] ? -g[1] / H11 : 0.0;
    if (!(free[0] && free[1])) return;
    // curves that run along each other leave nothing to tell where: then stay
    if (!(H00 * H11 - H01 * H01 > 1e-9 * a * b)) H00 = a * (1.0 + 1e-9), H11 = b * (1.0 + 1e-9);
    const double det = H00 * H11 - H01 * H01;
    if (!(det > 0.0)) return;
    step[0] = (H01 * g[1] - H11 * g[0]) / det;
    step[1] = (H01 * g[0] - H00 * g[1]) / det;
  }

  // within the parts, by as much as brings the curves nearer; false if nothing does.
  bool move(Two& at, const double step[2]) const noexcept {
    double share = 1.0;
    for (int i = 0; i < 12; ++i, share *= 0.5) {
      double xi[2];
      for (int k = 0; k < 2; ++k) xi[k] = std::clamp(at.xi[k] + share * step[k], part_[k]->from, part_[k]->to);
      if (xi[0] == at.xi[0] && xi[1] == at.xi[1]) return false;
      const Two next(part_, xi[0], xi[1]);
      if (next.F() < at.F()) {
        at = next;
        return true;
      }
    }
    return false;
  }

  const SkinPart* part_[2];
};

// false if the neighbour of one of the two comes nearer, or the gap is not below reach.
bool place(const SkinPart& a, const SkinPart& b, const Two& at, double reach, bool late, SkinPlace& out) noexcept {
  const Vec3 n = at.normal();
  const double gap = at.w.norm() - a.radius - b.radius;
  if (!(gap < reach)) return false;
  const auto kind_a = a.kind(at.xi[0], at.slope(0, n)), kind_b = b.kind(at.xi[1], at.slope(1, n));
  using Kind = SkinPart::Kind;
  if (!late && (kind_a == Kind::dropped || kind_b == Kind::dropped)) return false;
  out = {at.xi[0], at.xi[1], at.p_O - n * (a.radius + 0.5 * gap),
         n,        gap,      late || kind_a == Kind::late || kind_b == Kind::late};
  return true;
}

}  // namespace

int places_on_cable(const SkinPart& a, const SkinPart& b, double reach, SkinPlace* out) noexcept {
  const SkinPart* const part[2] = {&a, &b};
  const double half[2] = {a.half.norm(), b.half.norm()};
  const double span = half[0] + half[1] + a.radius + b.radius + a.sag + b.sag + reach;
  if (!((a.middle - b.middle).squaredNorm() < span * span)) return 0;

  Shape capsule[2]{};
  for (int k = 0; k < 2; ++k) {
    capsule[k].kind = ShapeKind::capsule;
    capsule[k].size[0] = part[k]->radius + 0.5 * reach + part[k]->sag;
    capsule[k].size[1] = 2.0 * half[k];
  }
  const double both = capsule[0].size[0] + capsule[1].size[0];
  const Placement X{axes_along(a.half), axes_along(b.half), b.middle - a.middle, Vec3::Zero()};
  ManifoldPoint points[Manifold::most];
  Manifold manifold{points, Manifold::most};
  pair_row(pair_row_index(ShapeKind::capsule, ShapeKind::capsule)).kernel(capsule[0], capsule[1], X, manifold);
  const Pair pair(a, b);
  int count = 0;
  for (int i = 0; i < manifold.count; ++i) {
    const Vec3& n = points[i].n_AB_W;
    const Vec3 p = points[i].p_AC_W - n * (capsule[0].size[0] - 0.5 * points[i].depth);
    const Vec3 at[2] = {p, p + n * (both - points[i].depth) - X.p_AB_W};
    double xi[2];
    bool end[2];
    for (int k = 0; k < 2; ++k) {
      const double s = half[k] > 0.0 ? part[k]->half.dot(at[k]) / (half[k] * half[k]) : 0.0;
      end[k] = std::abs(s) > 1.0 - 1e-9;
      xi[k] = part[k]->xi(end[k] ? (s > 0.0 ? 1.0 : -1.0) : s);
    }
    if (end[0] || end[1]) {
      const Two there = pair.descend(xi[0], xi[1], end[0], end[1]);
      const Vec3 g = there.normal();
      const bool flat = std::abs(there.slope(0, g)) <= a.flat() && std::abs(there.slope(1, g)) <= b.flat();
      if (flat && place(a, b, there, reach, true, out[count])) ++count;
    }
    if (place(a, b, pair.descend(xi[0], xi[1], false, false), reach, false, out[count])) ++count;
  }
  return count;
}

}  // namespace contactlib

// Phi depends on the pose through its direction u, too. With F = -grad Phi along a fixed u, c = dPhi/du across u, and
// the estimates u' = F(u)/|F|, J = du'/du, of which the last two turn with the pose:
//   dPhi = -F.dx + c.du,   c.du = b.dF/|F|,   b = c + J^T c
// The second derivatives of Phi are symmetric: b.dF is how F, and with it the couple T, changes as A moves by b. If A
// turns by w, its translations turn with it:
//   b.dF = (dF_b).dx + (dT_b - b x F).w
#include <algorithm>
#include <cmath>
#include <utility>

#include "added_force.hpp"
#include "phi_weight.hpp"
#include "solve.hpp"
#include "symmetric2.hpp"

namespace contactlib::geometry {

namespace {

constexpr double step = 1e-3;  // rad, or of the depth: of central differences of Phi as a function of its moments
// c, of the depth per rad: where it is less, Phi is nearly stationary in u, and the turning does not count. There Phi
// differs from the greatest thickness by a factor that changes with the pose, and the normal would be less exact.
constexpr double stationary = 0.01, rounding = 1e-9;
// The turning is limited smoothly to these parts of F: across it, and along it, where it changes the contact's depth.
constexpr double most_across = 0.18, most_along = 0.05;
// Of the depth above a level: where the level is lower than the first part the turning counts, where it is higher than the
// second it does not. c leaves out how the level changes with u.
constexpr double low_level = 0.2, high_level = 0.5;

// rad, between u and F: up to the first u has settled, from the second on the whole step is made.
constexpr double settled = 0.005, unsettled = 0.03;
constexpr int most_steps = 4;
constexpr double longest_step = 0.3;  // rad
// Of an eigenvalue of 1 - J: from the second on its inverse counts, at the first nothing.
constexpr double least_slope[2] = {-0.3, 0.7};

// Phi as A moves by b and u turns by e.
bool find_nearby(const HighMoments& moments, const AllChanges& changes, const Vec3& u, const Vec3& b, const Vec3& e,
                 SmoothDepth& out) noexcept {
  HighMoments m = moments;
  for (int j = 0; j < 2; ++j)
    for (int k = 0; k < 3; ++k) {
      const int p = depth_powers[j] - 1 + k;
      m.of[j].U[k] += changes.move_U[p] * b + changes.turn_U[p] * e;
      if (k < 2) m.of[j].T[k] += changes.move_T[p] * b;
    }
  return find_smooth_depth(m, u + e, out);
}

// Phi with b and e, and with their opposites
bool find_beside(const HighMoments& moments, const AllChanges& changes, const Vec3& u, const Vec3& b, const Vec3& e,
                 SmoothDepth& more, SmoothDepth& less) noexcept {
  return find_nearby(moments, changes, u, b, e, more) && find_nearby(moments, changes, u, -b, -e, less);
}

// J in the axes across u
bool find_turning(const HighMoments& moments, const AllChanges& changes, const Vec3& u, const Vec3 (&axes)[2],
                  double (&J)[2][2]) noexcept {
  SmoothDepth more, less;
  for (int j = 0; j < 2; ++j) {
    if (!find_beside(moments, changes, u, Vec3::Zero(), step * axes[j], more, less)) return false;
    const Vec3 turn = (more.force.normalized() - less.force.normalized()) / (2.0 * step);
    for (int i = 0; i < 2; ++i) J[i][j] = turn.dot(axes[i]);
  }
  return true;
}

// (1 - J)^-1 off, where J is nearly symmetric; bounded where an eigenvalue of 1 - J is small.
Vec3 step_of(const double (&J)[2][2], const Vec3& off, const Vec3 (&axes)[2]) noexcept {
  const auto inverse = [](double slope) noexcept {
    return smoothstep((slope - least_slope[0]) / (least_slope[1] - least_slope[0])) / std::max(slope, least_slope[1]);
  };
  const Eigen2 e = eigen_of(1.0 - J[0][0], -0.5 * (J[0][1] + J[1][0]), 1.0 - J[1][1]);
  const double x[2] = {off.dot(axes[0]), off.dot(axes[1])};
  double inverted[3], turn[2];
  compose(e, inverse(e.l[0]), inverse(e.l[1]), inverted);
  times(inverted, x, turn);
  return turn[0] * axes[0] + turn[1] * axes[1];
}

}  // namespace

// The estimates of u may swing about the one that is its own estimate, F/|F| = u, where Phi is least in u. Newton's steps
// lead there, each by the weight of Phi and of how far u is off:
//   u <- u + (1 - J)^-1 (F/|F| - u),  normalised
void OverlapSolver::settle(const PatchPart& part, PatchContact& out) noexcept {
  const bool follows = std::exchange(follows_, true);
  bool has_changes = follows;
  SmoothDepth here;
  for (int k = 0; k < most_steps && find_smooth_depth(out.high, out.n, here); ++k) {
    const Vec3 u = out.n, ahead = here.force.normalized(), off = ahead - ahead.dot(u) * u;
    const double counts = weight_of(here, out) * smoothstep((off.norm() - settled) / (unsettled - settled));
    if (!(counts > 0.0)) break;
    if (!std::exchange(has_changes, true)) solve_along(part, u, out);
    const Vec3 axes[2] = {out.spread.e1, out.spread.e2};
    double J[2][2];
    if (!find_turning(out.high, changes_, u, axes, J)) break;
    const Vec3 turn = counts * step_of(J, off, axes);
    if (solve_along(part, (u + turn / std::max(1.0, turn.norm() / longest_step)).normalized(), out)) continue;
    solve_along(part, u, out);  // there is no depth ahead
    break;
  }
  follows_ = follows;
}

// part_of: of the turning of the contact's own normal, which u takes part in
void OverlapSolver::follow(double part_of, PatchContact& out) const noexcept {
  SmoothDepth here, more, less;
  if (!follows_ || !(part_of > 0.0) || !find_smooth_depth(out.high, out.n, here)) return;
  const double slope = here.force.norm();
  const Vec3 axes[2] = {out.spread.e1, out.spread.e2}, none = Vec3::Zero();
  Vec3 c = none, J[2];
  for (int k = 0; k < 2; ++k) {
    const Vec3 e = step * axes[k];
    if (!find_beside(out.high, changes_, out.n, none, e, more, less)) return;
    c += (more.depth - less.depth) / (2.0 * step) * axes[k];
    J[k] = part_of / (2.0 * step * slope) * (more.force - less.force);
  }
  const Vec3 b = c + J[0].dot(c) * axes[0] + J[1].dot(c) * axes[1];
  const double length = b.norm();
  if (!(length > rounding * here.depth)) return;
  const Vec3 move = step * here.depth / length * b;
  if (!find_beside(out.high, changes_, out.n, move, none, more, less)) return;
  const double by = part_of / slope, rate = -by * length / (2.0 * step * here.depth);
  const Vec3 force = rate * (more.force - less.force);
  const double along = force.dot(here.force) / (slope * slope);
  const double across = (force / slope - along / slope * here.force).norm();
  const double counts = fourth(c.norm() / here.depth);
  const double low = smoothstep((high_level - out.level / here.depth) / (high_level - low_level));
  const double limit = low * counts / (counts + fourth(stationary)) /
                       std::sqrt(std::sqrt(1.0 + fourth(along / most_along) + fourth(across / most_across)));
  out.turning = {limit * force, limit * (rate * (more.couple - less.couple) + by * b.cross(here.force))};
}

// The weight w follows |F|, Phi/(T - L) with the greatest thickness T and the level L, and F.u/|F|:
//   d|F| = F/|F| . dF,   d(F.u/|F|) = (u - (F.u/|F|) F/|F|)/|F| . dF,   d(Phi/(T - L)) = (dPhi - Phi/(T - L) d(T - L))/(T - L)
// Phi and F are those of the thickness above L. A level that is higher by dL changes them as a motion of A by u dL does,
// which lowers the thickness by dL. The turning of u is left out.
void OverlapSolver::follow_weight(PatchContact& out) const noexcept {
  SmoothDepth here, more, less;
  if (!follows_ || !(out.top > 0.0) || !find_smooth_depth(out.high, out.n, here)) return;
  const WeightSlopes by = slopes_of(here, out);
  if (!by.any()) return;
  const double length = here.force.norm();
  const Vec3 ahead = here.force / length;
  const Vec3 b = by.by_length * ahead + by.by_direction / length * (out.n - out.n.dot(ahead) * ahead);
  Decrease w;
  if (b != Vec3::Zero()) {
    const Vec3 move = step * here.depth / b.norm() * b;
    if (!find_beside(out.high, changes_, out.n, move, Vec3::Zero(), more, less)) return;
    const double rate = -b.norm() / (2.0 * step * here.depth);
    w = {rate * (more.force - less.force), rate * (more.couple - less.couple) + b.cross(here.force)};
  }
  const double room = out.top - out.level, by_phi = by.by_part / room, by_top = by_phi * (here.depth / room);
  const auto add = [&w](double by_what, const Vec3& force, const Vec3& couple) noexcept {
    w.force += by_what * force, w.couple += by_what * couple;
  };
  add(by_phi, here.force, here.couple);
  const double by_level = by_top - w.force.dot(out.n);
  add(-by_top, out.top_decrease.force, out.top_decrease.couple);
  if (out.level > 0.0) add(by_level, out.level_decrease.force, out.level_decrease.couple);
  out.weight_decrease = w;
}

}  // namespace contactlib::geometry

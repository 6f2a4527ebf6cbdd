// Phi depends on the pose through its direction u, too. With F = -grad Phi along a fixed u, c = dPhi/du across u, and
// the estimates u' = F(u)/|F|, J = du'/du, of which the last two turn with the pose:
//   dPhi = -F.dx + c.du,   c.du = b.dF/|F|,   b = c + J^T c
// The second derivatives of Phi are symmetric: b.dF is how F, and with it the couple T, changes as A moves by b. If A
// turns by w, its translations turn with it:
//   b.dF = (dF_b).dx + (dT_b - b x F).w
#include <algorithm>
#include <cmath>
#include <utility>

#include "solve.hpp"

namespace contactlib::geometry {

namespace {

constexpr double step = 1e-3;  // rad, or of the depth: of central differences of Phi as a function of its moments
// c, of the depth per rad: where it is less, Phi is nearly stationary in u, and the turning does not count. There Phi
// differs from the greatest thickness by a factor that changes with the pose, and the normal would be less exact.
constexpr double stationary = 0.01, rounding = 1e-9;
// The turning is limited smoothly to these parts of F: across it, and along it, where it changes the contact's depth.
constexpr double most_across = 0.12, most_along = 0.05;
// Of the depth above a level: where the level is lower than the first part the turning counts, where it is higher than the
// second it does not. c leaves out how the level changes with u.
constexpr double low_level = 0.2, high_level = 0.5;

// rad, between u and F: up to the first u has settled, from the second on the whole step is made.
constexpr double settled = 0.005, unsettled = 0.03;
constexpr int most_steps = 4;
constexpr double longest_step = 0.3;  // rad
// Of an eigenvalue of 1 - J: from the second on its inverse counts, at the first nothing.
constexpr double least_slope[2] = {-0.3, 0.7};

double fourth(double x) noexcept { return x * x * (x * x); }

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

// (1 - J)^-1 off, where J is nearly symmetric; bounded where an eigenvalue of 1 - J is small. A negative one tells that
// Phi has a maximum: the step leads away from it.
Vec3 step_of(const double (&J)[2][2], const Vec3& off, const Vec3 (&axes)[2]) noexcept {
  const double half = 0.5 * (J[1][1] - J[0][0]), mean = 1.0 - 0.5 * (J[0][0] + J[1][1]),
               xy = -0.5 * (J[0][1] + J[1][0]);
  const double root = std::sqrt(half * half + xy * xy);
  const auto inverse = [](double slope) noexcept {
    return smoothstep((slope - least_slope[0]) / (least_slope[1] - least_slope[0])) / std::max(slope, least_slope[1]);
  };
  const double low = inverse(mean - root), high = inverse(mean + root);
  const double apart = root > 1e-12 ? 0.5 * (high - low) / root : 0.0, x = off.dot(axes[0]), y = off.dot(axes[1]);
  return 0.5 * (low + high) * off + apart * ((half * x + xy * y) * axes[0] + (xy * x - half * y) * axes[1]);
}

}  // namespace

// The estimates of u may swing about the one that is its own estimate, F/|F| = u, where Phi is least in u. Newton's steps
// lead there, each by the weight of Phi and of how far u is off:
//   u <- u + (1 - J)^-1 (F/|F| - u),  normalised
bool OverlapSolver::settle(const PatchPart& part, PatchContact& out) noexcept {
  const bool follows = std::exchange(follows_, true);
  bool found = true, has_changes = follows;
  SmoothDepth here, more, less;
  for (int k = 0; k < most_steps && found && find_smooth_depth(out.high, out.n, here); ++k) {
    const Vec3 ahead = here.force.normalized(), off = ahead - ahead.dot(out.n) * out.n;
    const double counts = weight_of(here, out) * smoothstep((off.norm() - settled) / (unsettled - settled));
    if (!(counts > 0.0)) break;
    if (!std::exchange(has_changes, true) && !solve_along(part, out.n, out)) break;
    const Vec3 axes[2] = {out.spread.e1, out.spread.e2}, none = Vec3::Zero();
    double J[2][2];
    for (int j = 0; j < 2; ++j) {
      const Vec3 e = step * axes[j];
      found = found && find_nearby(out.high, changes_, out.n, none, e, more) &&
              find_nearby(out.high, changes_, out.n, none, -e, less);
      const Vec3 turn = (more.force.normalized() - less.force.normalized()) / (2.0 * step);
      for (int i = 0; i < 2; ++i) J[i][j] = turn.dot(axes[i]);
    }
    if (!found) break;
    const Vec3 turn = counts * step_of(J, off, axes);
    found = solve_along(part, (out.n + turn / std::max(1.0, turn.norm() / longest_step)).normalized(), out);
  }
  follows_ = follows;
  return found;
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
    if (!find_nearby(out.high, changes_, out.n, none, e, more)) return;
    if (!find_nearby(out.high, changes_, out.n, none, -e, less)) return;
    c += (more.depth - less.depth) / (2.0 * step) * axes[k];
    J[k] = part_of / (2.0 * step * slope) * (more.force - less.force);
  }
  const Vec3 b = c + J[0].dot(c) * axes[0] + J[1].dot(c) * axes[1];
  const double length = b.norm();
  if (!(length > rounding * here.depth)) return;
  const Vec3 move = step * here.depth / length * b;
  if (!find_nearby(out.high, changes_, out.n, move, none, more)) return;
  if (!find_nearby(out.high, changes_, out.n, -move, none, less)) return;
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

}  // namespace contactlib::geometry

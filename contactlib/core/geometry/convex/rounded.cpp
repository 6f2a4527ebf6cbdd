// The descent for solids with a round part. Its support function s, smooth except at a disc's axis, adds to that of the
// corners:
//   overlap(n) = n.w + s(n) = n.(w + y(n)),   y: the round part's support point
// With two active vertices the overlap is minimised along their common circle, with one over all directions, by Newton:
//   (t.H.t - overlap) angle = -slope,   H: the second derivative of s
// Along its axis a disc has support points in all directions: there the distance of the active vertices from the foot
// may be up to the disc's radius.
#include "descent.hpp"
#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

namespace {

constexpr int max_turns = 200;

// The present point of the descent.
struct Trial {
  Vec3 n, y;
  double overlap;
  double reach;  // m, radii of the discs seen along their axes

  Trial(const MinkowskiDifference& D, const Vec3& direction, const Vec3& w) noexcept
      : n(direction), y(D.furthest(n)), overlap(n.dot(w + y)), reach(D.A.reach(n) + D.B.reach(D.against_B(n))) {}
};

double bend(const MinkowskiDifference& D, const Vec3& n, const Vec3& u, const Vec3& v) noexcept {
  return D.A.bend(n, u, v) + D.B.bend(D.against_B(n), D.against_B(u), D.against_B(v));
}

// A turn by the angle atan(tan) towards the unit vector `tau`.
struct Turn {
  Vec3 tau;
  double tan;
  bool newton;  // that is where the slope ends
};

// The step along tau, where the slope is -slope.
Turn along(const MinkowskiDifference& D, const Trial& at, const Vec3& tau, double slope) noexcept {
  const double curvature = bend(D, at.n, tau, tau) - at.overlap;
  if (curvature > 0.0) return {tau, std::min(1.0, slope / curvature), slope < curvature};
  return {tau, at.overlap > 0.0 ? std::min(1.0, at.overlap / slope) : 1.0, false};
}

// The step over all directions; tau is the steepest.
Turn across(const MinkowskiDifference& D, const Trial& at, const Vec3& tau, double slope) noexcept {
  const Vec3 side = at.n.cross(tau);
  const double H00 = bend(D, at.n, tau, tau) - at.overlap, H01 = bend(D, at.n, tau, side),
               H11 = bend(D, at.n, side, side) - at.overlap;
  const double det = H00 * H11 - H01 * H01;
  if (!(H00 > 0.0 && det > 0.0)) return along(D, at, tau, slope);
  const Vec3 turn = (slope / det) * (H11 * tau - H01 * side);
  const double tan = turn.norm();
  return {tan > 0.0 ? Vec3(turn / tan) : tau, std::min(1.0, tan), tan < 1.0};
}

Vec3 turned(const Vec3& n, const Turn& turn_to, double tan) noexcept { return (n + tan * turn_to.tau).normalized(); }

// Tries the axis of a cylinder to which n is close. From afar the axis is taken if it is a lower minimum. From nearby,
// where the tilt of n has lost its digits, it is taken if it is not higher.
bool moves_to_axis(const MinkowskiDifference& D, const Vec3& axis, const Trial& at, ActiveVertices& active_vertices,
                   Vec3& n) noexcept {
  const Vec3 axis_n = std::copysign(1.0, axis.dot(at.n)) * axis;
  const double apart2 = (at.n - axis_n).squaredNorm();
  const bool beside = apart2 < 1e-14 && at.reach == 0.0;
  if (!(apart2 > 0.0 && (beside || (active_vertices.count == 1 && apart2 < 0.4)))) return false;
  int a = active_vertices.active_vertex[0].a, b = active_vertices.active_vertex[0].b;
  climb(D, axis_n, a, b);
  const Vec3 w = D.corner(a, b);
  const Trial pole(D, axis_n, w);
  if (!(pole.overlap <= at.overlap)) return false;
  if (!beside && !((w + pole.y - pole.overlap * axis_n).norm() <= pole.reach && pole.overlap < at.overlap))
    return false;
  n = axis_n;
  active_vertices.count = 1;
  active_vertices.active_vertex[0] = {w, a, b};
  return true;
}

bool moves_to_an_axis(const MinkowskiDifference& D, const Trial& at, ActiveVertices& active_vertices,
                      Vec3& n) noexcept {
  return (D.A.is_flat() && moves_to_axis(D, Vec3::UnitZ(), at, active_vertices, n)) ||
         (D.B.is_flat() && moves_to_axis(D, D.R_AB.col(2), at, active_vertices, n));
}

// A distance of the active vertices below `reach` is closed by the discs.
void finish(const MinkowskiDifference& D, const Trial& at, const Vec3& residual, Minimum& out) noexcept {
  const Vec3 n_B = D.against_B(at.n);
  out.n = at.n;
  out.sharp = {};
  out.overlap = at.overlap;
  out.round_A = D.A.furthest(at.n);
  out.round_B = D.B.furthest(n_B);
  if (!(at.reach > 0.0)) return;
  out.round_A -= residual * (D.A.reach(at.n) / at.reach);
  out.round_B += D.R_AB.transpose() * residual * (D.B.reach(n_B) / at.reach);
}

}  // namespace

bool descend_rounded(const MinkowskiDifference& D, const Vec3& start, Minimum& out, double floor) noexcept {
  Vec3 n = start;
  ActiveVertices& active_vertices = out.active_vertices;
  int a = -1, b = -1;
  climb(D, n, a, b);
  active_vertices.count = 1;
  active_vertices.active_vertex[0] = {D.corner(a, b), a, b};
  bool sharp_normal = false, stuck = false, last = false;
  for (int i = 0;; ++i) {
    const Trial at(D, n, active_vertices.active_vertex[0].w);
    if (!(at.overlap > floor)) {
      out.n = n;
      return false;
    }
    if (i < max_turns && moves_to_an_axis(D, at, active_vertices, n)) {
      sharp_normal = stuck = last = false;
      continue;
    }
    const Vec3 residual = nearest(active_vertices, n, at.overlap * n - at.y, D.fine());
    const double slope = residual.norm() - at.reach;
    const bool done = slope <= D.fine() && (active_vertices.count == 3 || at.reach > 0.0);
    if ((done && (sharp_normal || active_vertices.count < 3)) || last || i == max_turns) {
      finish(D, at, residual, out);
      return true;
    }
    sharp_normal = done;
    if (done) {
      sharpen(D, active_vertices, n);
      continue;
    }
    Vec3 tau = residual / -(slope + at.reach);
    if (active_vertices.count == 2) {
      const Vec3 level = n.cross(active_vertices.active_vertex[1].w - active_vertices.active_vertex[0].w).normalized();
      tau = level * std::copysign(1.0, level.dot(tau));
    } else if (!(slope > D.fine())) {
      tau = perpendicular(n);
    }
    const bool free = active_vertices.count == 1 && !stuck && at.reach == 0.0;
    const Turn turn_to = free ? across(D, at, tau, slope) : along(D, at, tau, slope);
    const Step step = turn(D, active_vertices.active_vertex[0], n, turn_to.tau, turn_to.tan);
    last = turn_to.newton && turn_to.tan < 1e-9 && !step.blocked;  // newton leaves about its square
    stuck = step.blocked && step.tan < 1e-14;
    if (stuck) {
      active_vertices.active_vertex[active_vertices.count++] = step.next;
      continue;
    }
    double tan = step.blocked ? step.tan : turn_to.tan;
    bool blocked = step.blocked;
    Vec3 next = turned(n, turn_to, tan);
    const bool sure = turn_to.newton && turn_to.tan < 1e-3;  // the overlap is flat there, to rounding
    for (int k = 0; k < 60 && !sure && !(Trial(D, next, active_vertices.active_vertex[0].w).overlap < at.overlap);
         ++k) {
      tan *= 0.5;
      blocked = false;
      next = turned(n, turn_to, tan);
    }
    n = next;
    if (blocked) active_vertices.active_vertex[active_vertices.count++] = step.next;
  }
}

}  // namespace contactlib::geometry

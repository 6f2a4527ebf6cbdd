// Sphere and capsule against each other: distances between points and segments, all in closed form.
#include "round.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

namespace {

// A capsule's axis segment in world axes, relative to shape A's origin.
struct Segment {
  Vec3 p_AM_W;   // its middle
  Vec3 a_W;      // unit direction
  double half;   // m, half its length

  Vec3 at(double s) const noexcept { return p_AM_W + s * a_W; }
  double foot(const Vec3& p_AP_W) const noexcept { return (p_AP_W - p_AM_W).dot(a_W); }
};

Segment axis(const Shape& capsule, const Mat3& R_WS, const Vec3& p_AS_W) noexcept {
  return {p_AS_W, R_WS.col(2), 0.5 * capsule.size[1]};
}

// Ball (P, rA) against ball (O, rB): phi = |P - O| - rB along the line of centres.
void add_balls(Manifold& out, const Vec3& p_AP_W, double r_a, const Vec3& p_AO_W, double r_b, const Vec3& if_concentric,
               int feature) noexcept {
  const Vec3 p_OP_W = p_AP_W - p_AO_W;
  const double squared = p_OP_W.squaredNorm(), reach = r_a + r_b;
  if (squared >= reach * reach) return;
  const double distance = std::sqrt(squared);
  const Vec3 g_W = distance > 0.0 ? Vec3(p_OP_W / distance) : if_concentric;
  add_ball(out, p_AP_W, g_W, r_a, distance - r_b, feature);
}

// One end of a segment against another segment.
struct End {
  double foot;      // m, along the other segment from its middle, clamped to it
  double squared;   // m2, distance
  bool over;  // the foot of the perpendicular lies on the other segment
};

// `flush`: a foot at the very end of the other segment also counts. It is set for A's ends only, so that two capsules
// exactly side by side have one contact at each end.
End end_against(const Vec3& p_AQ_W, const Segment& other, bool flush) noexcept {
  const double free = other.foot(p_AQ_W);
  const double foot = std::clamp(free, -other.half, other.half);
  const bool over = flush ? std::abs(free) <= other.half : std::abs(free) < other.half;
  return {foot, (p_AQ_W - other.at(foot)).squaredNorm(), over};
}

// The common perpendicular of the two lines, if both feet are strictly inside their segments:
//   w = MB - MA,  s = (w x b).(a x b) / |a x b|^2,  t = (w x a).(a x b) / |a x b|^2
bool crossing(const Segment& A, const Segment& B, double& s, double& t) noexcept {
  const Vec3 axb = A.a_W.cross(B.a_W), w = B.p_AM_W - A.p_AM_W;
  const double squared = axb.squaredNorm();
  if (squared < 1e-24) return false;  // parallel to rounding: the ends tell everything
  s = w.cross(B.a_W).dot(axb) / squared;
  t = w.cross(A.a_W).dot(axb) / squared;
  return std::abs(s) < A.half && std::abs(t) < B.half;
}

}  // namespace

void sphere_sphere(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  add_balls(out, Vec3::Zero(), A.size[0], X.p_AB_W, B.size[0], -X.R_WA.col(0), 0);
}

void sphere_capsule(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Segment b = axis(B, X.R_WB, X.p_AB_W);
  const double foot = std::clamp(b.foot(Vec3::Zero()), -b.half, b.half);
  add_balls(out, Vec3::Zero(), A.size[0], b.at(foot), B.size[0], X.R_WB.col(0), 0);
}

void capsule_capsule(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Segment a = axis(A, X.R_WA, Vec3::Zero()), b = axis(B, X.R_WB, X.p_AB_W);
  const double r_a = A.size[0], r_b = B.size[0];

  const double at_end[4] = {-a.half, a.half, -b.half, b.half};
  End ends[4];
  int closest = 0;
  for (int i = 0; i < 4; ++i) {
    ends[i] = i < 2 ? end_against(a.at(at_end[i]), b, true) : end_against(b.at(at_end[i]), a, false);
    if (ends[i].squared < ends[closest].squared) closest = i;
  }
  const auto s_of = [&](int i) { return i < 2 ? at_end[i] : ends[i].foot; };
  const auto t_of = [&](int i) { return i < 2 ? ends[i].foot : at_end[i]; };
  const auto add = [&](double s, double t, int feature) {
    add_balls(out, a.at(s), r_a, b.at(t), r_b, perpendicular(b.a_W), feature);
  };

  // The closest pair: the common perpendicular or, without one, the closest of the ends.
  double s = s_of(closest), t = t_of(closest);
  const bool crossed = crossing(a, b, s, t);
  if (!crossed) s = s_of(closest), t = t_of(closest);
  add(s, t, !crossed && ends[closest].over ? 1 + closest : 0);

  // Ends over the other segment carry a line contact; one beside the closest pair would count it twice.
  for (int i = 0; i < 4; ++i) {
    const double away = std::abs(i < 2 ? at_end[i] - s : at_end[i] - t);
    if (ends[i].over && away > r_a + r_b) add(s_of(i), t_of(i), 1 + i);
  }
}

}  // namespace contactlib::geometry

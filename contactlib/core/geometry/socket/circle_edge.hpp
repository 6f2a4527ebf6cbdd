// Local minima of functions on a circle.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/manifold/ball.hpp"
#include "math/bracket.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// A circle that is a convex edge between a plane and a round face: its normals are `axis` and +-e_rho.
struct CircleEdge {
  Vec3 c, axis;  // m; unit, out of the plane face
  double R;      // m
  double side;   // +1: the rim of a cylinder, -1: that of a hole
};

// Points of a circle, relative to its centre.
struct CircleEdgeMinima {
  static constexpr int most = 4;
  int count = 0;
  Vec3 E[most];
};

// Finds where slope(E), along the tangent axis x E, rises through zero. `towards`: centre of the other circle whose
// distance is minimised. In this direction, and opposite to it, two circles can be nearly tangent, and two minima close
// together: the samples are dense there.
template <class Slope>
class RisingOnCircleEdge {
 public:
  RisingOnCircleEdge(const CircleEdge& circle_edge, const Vec3& towards, const Slope& slope) noexcept
      : circle_edge_(circle_edge), slope_(slope) {
    const Vec3 u = towards - circle_edge.axis.dot(towards) * circle_edge.axis;
    const double length = u.norm();
    u_ = length > 1e-9 * circle_edge.R ? Vec3(u / length) : perpendicular(circle_edge.axis);
    v_ = circle_edge.axis.cross(u_);
  }

  // Between two samples, or, beside a maximum, where the slope has an extremum between samples that crosses zero.
  CircleEdgeMinima find() const noexcept {
    CircleEdgeMinima out;
    const Sample first = sample(0);
    Sample before = sample(-1), here = first;
    for (int k = 1; k <= samples && out.count < CircleEdgeMinima::most; ++k) {
      Sample after = sample(k);
      if (k == samples) after.f = first.f;  // the same place must not have two signs
      Sample turn = here;
      if (here.f < 0.0 && after.f >= 0.0)
        out.E[out.count++] = zero(here, after);
      else if (dips(before, here, after) && extremum(before, after, turn))
        out.E[out.count++] = turn.f < 0.0 ? zero(turn, after) : zero(before, turn);
      before = here;
      here = after;
    }
    return out;
  }

 private:
  static constexpr int samples = 64;

  struct Sample {
    double theta, f;
  };

  Vec3 at(double theta) const noexcept {
    const math::SinCos t = math::sin_cos(theta);
    return circle_edge_.R * (t.cos * u_ + t.sin * v_);
  }
  Sample evaluate(double theta) const noexcept { return {theta, slope_(at(theta))}; }
  Sample sample(int k) const noexcept {
    constexpr double turn = 2.0 * 3.14159265358979323846;
    const double x = turn * k / samples;
    return evaluate(x - 0.48 * math::sin(2.0 * x));
  }

  static bool dips(const Sample& a, const Sample& b, const Sample& c) noexcept {
    return a.f * b.f > 0.0 && b.f * c.f > 0.0 && std::abs(b.f) <= std::min(std::abs(a.f), std::abs(c.f));
  }

  // Whether the extremum near `turn` crosses zero; refined by parabolas through three samples.
  bool extremum(Sample before, Sample after, Sample& turn) const noexcept {
    const double sign = turn.f;
    for (int i = 0; i < 6; ++i) {
      const double back = turn.theta - before.theta, on = after.theta - turn.theta;
      const double fall = before.f - turn.f, rise = after.f - turn.f;
      const double shift = 0.5 * (fall * on * on - rise * back * back) / (fall * on + rise * back);
      if (!(shift > -back && shift < on)) return false;
      turn = evaluate(turn.theta + shift);
      if (turn.f * sign < 0.0) return true;
      const double step = 0.2 * std::min(back, on);
      before = evaluate(turn.theta - step);
      after = evaluate(turn.theta + step);
    }
    return false;
  }

  Vec3 zero(const Sample& low, const Sample& high) const noexcept {
    return at(math::zero_between(low.theta, low.f, high.theta, high.f,
                                 [&](double theta) noexcept { return evaluate(theta).f; }));
  }

  const CircleEdge& circle_edge_;
  const Slope& slope_;
  Vec3 u_, v_;
};

template <class Slope>
CircleEdgeMinima rising_on(const CircleEdge& circle_edge, const Vec3& towards, const Slope& slope) noexcept {
  return RisingOnCircleEdge<Slope>(circle_edge, towards, slope).find();
}

}  // namespace contactlib::geometry

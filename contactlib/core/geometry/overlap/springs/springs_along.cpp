// A capsule whose side has contact along a line rests on both ends of the line. s runs along the axis, and w_p(s) is
// the contribution of the section at s to the moment M_p. The depth along the line is linear where w_1/w_0 is. For such
// a line
//   k = C_1/(the value of C_1 for a linear w_1/w_0) = 1,  C_p: the variance of s under the weight w_p
// whether it slopes or not; for a rounded line k is that of a patch that tapers.
#include <algorithm>

#include "math/elementary.hpp"
#include "springs.hpp"

namespace contactlib::geometry {

namespace {

constexpr double straight = 0.9;  // from 0 for a taper to 1: from here on a line is wholly straight
constexpr double rounding = 1e-12;  // of the depth: what is left where the line has sloped down to nothing
constexpr double mostly = 0.5;  // of the patch: with more of it over the side, the round ends do not count

// With x = s - mean, and the linear w_1 = (1 + b x) w_0:  C_1 = <(1 + b x) x^2> - (b C_0)^2
double straightness(const Along& a) noexcept {
  const double mean = a.S[0] / a.K[0], off = a.S[1] / a.K[1] - mean;
  const double second = a.Q[0] / a.K[0] - mean * mean;
  const double third = a.T / a.K[0] - mean * (3.0 * a.Q[0] / a.K[0] - 2.0 * mean * mean);
  const double under = a.Q[1] / a.K[1] - (mean + off) * (mean + off);
  if (!(second > 0.0)) return 0.0;
  const double b = off / second, expected = second + b * third - off * off;
  return expected > 0.0 ? under / expected : 0.0;
}

// The part of two whole springs: as far as the line is straight, both surfaces are, and the side dominates.
double part_of_two(const PatchContact& patch, double x, double y) noexcept {
  const Spread& s = patch.spread;
  const double M1 = patch.n.dot(patch.moments.U[1]);
  const double flat = (x * x * s.flat_B[0] + 2.0 * x * y * s.flat_B[1] + y * y * s.flat_B[2]) / M1;
  const double side = s.along.K[1] / (mostly * M1);
  return std::clamp(flat, 0.0, 1.0) * std::clamp(side, 0.0, 1.0) *
         flatness(straightness(s.along), taper_of(patch.taper), straight);
}

}  // namespace

void lay_along(const PatchContact& patch, Springs& out) noexcept {
  const Spread& s = patch.spread;
  const Along& a = s.along;
  const double x = s.e1.dot(a.axis), y = s.e2.dot(a.axis), across = math::hypot(x, y);
  if (!(a.K[0] > 0.0) || !(a.K[1] > 0.0) || !(a.run > 0.0) || !(a.low < a.high) || !(across > 0.0)) return;
  const double r = part_of_two(patch, x / across, y / across);
  if (!(r > 1e-9)) return;
  const double most = patch.moments.depth, D = out.depth[0] + r * (most - out.depth[0]);
  const Vec3 from = a.lowest - s.origin;
  // position of the one spring on the line
  const double at = (x * (out.x[0][0] - s.e1.dot(from)) + y * (out.x[0][1] - s.e2.dot(from))) / (across * across);
  // not beyond the point where the line's depth has decreased to zero
  const double slope = a.rise / a.run;
  const double low = slope * (a.high - a.low) > most ? a.high - most / slope : a.low;
  const double high = slope * (a.low - a.high) > most ? a.low - most / slope : a.high;
  // For a line that is only partly two springs, they are so far out that the depth D alone acts where the slope leads
  // to 0.
  const double f = 2.0 * r / (1.0 + r), ends[2] = {at + f * (high - at), at + f * (low - at)};
  const double height = out.height[0], place[2] = {out.x[0][0], out.x[0][1]};
  const double deep = slope > 0.0 ? std::max(ends[0], ends[1]) : std::min(ends[0], ends[1]);
  out.count = 2;
  out.multiplicity = 1.0 + r;
  out.load_share = (out.load_share + r * (1.0 - out.load_share)) * 0.5 * (1.0 + r);
  // two springs are under the axis, which a force across the side does not rotate
  const double aside = r * (x * (s.e2.dot(from) - place[1]) - y * (s.e1.dot(from) - place[0])) / (across * across);
  for (int i = 0; i < 2; ++i) {
    const double end = ends[i];
    const double depth = D + slope * (end - deep);
    out.depth[i] = depth > rounding * D ? depth : 0.0;
    out.x[i][0] = place[0] + (end - at) * x - aside * y;
    out.x[i][1] = place[1] + (end - at) * y + aside * x;
    out.height[i] = (1.0 - r) * height + r * (patch.n.dot(from + end * a.axis) + 0.5 * out.depth[i]);
  }
}

}  // namespace contactlib::geometry

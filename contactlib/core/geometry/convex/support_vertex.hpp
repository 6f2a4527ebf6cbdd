// The support vertex of a solid along a direction, and its incident edges that are nearly perpendicular to the
// direction.
#pragma once

#include "support.hpp"
#include "wheel.hpp"

namespace contactlib::geometry {

using math::lesser;

// A corner and the incident edges at the smallest angles below the plane across n.
struct SupportVertex {
  int v;
  int incident_edge[2];
  double rise[3];  // sines of the angles, <= 0 if v is the furthest corner
};

// For any number of incident edges.
inline void around_many(const Corners& c, const Vec3& n, SupportVertex& at) noexcept {
  const double n0 = n[0], n1 = n[1], n2 = n[2];
  int first = c.first[at.v], second = first;
  double rise = -2.0, next = -2.0, third = -2.0;
  for (int k = c.first[at.v], end = c.first[at.v + 1]; k < end; ++k) {
    const Vec3& t = c.incident_edges[k].t;
    const double up = n0 * t[0] + n1 * t[1] + n2 * t[2];
    const bool above = up > rise;
    const int lower = pick(above, first, k);
    const double less = std::min(rise, up);
    first = pick(above, k, first);
    rise = std::max(rise, up);
    second = pick(less > next, lower, second);
    third = std::max(third, std::min(next, less));
    next = std::max(next, less);
  }
  at = {at.v, {first, second}, {rise, next, third}};
}

// Bit i: the i-th of eight numbers is at least `least`.
inline int reaching(const TwoLanes (&up)[4], double least) noexcept {
  using Bits = decltype(TwoLanes{} < TwoLanes{});
  const TwoLanes both = least - TwoLanes{};
  const Bits bits = ((up[0] >= both) & Bits{1, 2}) | ((up[1] >= both) & Bits{4, 8}) | ((up[2] >= both) & Bits{16, 32}) |
                    ((up[3] >= both) & Bits{64, 128});
  return static_cast<int>(bits[0] | bits[1]);
}

// For the incident edges of a wheel: the three greatest of each lane, then of both lanes.
inline void around_few(const Corners& c, const Vec3& n, SupportVertex& at) noexcept {
  const Wheel& wheel = c.wheels[at.v];
  const TwoLanes n0 = n[0] - TwoLanes{}, n1 = n[1] - TwoLanes{}, n2 = n[2] - TwoLanes{};
  TwoLanes up[4];
  for (int i = 0; i < 4; ++i) {
    const auto of = [i](const double (&column)[Wheel::most]) noexcept { return math::load<TwoLanes>(column + 2 * i); };
    up[i] = n0 * of(wheel.x) + n1 * of(wheel.y) + n2 * of(wheel.z) + of(wheel.none);
  }
  const TwoLanes high = greater(up[0], up[1]), less = lesser(up[0], up[1]);
  const TwoLanes other = greater(up[2], up[3]), least = lesser(up[2], up[3]);
  const TwoLanes low = lesser(high, other), middle = greater(less, least);
  const TwoLanes rise = greater(high, other), next = greater(low, middle), third = lesser(low, middle);

  const double lower = std::min(rise[0], rise[1]), higher = std::max(next[0], next[1]);
  at.rise[0] = std::max(rise[0], rise[1]);
  at.rise[1] = std::max(lower, higher);
  at.rise[2] = std::max(std::min(lower, higher), std::max(std::min(next[0], next[1]), std::max(third[0], third[1])));
  // Numbers that are not finite set no bits: then any incident edge is accepted.
  constexpr int beyond = 1 << Wheel::most;
  const int first = __builtin_ctz(reaching(up, at.rise[0]) | beyond);
  const int second = __builtin_ctz((reaching(up, at.rise[1]) & ~(1 << first)) | beyond);
  at.incident_edge[0] = std::min(c.first[at.v] + first, c.first[at.v + 1] - 1);
  at.incident_edge[1] = std::min(c.first[at.v] + second, c.first[at.v + 1] - 1);
}

// Hill climbing to the support vertex.
inline SupportVertex support_vertex(const Corners& c, const Vec3& n) noexcept {
  SupportVertex at;
  at.v = c.start(n);
  for (int hop = 0; hop <= c.count; ++hop) {
    const bool few = has_wheel(c, at.v);
    if (few)
      around_few(c, n, at);
    else
      around_many(c, n, at);
    if (!(at.rise[0] > 1e-15)) break;
    at.v = c.incident_edges[at.incident_edge[0]].to;
  }
  return at;
}

}  // namespace contactlib::geometry

// Comparisons of all incident edges of a corner at once, and the search of a support vertex with them. The results are
// those of a loop that compares one after the other with the greatest so far.
#pragma once

#include "support.hpp"

namespace contactlib::geometry {

using math::greater;

// The lanes of loops over a wheel: with eight, the comparisons across lanes cost more than is saved.
inline constexpr std::size_t wheel_lanes = 4;

inline bool has_wheel(const Corners& c, int v) noexcept {
  return c.wheels && c.first[v + 1] - c.first[v] <= Wheel::most;
}

// Parts of a column, each with a number in every lane.
template <class Lanes>
inline constexpr int parts = Wheel::most / static_cast<int>(math::lanes<Lanes>);

template <class Lanes>
inline Lanes part(const double (&column)[Wheel::most], int i) noexcept {
  return math::load<Lanes>(column + i * static_cast<int>(math::lanes<Lanes>));
}

template <class Lanes>
inline double greatest(const Lanes& a) noexcept {
  double most[math::lanes<Lanes>];
  for (std::size_t i = 0; i < math::lanes<Lanes>; ++i) most[i] = a[i];
  for (std::size_t half = math::lanes<Lanes> / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) most[i] = most[i + half] > most[i] ? most[i + half] : most[i];
  return most[0];
}

// Bits `first`, `first` + 1, .., one for each lane.
template <class Bits>
inline Bits bits_from(int first) noexcept {
  static constexpr long long bits[] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                       1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  Bits out;
  std::memcpy(&out, bits + first, sizeof out);
  return out;
}

// The place of the first of the greatest of some numbers, if it exceeds `most`, which it then replaces; else -1. What
// is not a number exceeds nothing.
template <class Lanes, int count>
inline int first_greatest(const Lanes (&x)[count], double& most) noexcept {
  using Bits = decltype(x[0] >= x[0]);
  constexpr int n = static_cast<int>(math::lanes<Lanes>);
  static_assert(count * n <= 16);
  const Lanes least = most - Lanes{};
  Lanes each = greater(x[0], least);
  for (int i = 1; i < count; ++i) each = greater(greater(x[i], least), each);
  const double found = greatest(each);
  if (!(found > most)) return -1;
  most = found;
  const Lanes all = found - Lanes{};
  Bits reached = {};
  for (int i = 0; i < count; ++i) reached |= (x[i] >= all) & bits_from<Bits>(i * n);
  unsigned long long bits = 0;
  for (int i = 0; i < n; ++i) bits |= static_cast<unsigned long long>(reached[i]);
  return __builtin_ctzll(bits);
}

// The highest neighbour of corner v along n if it is higher than `most`, the height of v, which its height then
// replaces. Else v.
inline int higher_of_many(const Corners& c, const Vec3& n, int v, double& most) noexcept {
  const double n0 = n[0], n1 = n[1], n2 = n[2];
  int best = v;
  for (int k = c.first[v], end = c.first[v + 1]; k < end; ++k) {
    const int next = c.incident_edges[k].to;
    const Vec3& x = c.x[next];
    const double here = n0 * x[0] + n1 * x[1] + n2 * x[2];
    best = here > most ? next : best;
    most = here > most ? here : most;
  }
  return best;
}

// The same for a corner with a wheel.
template <class Lanes>
inline int higher_of_few(const Corners& c, const Vec3& n, int v, double& most) noexcept {
  const Wheel& wheel = c.wheels[v];
  const Lanes n0 = n[0] - Lanes{}, n1 = n[1] - Lanes{}, n2 = n[2] - Lanes{};
  Lanes height[parts<Lanes>];
  for (int i = 0; i < parts<Lanes>; ++i)
    height[i] = n0 * part<Lanes>(wheel.to_x, i) + n1 * part<Lanes>(wheel.to_y, i) + n2 * part<Lanes>(wheel.to_z, i);
  const int k = first_greatest(height, most);
  return k < 0 ? v : c.incident_edges[c.first[v] + k].to;
}

// Hill climbing to the support vertex: from a corner to its highest neighbour, until none is higher.
template <class Lanes>
inline int furthest_corner_in_lanes(const Corners& c, const Vec3& n, int start) noexcept {
  int v = start < 0 ? c.start(n) : start;
  double most = n.dot(c.x[v]);
  for (int hop = 0; hop < c.count; ++hop) {
    const int best = has_wheel(c, v) ? higher_of_few<Lanes>(c, n, v, most) : higher_of_many(c, n, v, most);
    if (best == v) break;
    v = best;
  }
  return v;
}

template <class Lanes>
inline void climb_in_lanes(const MinkowskiDifference& D, const Vec3& n, int& a, int& b) noexcept {
  a = furthest_corner_in_lanes<Lanes>(D.A.corners, n, a);
  b = furthest_corner_in_lanes<Lanes>(D.B.corners, D.against_B(n), b);
}

}  // namespace contactlib::geometry

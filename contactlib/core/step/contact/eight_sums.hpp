// Sums over the points of a surface, eight of them side by side in any number of lanes, so that the bits do not depend on
// the number of lanes.
#pragma once

#include "geometry/overlap/surface_pieces.hpp"
#include "math/lanes.hpp"

namespace contactlib::step {

using geometry::SurfacePoints;
using math::Lanes3;

template <int sums>
struct EightSums {
  double at[sums][8] = {};

  double total(int i) const noexcept {
    const double* s = at[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
  Vec3 vector(int i) const noexcept { return {total(i), total(i + 1), total(i + 2)}; }
};

template <class Lanes, int sums>
void add_to(EightSums<sums>& to, int i, std::size_t lane, const Lanes& a) noexcept {
  math::store(to.at[i] + lane, Lanes(math::load<Lanes>(to.at[i] + lane) + a));
}
template <class Lanes, int sums>
void add_to(EightSums<sums>& to, int first, std::size_t lane, const Lanes3<Lanes>& a) noexcept {
  add_to<Lanes>(to, first, lane, a.x), add_to<Lanes>(to, first + 1, lane, a.y), add_to<Lanes>(to, first + 2, lane, a.z);
}

template <class Lanes>
Lanes3<Lanes> place(const SurfacePoints& p, std::size_t i) noexcept {
  return {math::load<Lanes>(&p.x[i]), math::load<Lanes>(&p.y[i]), math::load<Lanes>(&p.z[i])};
}
template <class Lanes>
Lanes3<Lanes> normal(const SurfacePoints& p, std::size_t i) noexcept {
  return {math::load<Lanes>(&p.nx[i]), math::load<Lanes>(&p.ny[i]), math::load<Lanes>(&p.nz[i])};
}

}  // namespace contactlib::step

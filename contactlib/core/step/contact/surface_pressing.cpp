#include "surface_pressing.hpp"

#include <algorithm>
#include <cmath>

#include "eight_sums.hpp"
#include "geometry/overlap/depth.hpp"
#include "math/lanes.hpp"

namespace contactlib::step {

using geometry::all_round;
using math::greater, math::in_all_lanes, math::in_lanes, math::is_not, math::lanes, math::less, math::load, math::store;

namespace {

// Sums of  w e',  w,  w x,  w n
enum : int { rate, weight, weighted_x, pull_x = 5, closing_sums = 8 };
struct Closing {
  template <class Lanes>
  static void run(const SurfacePoints* p, const Twist* V, EightSums<closing_sums>* out) noexcept {
    const Lanes3<Lanes> v = in_all_lanes<Lanes>(V->linear), turn = in_all_lanes<Lanes>(V->angular);
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Lanes3<Lanes> x = place<Lanes>(*p, i), n = normal<Lanes>(*p, i);
      const Lanes w = load<Lanes>(&p->weight[i]);
      add_to<Lanes>(*out, rate, i % 8, Lanes(-w * dot(n, v + cross(turn, x))));
      add_to<Lanes>(*out, weight, i % 8, w);
      add_to<Lanes>(*out, weighted_x, i % 8, w * x), add_to<Lanes>(*out, pull_x, i % 8, w * n);
    }
  }
};

// A place that rocks: psi = greater(-held, damper (u - b s)), with the damper  (p-1) c w chi^2.
template <class Lanes>
struct Rocking {
  Lanes3<Lanes> n, m;
  Lanes held, damper, s, u;

  Rocking(const SurfacePoints& p, std::size_t i, const Pressing& law, const Twist& V) noexcept {
    const Lanes3<Lanes> N = in_all_lanes<Lanes>(law.N);
    const Lanes none = {}, w = load<Lanes>(&p.weight[i]), chi = load<Lanes>(&p.facing[i]);
    // without a branch: with one, gcc 12 computes other numbers in eight lanes
    const Lanes part = law.one_sided - none, rest = 1.0 - part;
    n = normal<Lanes>(p, i);
    const Lanes sided = part * dot(n, N);
    m = sided * N + rest * n, s = sided + rest;
    u = none - dot(m, in_all_lanes<Lanes>(V.linear) + cross(in_all_lanes<Lanes>(V.angular), place<Lanes>(p, i)));
    held = w * law.load;
    damper = law.rocking * (w * chi * chi);
  }
};

// Of the places that are not cut: sums of  damper s u,  damper s^2;  of the others: of  held s.
enum : int { pressing, resisting, cut, balance_sums };
template <bool cuts>
struct Balance {
  template <class Lanes>
  static void run(const SurfacePoints* p, const Pressing* law, const Twist* V, EightSums<balance_sums>* out) noexcept {
    const Lanes none = {};
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Rocking<Lanes> at(*p, i, *law, *V);
      const Lanes beyond = cuts ? less<Lanes>(at.damper * (at.u - law->b * at.s), none - at.held) : none;
      const Lanes resists = is_not<Lanes>(beyond) * at.damper * at.s;
      add_to<Lanes>(*out, pressing, i % 8, Lanes(resists * at.u));
      add_to<Lanes>(*out, resisting, i % 8, Lanes(resists * at.s));
      add_to<Lanes>(*out, cut, i % 8, Lanes(beyond * at.held * at.s));
    }
  }
};

// The zero of  sum psi s,  which is linear in b between the places where a psi is cut or no longer cut: Newton's method
// ends there exactly. b_0: the zero without a cut.
double balanced(const SurfacePoints& points, Pressing law, const Twist& V) noexcept {
  double low = -HUGE_VAL, high = HUGE_VAL, far = V.linear.norm() + V.angular.norm();
  for (int i = 0; i < 100; ++i) {  // a bracket that is halved ends within the rounding of b
    EightSums<balance_sums> sums;
    in_lanes<Balance<true>>(points.count, &points, &law, &V, &sums);
    const double slope = sums.total(resisting), excess = sums.total(pressing) - sums.total(cut) - law.b * slope;
    if (excess == 0.0) break;
    (excess > 0.0 ? low : high) = law.b;
    double next = slope > 0.0 ? (sums.total(pressing) - sums.total(cut)) / slope : law.b + (excess > 0.0 ? far : -far);
    if (next == law.b) break;
    if (!(next > low && next < high)) {
      const bool closed = low > -HUGE_VAL && high < HUGE_VAL;
      next = closed ? 0.5 * (low + high) : law.b + (excess > 0.0 ? far : -far);
    }
    far *= 2.0, law.b = next;
  }
  return law.b;
}

enum : int { force, couple = 3, middle = 6, total = 9, heat, pull_couple, beyond = 14, pressing_sums };
// With `forces` also stores the force on B at each point.
template <bool forces>
struct Loads {
  template <class Lanes>
  static void run(SurfacePoints* p, const Pressing* law, const Twist* V, EightSums<pressing_sums>* out,
                  SurfacePoints* at_points) noexcept {
    const Lanes none = {};
    for (std::size_t i = 0; i < p->count; i += lanes<Lanes>) {
      const Rocking<Lanes> at(*p, i, *law, *V);
      const Lanes turns = at.u - law->b * at.s, uncut = at.damper * turns;
      const Lanes psi = greater<Lanes>(none - at.held, uncut);
      const Lanes bears = at.held + psi;
      store(&p->load[i], bears);
      const Lanes3<Lanes> on_b = at.held * at.n + psi * at.m, x = place<Lanes>(*p, i);
      if constexpr (forces)
        store(&at_points->x[i], on_b.x), store(&at_points->y[i], on_b.y), store(&at_points->z[i], on_b.z);
      add_to<Lanes>(*out, force, i % 8, on_b), add_to<Lanes>(*out, couple, i % 8, cross(x, on_b));
      add_to<Lanes>(*out, middle, i % 8, bears * x), add_to<Lanes>(*out, total, i % 8, bears);
      add_to<Lanes>(*out, heat, i % 8, Lanes(psi * turns));
      add_to<Lanes>(*out, pull_couple, i % 8, cross(x, load<Lanes>(&p->weight[i]) * at.n));
      add_to<Lanes>(*out, beyond, i % 8, Lanes(psi - uncut));
    }
  }
};

}  // namespace

Pressed press(SurfacePoints& points, double spring, double damping, const Twist& V, int sharpness) noexcept {
  EightSums<closing_sums> closing;
  in_lanes<Closing>(points.count, &points, &V, &closing);
  const Vec3 pull = closing.vector(pull_x);
  const double w = closing.total(weight), closes = closing.total(rate), mean = w > 0.0 ? closes / w : 0.0;
  const double size = pull.norm(), one_sided = w > 0.0 ? (size / w - all_round) / all_round : 0.0;
  Pressing law{std::max(0.0, spring + damping * mean), (sharpness - 1.0) * damping, std::clamp(one_sided, 0.0, 1.0),
               Vec3::UnitZ(), 0.0};
  if (law.one_sided > 0.0) law.N = pull / size;
  if (law.rocking != 0.0) {
    EightSums<balance_sums> sums;
    in_lanes<Balance<false>>(points.count, &points, &law, &V, &sums);
    if (sums.total(resisting) > 0.0) law.b = sums.total(pressing) / sums.total(resisting);
  }
  EightSums<pressing_sums> sums;
  in_lanes<Loads<false>>(points.count, &points, &law, &V, &sums, &points);
  if (sums.total(beyond) > 0.0) {
    law.b = balanced(points, law, V), sums = {};
    in_lanes<Loads<false>>(points.count, &points, &law, &V, &sums, &points);
  }
  const double all = sums.total(total);
  return {sums.vector(force),
          sums.vector(couple),
          pull,
          sums.vector(pull_couple),
          all > 0.0 ? Vec3(sums.vector(middle) / all) : Vec3(closing.vector(weighted_x) / w),
          all,
          w,
          closes,
          (law.load - spring) * closes + sums.total(heat),
          law};
}

void forces_of(SurfacePoints& points, const Pressing& law, const Twist& V, SurfacePoints& forces) noexcept {
  EightSums<pressing_sums> sums;
  in_lanes<Loads<true>>(points.count, &points, &law, &V, &sums, &forces);
}

}  // namespace contactlib::step

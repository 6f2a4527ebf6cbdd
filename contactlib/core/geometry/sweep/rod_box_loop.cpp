// Capsules against boxes: which parts of many pairs can have a contact is computed in lanes, by the operations of
// `capsule_box` in their order and without branches, divisions and roots. The kernel adds the contacts of these parts.
// Where a number is not finite it adds those of all parts.
#include "box.hpp"
#include "lanes.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::any, math::at_most, math::eigen_dot, math::greater, math::is_not, math::less, math::lesser,
    math::magnitude, math::with_sign;

namespace {

// Columns of the pairs: half the box.
constexpr int half_at = 2;
using BoxPairs = SweepPairs<5, 64>;

// The lanes of pairs k, k + 1, ..
template <class Lanes>
struct Boxes {
  using Sweep = SweepInLanes<Lanes>;
  using Three = Lanes3<Lanes>;
  // The sweep along an axis of the box.
  struct Axis {
    Lanes half, Q, d, reach, middle, side, is_far;  // m, m, 1, m, ..; as `View`
    Lanes centre, height;                           // m, of the sweep; over the nearer side, as in `capsule_box`
  };

  const Sweep sweep;
  const Lanes r2, none = {}, one = none + 1.0;
  const Axis axis[3];

  Boxes(const BoxPairs& pairs, std::size_t k) noexcept
      : sweep(pairs.sweep<Lanes>(k)),
        r2(sweep.r * sweep.r),
        axis{axis_of(pairs.at<Lanes>(half_at, k), sweep.Q0.x, sweep.Q1.x, sweep.d.x),
             axis_of(pairs.at<Lanes>(half_at + 1, k), sweep.Q0.y, sweep.Q1.y, sweep.d.y),
             axis_of(pairs.at<Lanes>(half_at + 2, k), sweep.Q0.z, sweep.Q1.z, sweep.d.z)} {}

  Axis axis_of(const Lanes& half, const Lanes& Q0, const Lanes& Q1, const Lanes& d) const noexcept {
    const Lanes extent = 0.5 * sweep.length, middle = Q0 + extent * d, reach = extent * magnitude(d);
    const Lanes centre = 0.5 * (Q0 + Q1), is_far = less(magnitude(middle) - reach + half, sweep.r);
    return {half, Q0, d, reach, middle, with_sign(half, middle), is_far, centre, magnitude(centre) - reach - half};
  }

  // Whether an end is near the box, as `add_box_end`.
  Lanes end_is_near(const Lanes& x, const Lanes& y, const Lanes& z) const noexcept {
    const auto outside = [&](const Lanes& p, const Axis& i) noexcept {
      const Lanes over = magnitude(p) - i.half;
      return 0.5 * (over + magnitude(over));
    };
    const Three w{outside(x, axis[0]), outside(y, axis[1]), outside(z, axis[2])};
    return at_most(eigen_dot(w, w), r2);
  }

  // The bits of the four edges along axis k, as `add_edge`.
  Lanes edges(const Axis& k, const Axis& i1, const Axis& i2) const noexcept {
    const Lanes span2 = i1.d * i1.d + i2.d * i2.d, lengthwise = sweep.length * span2;
    const Lanes far1 = i1.is_far, far2 = i2.is_far, edge = k.half * span2, at = k.Q * span2;
    const auto counts = [&](const Lanes& e1, const Lanes& e2) noexcept {
      const Lanes a1 = e1 - i1.Q, a2 = e2 - i2.Q, along = a1 * i1.d + a2 * i2.d, apart = a1 * i2.d - a2 * i1.d;
      const Lanes near = less(none, r2 * span2 - apart * apart) * less(none, along) * less(none, lengthwise - along) *
                         less(none, edge - magnitude(at + along * k.d));
      const Lanes u = with_sign(one, -e1) * i2.d * apart, v = with_sign(one, e2) * i1.d * apart;
      const Lanes inside = at_most(u, none) * at_most(v, none) * less(-i1.half * span2, u) * less(-i2.half * span2, v);
      return near * greater(less(none, u + v), inside);
    };
    Lanes out = counts(i1.side, i2.side);
    if (any(far1)) out += 2.0 * far1 * counts(-i1.side, i2.side);
    if (any(far2)) out += 4.0 * far2 * counts(i1.side, -i2.side);
    if (any(far1 * far2)) out += 8.0 * far1 * far2 * counts(-i1.side, -i2.side);
    return out;
  }

  // The bits of the corners, as `add_corner`.
  Lanes corners() const noexcept {
    const auto past = [&](const Axis& i) noexcept { return at_most(none, magnitude(i.middle) + i.reach - i.half); };
    const Lanes some = less(1.5 * one, past(axis[0]) + past(axis[1]) + past(axis[2]));
    if (!any(some)) return none;
    Lanes out = none;
    for (int j = 0; j < 8; ++j) {
      Lanes counts = some, E[3];
      for (int i = 0; i < 3; ++i) {
        const bool far = j >> i & 1;
        if (far) counts *= axis[i].is_far;
        E[i] = far ? -axis[i].side : axis[i].side;
      }
      if (!any(counts)) continue;
      const Three at{E[0], E[1], E[2]};
      const Lanes s = eigen_dot(at - sweep.Q0, sweep.d);
      const Three EF = sweep.at(s) - at;
      out +=
          static_cast<double>(1 << j) * (counts * less(none, s) * less(s, sweep.length) * less(eigen_dot(EF, EF), r2));
    }
    return out;
  }

  // Whether the axis may run through the box, as `apart`.
  Lanes is_inside() const noexcept {
    const auto meets = [&](const Axis& i1, const Axis& i2) noexcept {
      const Lanes reach = i1.half * magnitude(i2.d) + i2.half * magnitude(i1.d);
      return at_most(magnitude(i1.centre * i2.d - i2.centre * i1.d), reach);
    };
    return meets(axis[1], axis[2]) * meets(axis[0], axis[2]) * meets(axis[0], axis[1]);
  }

  // Which parts can have a contact, by their bits.
  PartsInLanes<Lanes> parts() const noexcept {
    const Three &Q0 = sweep.Q0, &Q1 = sweep.Q1;
    const Lanes &x = axis[0].height, &y = axis[1].height, &z = axis[2].height;
    const Lanes below = lesser(sweep.r - x, lesser(sweep.r - y, sweep.r - z)), near = less(none, below);
    const Lanes gap = near > none ? none : -below,
                usual = sweep.is_usual(Sweep::size({axis[0].half, axis[1].half, axis[2].half}));
    if (!any(greater(near, is_not(usual)))) return {none, gap};
    Lanes out = end_is_near(Q0.x, Q0.y, Q0.z) + 2.0 * end_is_near(Q1.x, Q1.y, Q1.z);
    out += static_cast<double>(1 << box_edge) * edges(axis[0], axis[1], axis[2]);
    out += static_cast<double>(1 << (box_edge + 4)) * edges(axis[1], axis[0], axis[2]);
    out += static_cast<double>(1 << (box_edge + 8)) * edges(axis[2], axis[0], axis[1]);
    out += static_cast<double>(1 << box_corner) * corners();
    const Lanes within = less(x, none) * less(y, none) * less(z, none);
    if (any(within)) out += static_cast<double>(1 << box_inside) * within * is_inside();
    return {usual > none ? near * out : static_cast<double>(all_of_box) - none, gap};
  }
};

struct Target {
  using Pairs = BoxPairs;

  static void numbers_of(const Shape& B, Column to) noexcept {
    for (int i = 0; i < 3; ++i) *to.next() = 0.5 * B.size[i];
  }

  template <class Lanes>
  static PartsInLanes<Lanes> find(const Pairs& pairs, std::size_t k) noexcept {
    return Boxes<Lanes>(pairs, k).parts();
  }

  static void add(const Shape& A, const Shape& B, const Placement& X, unsigned parts, Manifold& out) noexcept {
    capsule_box_parts(A, B, X, parts, out);
  }
};

}  // namespace

void capsule_box_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                      ManifoldPoint* points, PairContacts* found) noexcept {
  if (has_four_lanes(count)) return math::in_lanes<PartsInBlocks<Target>>(count, A, B, X, count, points, found);
  one_by_one<capsule_box>(A, B, X, count, points, found);
}

}  // namespace contactlib::geometry

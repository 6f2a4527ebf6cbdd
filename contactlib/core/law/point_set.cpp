#include "point_set.hpp"

#include <algorithm>

#include "math/lanes.hpp"

namespace contactlib::law {

using math::TwoLanes, math::lanes, math::less, math::load, math::store;

namespace {

// Each loop computes one quantity for a block of points: this suits the vector units.
constexpr std::size_t block = 128;

// Sums of every second point, the same on every machine.
constexpr std::size_t pairs = lanes<TwoLanes>;

inline TwoLanes pair(const double* at) noexcept { return load<TwoLanes>(at); }

template <class Vector>
auto sum(const Vector& s) noexcept {
  return s[0] + s[1];
}

template <class Lanes>
struct Block {
  std::size_t count;  // a multiple of the lanes
  std::size_t first, given;  // of the set's points, and how many of them
  const double *x, *y, *z;
  double rest[3][block];
  double depth[block], rate[block], force[block], stored[block], heat[block];
  double v_x[block], v_y[block], f_x[block], f_y[block];

  // Fills the lanes behind the last point with points at the origin, which `place` puts above the plane.
  void evaluate_at(const PointSet& point_set, std::size_t from) noexcept {
    x = point_set.x + from, y = point_set.y + from, z = point_set.z + from;
    first = from;
    count = given = std::min(block, point_set.count - from);
    if (given % lanes<Lanes> == 0) return;
    count = (given / lanes<Lanes> + 1) * lanes<Lanes>;
    x = filled(x, rest[0]), y = filled(y, rest[1]), z = filled(z, rest[2]);
  }

  const double* filled(const double* column, double* out) const noexcept {
    std::fill(std::copy_n(column, given, out), out + count, 0.0);
    return out;
  }

  // depth = d - n.p,  its rate = -n.(v + w x p) = -n.v - (n x w).p:  the contact point lies above p along n, where it
  // has the same normal velocity.
  void place(const PointSetMotion& motion) noexcept {
    const Vec3 n = motion.n, m = n.cross(motion.w);
    const double d = motion.d, from = -n.dot(motion.v);
    for (std::size_t i = 0; i < count; i += lanes<Lanes>) {
      const Lanes px = load<Lanes>(x + i), py = load<Lanes>(y + i), pz = load<Lanes>(z + i);
      store(depth + i, d - (n[0] * px + n[1] * py + n[2] * pz));
      store(rate + i, from - (m[0] * px + m[1] * py + m[2] * pz));
    }
    std::fill(depth + given, depth + count, -1.0);
  }

  void push(const NormalLaw& law, const double* parameters, const Curve& curve) noexcept {
    law.many({depth, rate, force, stored, heat, count}, parameters, curve);
  }

  // Along one of the plane's axes t:  t.(v + w x (p + n depth/2)) = t.v + (t x w).p + (t x w).n depth/2
  void slide(const PointSetMotion& motion, const Vec3& t, double* v_t) const noexcept {
    const Vec3 m = t.cross(motion.w);
    const double from = t.dot(motion.v), deep = 0.5 * m.dot(motion.n);
    for (std::size_t i = 0; i < count; i += lanes<Lanes>) {
      const Lanes px = load<Lanes>(x + i), py = load<Lanes>(y + i), pz = load<Lanes>(z + i);
      store(v_t + i, from + (m[0] * px + m[1] * py + m[2] * pz) + deep * load<Lanes>(depth + i));
    }
  }

  // As between any two bodies, a bristle rotates by half of the spin.
  static void turn(double* bristles, std::size_t count, double half) noexcept {
    for (double* z = bristles; z != bristles + 3 * count; z += 3) {
      const double along = z[0];
      z[0] -= half * z[1], z[1] += half * along;
    }
  }

  void rub(const PointSetMotion& motion, const PointSetFriction& friction) noexcept {
    double none[3 * block];
    double* const bristles = friction.bristles ? friction.bristles + 3 * first : none;
    if (!friction.bristles) std::fill(none, none + 3 * given, 0.0);
    slide(motion, friction.x, v_x);
    slide(motion, friction.y, v_y);
    turn(bristles, given, 0.5 * friction.h * motion.w.dot(motion.n));
    friction.law.many({depth, force, v_x, v_y, bristles, f_x, f_y, stored, heat, given}, friction.h,
                      friction.parameters);
    std::fill(f_x + given, f_x + count, 0.0);
    std::fill(f_y + given, f_y + count, 0.0);
  }
};

// A force along one axis, and its moments:  sum f,  sum f p,  sum f depth/2
struct Forces {
  TwoLanes f = {}, fx = {}, fy = {}, fz = {}, deep = {};

  template <class Block>
  void add(const Block& b, const double* forces, std::size_t i) noexcept {
    const TwoLanes force = pair(forces + i);
    f += force;
    fx += force * pair(b.x + i);
    fy += force * pair(b.y + i);
    fz += force * pair(b.z + i);
  }

  // Of friction: each axis has a loop of its own.
  template <class Block>
  void add_friction(const Block& b, const double* forces) noexcept {
    Forces s = *this;  // in registers
    for (std::size_t i = 0; i < b.count; i += pairs) {
      s.add(b, forces, i);
      s.deep += 0.5 * pair(forces + i) * pair(b.depth + i);
    }
    *this = s;
  }

  // Adds forces along t at the points p + n depth/2.
  void give(const Vec3& t, const Vec3& n, PointSetWrench& out) const noexcept {
    out.force += sum(f) * t;
    out.torque += (Vec3(sum(fx), sum(fy), sum(fz)) + sum(deep) * n).cross(t);
  }
};

// Normal forces, and what does not depend on the axes. Only sums depend on the order of the points: the number of points
// in contact and the greatest depth do not.
template <class Lanes>
struct Sums {
  Forces along_n;
  TwoLanes stored = {}, heat = {};
  Lanes deepest = {}, touching = {};

  void add(const Block<Lanes>& b) noexcept {
    Forces f = along_n;  // in registers
    TwoLanes e = stored, q = heat;
    for (std::size_t i = 0; i < b.count; i += pairs) {
      f.add(b, b.force, i);
      e += pair(b.stored + i);
      q += pair(b.heat + i);
    }
    along_n = f, stored = e, heat = q;
    Lanes most = deepest, points = touching;
    for (std::size_t i = 0; i < b.count; i += lanes<Lanes>) {
      const Lanes depth = load<Lanes>(b.depth + i);
      points += less(Lanes{}, depth);
      most = depth > most ? depth : most;
    }
    deepest = most, touching = points;
  }

  void give(const Vec3& n, PointSetWrench& out) const noexcept {
    along_n.give(n, n, out);
    out.stored = sum(stored);
    out.heat = sum(heat);
    double points = 0.0;
    for (std::size_t i = 0; i < lanes<Lanes>; ++i) {
      out.deepest = std::max(out.deepest, deepest[i]);
      points += touching[i];
    }
    out.touching = static_cast<std::size_t>(points);
  }
};

struct Loop {
  template <class Lanes>
  static void run(const PointSet& point_set, const PointSetMotion& motion, const NormalLaw& law,
                  const double* parameters, const Curve& curve, const PointSetFriction* friction,
                  PointSetWrench* out) noexcept {
    Block<Lanes> points;
    Sums<Lanes> sums;
    Forces along_x, along_y;
    for (std::size_t first = 0; first < point_set.count; first += block) {
      points.evaluate_at(point_set, first);
      points.place(motion);
      points.push(law, parameters, curve);
      if (friction) {
        points.rub(motion, *friction);
        along_x.add_friction(points, points.f_x);
        along_y.add_friction(points, points.f_y);
      }
      sums.add(points);
    }
    sums.give(motion.n, *out);
    if (friction) along_x.give(friction->x, motion.n, *out), along_y.give(friction->y, motion.n, *out);
  }
};

}  // namespace

PointSetWrench press(const PointSet& point_set, const PointSetMotion& motion, const NormalLaw& law,
                     const double* parameters, const Curve& curve, const PointSetFriction* friction) noexcept {
  PointSetWrench out{Vec3::Zero(), Vec3::Zero(), 0.0, 0.0, 0.0, 0};
  math::in_lanes<Loop>(point_set.count, point_set, motion, law, parameters, curve, friction, &out);
  return out;
}

}  // namespace contactlib::law

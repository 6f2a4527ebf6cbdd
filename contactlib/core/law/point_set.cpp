#include "point_set.hpp"

#include <algorithm>

#include "math/lanes.hpp"

namespace contactlib::law {

using math::TwoLanes, math::lanes, math::load;

namespace {

// Each loop computes one quantity for a block of points: this suits the vector units.
constexpr std::size_t block = 128;

// Sums in independent lanes, the same on every machine.
using Lanes = TwoLanes;
using Counts = decltype(Lanes{} < Lanes{});
constexpr std::size_t pairs = lanes<Lanes>;

inline Lanes pair(const double* at) noexcept { return load<Lanes>(at); }

template <class Vector>
auto sum(const Vector& s) noexcept {
  return s[0] + s[1];
}

struct Block {
  std::size_t count;  // a multiple of the lanes
  std::size_t first, given;  // of the set's points, and how many of them
  const double *x, *y, *z;
  double rest[3][pairs];
  double depth[block], rate[block], force[block], stored[block], heat[block];
  double v_x[block], v_y[block], f_x[block], f_y[block];

  void evaluate_at(const PointSet& point_set, std::size_t from) noexcept {
    x = point_set.x + from, y = point_set.y + from, z = point_set.z + from;
    first = from;
    count = given = std::min(block, (point_set.count - from) / pairs * pairs);
  }

  // A single last point: its lane neighbour is placed one metre above the plane.
  void evaluate_last(const PointSet& point_set, const PointSetMotion& motion) noexcept {
    const std::size_t i = point_set.count - 1;
    const Vec3 last(point_set.x[i], point_set.y[i], point_set.z[i]), away = (motion.d + 1.0) * motion.n;
    for (int k = 0; k < 3; ++k) rest[k][0] = last[k], rest[k][1] = away[k];
    x = rest[0], y = rest[1], z = rest[2];
    first = i;
    given = 1;
    count = pairs;
  }

  // depth = d - n.p,  its rate = -n.(v + w x p) = -n.v - (n x w).p:  the contact point lies above p along n, where it
  // has the same normal velocity.
  void place(const PointSetMotion& motion) noexcept {
    const Vec3 n = motion.n, m = n.cross(motion.w);
    const double d = motion.d, from = -n.dot(motion.v);
    for (std::size_t i = 0; i < count; ++i) {
      depth[i] = d - (n[0] * x[i] + n[1] * y[i] + n[2] * z[i]);
      rate[i] = from - (m[0] * x[i] + m[1] * y[i] + m[2] * z[i]);
    }
  }

  void push(const NormalLaw& law, const double* parameters, const Curve& curve) noexcept {
    law.many({depth, rate, force, stored, heat, count}, parameters, curve);
  }

  // Along one of the plane's axes t:  t.(v + w x (p + n depth/2)) = t.v + (t x w).p + (t x w).n depth/2
  void slide(const PointSetMotion& motion, const Vec3& t, double* v_t) const noexcept {
    const Vec3 m = t.cross(motion.w);
    const double from = t.dot(motion.v), deep = 0.5 * m.dot(motion.n);
    for (std::size_t i = 0; i < count; ++i) v_t[i] = from + (m[0] * x[i] + m[1] * y[i] + m[2] * z[i]) + deep * depth[i];
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
  Lanes f = {}, fx = {}, fy = {}, fz = {}, deep = {};

  void add(const Block& b, const double* forces) noexcept {
    Forces s = *this;  // in registers
    for (std::size_t i = 0; i < b.count; i += pairs) {
      const Lanes force = pair(forces + i);
      s.f += force;
      s.fx += force * pair(b.x + i);
      s.fy += force * pair(b.y + i);
      s.fz += force * pair(b.z + i);
    }
    *this = s;
  }

  void add_depth(const Block& b, const double* forces) noexcept {
    Lanes s = deep;
    for (std::size_t i = 0; i < b.count; i += pairs) s += 0.5 * pair(forces + i) * pair(b.depth + i);
    deep = s;
  }

  // Adds forces along t at the points p + n depth/2.
  void give(const Vec3& t, const Vec3& n, PointSetWrench& out) const noexcept {
    out.force += sum(f) * t;
    out.torque += (Vec3(sum(fx), sum(fy), sum(fz)) + sum(deep) * n).cross(t);
  }
};

struct Sums {
  Lanes stored = {}, heat = {}, deepest = {};
  Counts touching = {};

  void add(const Block& b) noexcept {
    const Lanes zero = {};
    Sums s = *this;
    for (std::size_t i = 0; i < b.count; i += pairs) {
      const Lanes depth = pair(b.depth + i);
      s.stored += pair(b.stored + i);
      s.heat += pair(b.heat + i);
      s.touching -= depth > zero;  // true is -1
      s.deepest = depth > s.deepest ? depth : s.deepest;
    }
    *this = s;
  }
};

}  // namespace

PointSetWrench press(const PointSet& point_set, const PointSetMotion& motion, const NormalLaw& law,
                     const double* parameters, const Curve& curve, const PointSetFriction* friction) noexcept {
  Block points;
  Sums sums;
  Forces along_n, along_x, along_y;
  const auto add = [&]() noexcept {
    points.place(motion);
    points.push(law, parameters, curve);
    along_n.add(points, points.force);
    if (friction) {
      points.rub(motion, *friction);
      along_x.add(points, points.f_x), along_x.add_depth(points, points.f_x);
      along_y.add(points, points.f_y), along_y.add_depth(points, points.f_y);
    }
    sums.add(points);
  };
  for (std::size_t first = 0; first + pairs <= point_set.count; first += block)
    points.evaluate_at(point_set, first), add();
  if (point_set.count % pairs != 0) points.evaluate_last(point_set, motion), add();
  PointSetWrench out{Vec3::Zero(), Vec3::Zero(), sum(sums.stored), sum(sums.heat), 0.0, 0};
  along_n.give(motion.n, motion.n, out);
  if (friction) along_x.give(friction->x, motion.n, out), along_y.give(friction->y, motion.n, out);
  out.deepest = std::max(sums.deepest[0], sums.deepest[1]);
  out.touching = static_cast<std::size_t>(sum(sums.touching));
  return out;
}

}  // namespace contactlib::law

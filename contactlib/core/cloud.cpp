#include "cloud.hpp"

#include <algorithm>
#include <cstdint>

namespace contactlib {

namespace {

// a loop does one thing to a block of points at a time: that fits the vector units.
constexpr std::size_t block = 128, lanes = 2;

// sums in lanes that do not wait for each other, the same on every machine.
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using Counts = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));
using Unaligned = double __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double)), may_alias));

inline const Unaligned& pair(const double* at) noexcept { return *reinterpret_cast<const Unaligned*>(at); }

template <class Vector>
auto sum(const Vector& s) noexcept {
  return s[0] + s[1];
}

struct Block {
  std::size_t count;  // a multiple of the lanes
  const double *x, *y, *z;
  double rest[3][lanes];
  double depth[block], rate[block], force[block], stored[block], heat[block];

  void look_at(const Cloud& cloud, std::size_t first) noexcept {
    x = cloud.x + first, y = cloud.y + first, z = cloud.z + first;
    count = std::min(block, (cloud.count - first) / lanes * lanes);
  }

  // a last point alone: beside it one a metre over the plane.
  void look_at_last(const Cloud& cloud, const CloudMotion& motion) noexcept {
    const std::size_t i = cloud.count - 1;
    const Vec3 last(cloud.x[i], cloud.y[i], cloud.z[i]), away = (motion.d + 1.0) * motion.n;
    for (int k = 0; k < 3; ++k) rest[k][0] = last[k], rest[k][1] = away[k];
    x = rest[0], y = rest[1], z = rest[2];
    count = lanes;
  }

  // depth = d - n.p,  its rate = -n.(v + w x p) = -n.v - (n x w).p:  the point of contact lies over p along n, where it
  // moves alike
  void place(const CloudMotion& motion) noexcept {
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
};

struct Sums {
  Lanes f = {}, fx = {}, fy = {}, fz = {}, stored = {}, heat = {}, deepest = {};
  Counts touching = {};

  void add(const Block& b) noexcept {
    const Lanes zero = {};
    for (std::size_t i = 0; i < b.count; i += lanes) {
      const Lanes force = pair(b.force + i);
      f += force;
      fx += force * pair(b.x + i);
      fy += force * pair(b.y + i);
      fz += force * pair(b.z + i);
    }
    for (std::size_t i = 0; i < b.count; i += lanes) {
      const Lanes depth = pair(b.depth + i);
      stored += pair(b.stored + i);
      heat += pair(b.heat + i);
      touching -= depth > zero;  // true is -1
      deepest = depth > deepest ? depth : deepest;
    }
  }
};

}  // namespace

// torque = sum f_i p_i x n
CloudWrench press(const Cloud& cloud, const CloudMotion& motion, const NormalLaw& law, const double* parameters,
                  const Curve& curve) noexcept {
  Block points;
  Sums sums;
  const auto add = [&]() noexcept {
    points.place(motion);
    points.push(law, parameters, curve);
    sums.add(points);
  };
  for (std::size_t first = 0; first + lanes <= cloud.count; first += block) points.look_at(cloud, first), add();
  if (cloud.count % lanes != 0) points.look_at_last(cloud, motion), add();
  const Vec3 arm(sum(sums.fx), sum(sums.fy), sum(sums.fz));
  CloudWrench out{sum(sums.f) * motion.n, arm.cross(motion.n), sum(sums.stored), sum(sums.heat), 0.0, 0};
  out.deepest = std::max(sums.deepest[0], sums.deepest[1]);
  out.touching = static_cast<std::size_t>(sum(sums.touching));
  return out;
}

}  // namespace contactlib

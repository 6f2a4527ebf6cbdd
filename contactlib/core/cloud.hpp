// a cloud: many points of one body on a plane, pushed by one normal law without friction; their wrench in one pass.
#pragma once

#include "law/laws.hpp"

namespace contactlib {

// coordinates apart from each other, in the body's axes, m.
struct Cloud {
  const double *x, *y, *z;
  std::size_t count;
};

// the plane n.p = d, outward unit normal n, and the velocity of the body's origin against it, in the body's axes.
struct CloudMotion {
  Vec3 n;
  double d;  // m
  Vec3 v;    // m/s
  Vec3 w;    // rad/s
};

struct CloudWrench {
  Vec3 force, torque;      // N, N m on the body at its origin, in its axes
  double stored, heat;     // J, W
  double deepest;          // m
  std::size_t touching;
};

CloudWrench press(const Cloud& cloud, const CloudMotion& motion, const NormalLaw& law, const double* parameters,
                  const Curve& curve) noexcept;

}  // namespace contactlib

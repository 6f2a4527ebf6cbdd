// Point contacts: many points of one body on a plane, with one normal law and optionally one friction law. Computes
// their wrench in one pass.
#pragma once

#include "laws.hpp"

namespace contactlib::law {

// Coordinates in columns, in the body's axes, m.
struct PointSet {
  const double *x, *y, *z;
  std::size_t count;
};

// The plane n.p = d, outward unit normal n, and the velocity of the body's origin relative to it, in the body's axes.
struct PointSetMotion {
  Vec3 n;
  double d;  // m
  Vec3 v;    // m/s
  Vec3 w;    // rad/s
};

// The friction of the points on the plane, whose own axes x and y complete n.
struct PointSetFriction {
  FrictionLaw law;
  const double* parameters;
  double h;          // s, since the bristles were written; 0 evaluates without advancing
  Vec3 x, y;         // the plane's axes, in the body's
  double* bristles;  // of each point, in the plane's axes, as FrictionBlock has them; null: none yet, and forgotten
};

struct PointSetWrench {
  Vec3 force, torque;      // N, N m on the body at its origin, in its axes
  double stored, heat;     // J, W
  double deepest;          // m
  std::size_t touching;
};

// `friction` may be null.
PointSetWrench press(const PointSet& point_set, const PointSetMotion& motion, const NormalLaw& law,
                     const double* parameters, const Curve& curve, const PointSetFriction* friction) noexcept;

}  // namespace contactlib::law

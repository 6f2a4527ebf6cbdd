// Friction of a surface contact. One twist bends the bristles of all points together: at x, from the centre of pressure,
// by the tangential part of  z = s + turn x x. With the points' shares of the load, which add up to 1, the length of a
// twist is its mean bristle deflection, and its gradient the direction of the friction wrench:
//   L(s, turn) = sum share_j |z_j|,   f = k L dL/ds,   t = k L dL/dturn,   stored energy k L^2/2
// mu N L is the dissipation of a slip by (s, turn) under Coulomb's law at every point. So a wrench of the size
// k L = mu N is on the limit surface (S. Goyal, A. Ruina and J. Papadopoulos, Wear 143 (1991) 307-330), whatever the
// pressure is and wherever the points are, and a translation alone is a bristle of a single contact.
#pragma once

#include <cstddef>

#include "geometry/overlap/surface_pieces.hpp"
#include "law/laws.hpp"

namespace contactlib::step {

using geometry::SurfacePoints;

struct SlidingPoints {
  const SurfacePoints& points;  // with shares that add up to 1, x from the centre of pressure
  // Metric of anisotropic laws, as of law::Slider: across2 of a deflection, and `grain` along the direction (unit) as
  // it lies in the surface. 1 and 0 of all others.
  double across2 = 1.0, grain = 0.0;
  Vec3 direction = Vec3::Zero();
};

// A velocity of the centre and an angular velocity, or displacements; or a force and a couple.
struct Twist {
  Vec3 linear, angular;

  double dot(const Twist& other) const noexcept { return linear.dot(other.linear) + angular.dot(other.angular); }
  Twist operator*(double by) const noexcept { return {by * linear, by * angular}; }
  Twist operator+(const Twist& other) const noexcept { return {linear + other.linear, angular + other.angular}; }
};

// The length of a twist and its gradient.
struct Stretch {
  double length;
  Twist gradient;
};
Stretch stretch_of(const SlidingPoints& points, const Twist& twist) noexcept;

// The bristles of a pair between steps.
struct SurfaceBristles {
  Twist bent;
  double stretch;  // m, the length that `bent` may have: see surface_friction.cpp
  bool slipping;
  double kept = 1.0, added = 1.0;  // of the last step: bent = kept bent_before + added moved
};

struct SurfaceFriction {
  Twist wrench;  // on B, about the centre of pressure
  double stored;  // J
  double heat;  // W
};

// One step of h (0: evaluates only) with the twist V of B against A; `moved`: what displaced the bodies over the step.
// Bends the bristles.
SurfaceFriction rub(const SlidingPoints& points, const law::FrictionRow& row, const double* parameters,
                    double normal_force, const Twist& V, const Twist& moved, double h,
                    SurfaceBristles& bristles) noexcept;

}  // namespace contactlib::step

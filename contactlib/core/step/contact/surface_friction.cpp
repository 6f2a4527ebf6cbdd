#include "surface_friction.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::step {

using law::FrictionRow, law::SurfaceSlider;

namespace {

// Where a deflection is below this part of the root mean square, its length is replaced by a parabola: at the centre of
// a rotation the direction of friction must not jump. The limit torque of a disc is too large by 4e-5 of it.
constexpr double core = 0.1;
// A length that grows by more than rounding without motion is cut back, so that no energy is made.
constexpr double rounding = 1e-12;

Vec3 deflection(const SlidingPoint& p, const Twist& twist) noexcept {
  const Vec3 u = twist.linear + twist.angular.cross(p.x);
  return u - u.dot(p.n) * p.n;
}

// M z, with z.Mz the square of its length.
Vec3 metric(const SlidingPoints& points, const SlidingPoint& p, const Vec3& z) noexcept {
  if (points.grain == 0.0) return points.across2 * z;
  const Vec3 d = points.direction - points.direction.dot(p.n) * p.n;
  return points.across2 * z + points.grain * d.dot(z) * d;
}

bool is_zero(const Twist& twist) noexcept { return twist.linear.isZero(0.0) && twist.angular.isZero(0.0); }

}  // namespace

// |z| stands for  h(z) = |z|  above e, and  z^2/(2 e) + e/2  below, with e = core m,  m^2 = sum share z^2:
//   dL/dz_j = share_j h'(|z_j|) z_j/|z_j| + core (dL/de) share_j z_j/m,   dL/de = sum below of share (1 - z^2/e^2)/2
Stretch stretch_of(const SlidingPoints& points, const Twist& twist) noexcept {
  Stretch out{0.0, {Vec3::Zero(), Vec3::Zero()}};
  double squares = 0.0;
  for (std::size_t j = 0; j < points.count; ++j) {
    const Vec3 z = deflection(points.points[j], twist);
    squares += points.points[j].share * z.dot(metric(points, points.points[j], z));
  }
  if (!(squares > 0.0)) return out;
  const double m = std::sqrt(squares), e = core * m;
  double below = 0.0;
  Twist mean{Vec3::Zero(), Vec3::Zero()};  // sum share z, for the part of the core
  for (std::size_t j = 0; j < points.count; ++j) {
    const SlidingPoint& p = points.points[j];
    const Vec3 z = deflection(p, twist), Mz = metric(points, p, z);
    const double square = z.dot(Mz), length = std::sqrt(square);
    const bool inner = length < e;
    const double by = p.share * (inner ? 1.0 / e : 1.0 / length);
    out.length += p.share * (inner ? 0.5 * (square / e + e) : length);
    const Vec3 f = by * Mz;
    out.gradient.linear += f, out.gradient.angular += p.x.cross(f);
    if (!inner) continue;
    below += 0.5 * p.share * (1.0 - square / (e * e));
  }
  if (below == 0.0) return out;
  for (std::size_t j = 0; j < points.count; ++j) {
    const SlidingPoint& p = points.points[j];
    const Vec3 z = p.share * metric(points, p, deflection(p, twist));
    mean.linear += z, mean.angular += p.x.cross(z);
  }
  out.gradient = out.gradient + mean * (core * below / m);
  return out;
}

namespace {

// Bends the bristles by `moved` and shortens them.
void bend(const Twist& moved, double by, SurfaceBristles& bristles) noexcept {
  bristles.bent = (bristles.bent + moved) * by;
  bristles.kept *= by, bristles.added = by;
}

// A law without memory, at every point:  f = -share mu N v/sqrt(v^2 + vs^2)
SurfaceFriction drag(const SlidingPoints& points, const SurfaceSlider& slider, const Twist& V) noexcept {
  SurfaceFriction out{{Vec3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  const double vs2 = slider.slip_velocity * slider.slip_velocity;
  for (std::size_t j = 0; j < points.count; ++j) {
    const SlidingPoint& p = points.points[j];
    const Vec3 v = deflection(p, V), f = (-p.share * slider.slip / std::sqrt(v.squaredNorm() + vs2)) * v;
    out.wrench.linear += f, out.wrench.angular += p.x.cross(f);
    out.heat -= f.dot(v);
  }
  return out;
}

Twist viscous_drag(const SlidingPoints& points, double coefficient, const Twist& V) noexcept {
  Twist out{Vec3::Zero(), Vec3::Zero()};
  for (std::size_t j = 0; j < points.count; ++j) {
    const Vec3 f = (-coefficient * points.points[j].share) * deflection(points.points[j], V);
    out.linear += f, out.angular += points.points[j].x.cross(f);
  }
  return out;
}

// The bent bristles as the loads lie now. Loads that move change the length of a twist, and so its energy, without a
// motion of the bodies. It may shrink and grow again, but not beyond the length that motion gave it, so that no energy is
// made, and no vibration lets bristles creep. Returns by how much it is shorter now, m.
double settle(const SlidingPoints& points, SurfaceBristles& bristles) noexcept {
  if (is_zero(bristles.bent)) {
    bristles.stretch = 0.0;
    return 0.0;
  }
  const double length = stretch_of(points, bristles.bent).length;
  if (length <= bristles.stretch * (1.0 + rounding)) return std::max(0.0, bristles.stretch - length);
  bristles.kept = bristles.stretch / length;
  bristles.bent = bristles.bent * bristles.kept;
  return 0.0;
}

// Spring, damper and slider in series, as law::slide, with the length of a twist in place of that of a vector.
SurfaceFriction slide(const SlidingPoints& points, const SurfaceSlider& s, const Twist& V, const Twist& moved, double h,
                      SurfaceBristles& bristles) noexcept {
  const double shorter = settle(points, bristles);
  const double k = s.stiffness, limit = bristles.slipping ? s.slip : s.hold;
  const Twist trial = bristles.bent + moved;
  const Stretch stretch = stretch_of(points, trial);
  if (k * stretch.length <= limit && !(h == 0.0 && bristles.slipping)) {
    bend(moved, 1.0, bristles);
    bristles.stretch = stretch.length + shorter, bristles.slipping = false;
    const double stored = 0.5 * k * stretch.length * stretch.length;
    const double spring = k * stretch.length * stretch.gradient.dot(V);
    if (s.damping == 0.0) return {stretch.gradient * (-k * stretch.length), stored, 0.0};
    const Stretch both = stretch_of(points, trial + V * (s.damping / k));
    const double force = std::min(k * both.length, s.hold);
    return {both.gradient * -force, stored, std::max(0.0, force * both.gradient.dot(V) - spring)};
  }
  const double rest = s.slip / k, keep = stretch.length > 0.0 ? std::min(1.0, rest / stretch.length) : 0.0;
  const double slid = h > 0.0 ? (stretch.length - rest) / h : stretch.gradient.dot(V);
  bend(moved, keep, bristles);
  bristles.stretch = keep * stretch.length, bristles.slipping = true;
  return {stretch.gradient * -s.slip, 0.5 * k * bristles.stretch * bristles.stretch, std::max(0.0, s.slip * slid)};
}

// LuGre, as `lugre` in law/friction.cpp:  z' = (z + h v) g/(g + h k |v|)
SurfaceFriction creep(const SlidingPoints& points, const SurfaceSlider& s, double speed, const Twist& V,
                      const Twist& moved, double h, SurfaceBristles& bristles) noexcept {
  const double k = s.stiffness, g = s.slip;
  SurfaceFriction out{{Vec3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  double cut = 0.0;
  settle(points, bristles);
  if (k * bristles.stretch > s.hold) {
    const double keep = s.hold / (k * bristles.stretch);
    if (h > 0.0) cut = 0.5 * k * bristles.stretch * bristles.stretch * (1.0 - keep * keep) / h;
    bristles.bent = bristles.bent * keep, bristles.kept *= keep, bristles.stretch *= keep;
  }
  bristles.slipping = speed > s.slip_velocity;
  if (!(g > 0.0)) {
    bristles.added = 0.0;
    return {out.wrench, 0.0, cut};
  }
  bend(moved, g / (g + h * k * speed), bristles);
  const Stretch spring = stretch_of(points, bristles.bent);
  bristles.stretch = spring.length;
  const Twist rate = V + bristles.bent * (-speed * k / g);
  const Twist drag = viscous_drag(points, s.viscous, V);
  const auto with_damper = [&](double part) {
    const Stretch both = stretch_of(points, bristles.bent + rate * (part * s.damping / k));
    out.wrench = both.gradient * -std::min(k * both.length, s.hold) + drag;
    return -out.wrench.dot(V) - k * spring.length * spring.gradient.dot(rate);
  };
  double heat = with_damper(1.0);
  if (heat < 0.0) heat = with_damper(0.0);  // the damper must not add power
  out.stored = 0.5 * k * spring.length * spring.length;
  out.heat = cut + std::max(0.0, heat);
  return out;
}

}  // namespace

SurfaceFriction rub(const SlidingPoints& points, const FrictionRow& row, const double* parameters, double normal_force,
                    const Twist& V, const Twist& moved, double h, SurfaceBristles& bristles) noexcept {
  const double speed = stretch_of(points, V).length;
  const SurfaceSlider slider = row.force.on_surface(speed, normal_force, parameters);
  if (!(slider.stiffness > 0.0)) {
    bristles = {{Vec3::Zero(), Vec3::Zero()}, 0.0, false, 0.0, 0.0};
    return slider.slip > 0.0 ? drag(points, slider, V) : SurfaceFriction{bristles.bent, 0.0, 0.0};
  }
  return slider.creeps ? creep(points, slider, speed, V, moved, h, bristles)
                       : slide(points, slider, V, moved, h, bristles);
}

}  // namespace contactlib::step

#include "surface_friction.hpp"

#include <algorithm>
#include <cmath>

#include "eight_sums.hpp"

namespace contactlib::step {

using law::FrictionRow, law::SurfaceSlider;
using math::cross, math::dot, math::greater, math::in_all_lanes, math::in_lanes, math::lanes, math::less, math::load,
    math::root, math::store;

namespace {

// Where a deflection is below this part of the root mean square, its length is replaced by a parabola: at the centre of
// a rotation the direction of friction must not jump, and a few points stand for all of a face. A disc that slides and
// spins keeps Farkas' ratio within 2 % from 0.25 to 0.3; its limit torque is too large by 0.044 core^3 of it.
constexpr double core = 0.3;
// A length that grows by more than rounding without motion is cut back, so that no energy is made.
constexpr double rounding = 1e-12;

bool is_zero(const Twist& twist) noexcept { return twist.linear.isZero(0.0) && twist.angular.isZero(0.0); }

// A twist over points: deflections z, and the metric of z, M z with z.Mz the square of its length.
template <class Lanes>
struct Deflection {
  Lanes3<Lanes> x, n, z, Mz;
  Lanes share, square;

  Deflection(const SlidingPoints& sliding, const Twist& twist, std::size_t i) noexcept
      : x(place<Lanes>(sliding.points, i)),
        n(normal<Lanes>(sliding.points, i)),
        share(load<Lanes>(&sliding.points.share[i])) {
    const Lanes3<Lanes> u = in_all_lanes<Lanes>(twist.linear) + cross(in_all_lanes<Lanes>(twist.angular), x);
    z = u - dot(u, n) * n;
    Mz = z;
    if (sliding.grain != 0.0 || sliding.across2 != 1.0) {
      const Lanes3<Lanes> all = in_all_lanes<Lanes>(sliding.direction), d = all - dot(all, n) * n;
      Mz = Lanes(sliding.across2 - Lanes{}) * z + (sliding.grain * dot(d, z)) * d;
    }
    square = dot(z, Mz);
  }
};

// sum share z^2
struct Squares {
  template <class Lanes>
  static void run(const SlidingPoints* sliding, const Twist* twist, EightSums<1>* out) noexcept {
    for (std::size_t i = 0; i < sliding->points.count; i += lanes<Lanes>) {
      const Deflection<Lanes> at(*sliding, *twist, i);
      add_to<Lanes>(*out, 0, i % 8, Lanes(at.share * at.square));
    }
  }
};

// length, dL/ds, dL/dturn, and sums below the core: share (1 - z^2/e^2)/2,  share Mz,  x cross share Mz
enum : int { length, linear = 1, angular = 4, below = 7, mean_linear = 8, mean_angular = 11, stretch_sums = 14 };
struct Lengths {
  template <class Lanes>
  static void run(const SlidingPoints* sliding, const Twist* twist, double e, EightSums<stretch_sums>* out) noexcept {
    const Lanes core_size = e - Lanes{}, square_of_core = core_size * core_size;
    for (std::size_t i = 0; i < sliding->points.count; i += lanes<Lanes>) {
      const Deflection<Lanes> at(*sliding, *twist, i);
      const Lanes inner = less<Lanes>(at.square, square_of_core),
                  size = root<Lanes>(greater<Lanes>(at.square, square_of_core));
      // |z| outside of the core, and its parabola inside, where `size` is e
      const Lanes half = 0.5 * inner * (size - at.square / size);
      add_to<Lanes>(*out, length, i % 8, Lanes(at.share * (size - half)));
      const Lanes3<Lanes> f = Lanes(at.share / size) * at.Mz;
      add_to<Lanes>(*out, linear, i % 8, f), add_to<Lanes>(*out, angular, i % 8, cross(at.x, f));
      add_to<Lanes>(*out, below, i % 8, Lanes(at.share * half / size));
      const Lanes3<Lanes> m = at.share * at.Mz;
      add_to<Lanes>(*out, mean_linear, i % 8, m), add_to<Lanes>(*out, mean_angular, i % 8, cross(at.x, m));
    }
  }
};

}  // namespace

// |z| stands for  h(z) = |z|  above e, and  z^2/(2 e) + e/2  below, with e = core m,  m^2 = sum share z^2:
//   dL/dz_j = share_j h'(|z_j|) z_j/|z_j| + core (dL/de) share_j z_j/m,   dL/de = sum below of share (1 - z^2/e^2)/2
Stretch stretch_of(const SlidingPoints& points, const Twist& twist) noexcept {
  EightSums<1> squares;
  in_lanes<Squares>(points.points.count, &points, &twist, &squares);
  const double m = std::sqrt(squares.total(0));
  if (!(m > 0.0)) return {0.0, {Vec3::Zero(), Vec3::Zero()}};
  EightSums<stretch_sums> sums;
  in_lanes<Lengths>(points.points.count, &points, &twist, core * m, &sums);
  Stretch out{sums.total(length), {sums.vector(linear), sums.vector(angular)}};
  if (const double inner = sums.total(below); inner != 0.0)
    out.gradient = out.gradient + Twist{sums.vector(mean_linear), sums.vector(mean_angular)} * (core * inner / m);
  return out;
}

namespace {

// Bends the bristles by `moved` and shortens them.
void bend(const Twist& moved, double by, SurfaceBristles& bristles) noexcept {
  bristles.bent = (bristles.bent + moved) * by;
  bristles.kept *= by, bristles.added = by;
}

// A law without memory, at every point:  f = -share mu N v/sqrt(v^2 + vs^2);  or viscous:  f = -share c v
enum : int { drag_linear, drag_angular = 3, drag_heat = 6, drag_sums };
struct Drag {
  template <class Lanes>
  static void run(const SlidingPoints* sliding, const Twist* V, double size, double vs2, bool viscous,
                  EightSums<drag_sums>* out) noexcept {
    const Lanes all = size - Lanes{}, slow = vs2 - Lanes{};
    for (std::size_t i = 0; i < sliding->points.count; i += lanes<Lanes>) {
      const Deflection<Lanes> at(*sliding, *V, i);
      const Lanes by =
          viscous ? Lanes(-at.share * all) : Lanes(-at.share * all / root<Lanes>(Lanes(dot(at.z, at.z) + slow)));
      const Lanes3<Lanes> f = by * at.z;
      add_to<Lanes>(*out, drag_linear, i % 8, f), add_to<Lanes>(*out, drag_angular, i % 8, cross(at.x, f));
      add_to<Lanes>(*out, drag_heat, i % 8, Lanes(-dot(f, at.z)));
    }
  }
};

SurfaceFriction drag(const SlidingPoints& points, double size, double vs, bool viscous, const Twist& V) noexcept {
  EightSums<drag_sums> sums;
  in_lanes<Drag>(points.points.count, &points, &V, size, vs * vs, viscous, &sums);
  return {{sums.vector(drag_linear), sums.vector(drag_angular)}, 0.0, sums.total(drag_heat)};
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
  const Twist viscous = drag(points, s.viscous, 0.0, true, V).wrench;
  const auto with_damper = [&](double part) {
    const Stretch both = stretch_of(points, bristles.bent + rate * (part * s.damping / k));
    out.wrench = both.gradient * -std::min(k * both.length, s.hold) + viscous;
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
  const double speed = row.force.needs_speed ? stretch_of(points, V).length : 0.0;
  const SurfaceSlider slider = row.force.on_surface(speed, normal_force, parameters);
  if (!(slider.stiffness > 0.0)) {
    bristles = {{Vec3::Zero(), Vec3::Zero()}, 0.0, false, 0.0, 0.0};
    return slider.slip > 0.0 ? drag(points, slider.slip, slider.slip_velocity, false, V)
                             : SurfaceFriction{bristles.bent, 0.0, 0.0};
  }
  return slider.creeps ? creep(points, slider, speed, V, moved, h, bristles)
                       : slide(points, slider, V, moved, h, bristles);
}

}  // namespace contactlib::step

// Sphere and capsule against a cylinder: its ends and its side as faces, their rims as edges.
#include "cylinder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rim.hpp"
#include "through.hpp"

namespace contactlib::geometry {

namespace {

struct Cylinder {
  double R, half;  // m

  explicit Cylinder(const Shape& B) noexcept : R(B.size[0]), half(0.5 * B.size[1]) {}
};

double across(const Vec3& v) noexcept { return std::sqrt(v[0] * v[0] + v[1] * v[1]); }

// Whether the axis cannot come within r: all of it is beyond an end, or its line is too far from the cylinder's axis,
//   distance |Q x d|_z / |d x z|
bool misses(const Sweep& sweep, const Cylinder& solid, double r) noexcept {
  const double z0 = sweep.Q0_B[2], z1 = sweep.Q1_B[2], reach = solid.half + r, wide = solid.R + r;
  if (std::min(z0, z1) >= reach || std::max(z0, z1) <= -reach) return true;
  const double d0 = sweep.d_B[0], d1 = sweep.d_B[1], apart = sweep.Q0_B[0] * d1 - sweep.Q0_B[1] * d0;
  return apart * apart > wide * wide * (d0 * d0 + d1 * d1) * (1.0 + 1e-12);
}

// The body on the side, as on a capsule. Returns the s of its foot, which suppresses ends near it; -inf if there is
// none.
double add_side(Manifold& out, const Sweep& sweep, const Cylinder& solid) noexcept {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const Vec3 &Q = sweep.Q0_B, &d = sweep.d_B;
  const double span2 = d[0] * d[0] + d[1] * d[1], s = -(Q[0] * d[0] + Q[1] * d[1]) / span2;
  if (!(span2 > 1e-24 && s > 0.0 && s < sweep.length && std::abs(Q[2] + s * d[2]) < solid.half)) return none;
  // F - E = n (Q.n), n = (-d1, d0)/|d|
  const double span = std::sqrt(span2);
  const Vec3 n(-d[1] / span, d[0] / span, 0.0);
  const double apart = Q.dot(n), distance = std::abs(apart);
  if (!(distance < sweep.r + solid.R)) return none;
  if (solid.R - distance > solid.half - std::abs(Q[2] + s * d[2])) return none;  // inside, and an end is nearer
  sweep.add(out, s, apart < 0.0 ? Vec3(-n) : n, distance - solid.R, side_feature);
  return s;
}

void add_cylinder_end(Manifold& out, const Sweep& sweep, const Cylinder& solid, int i, double side) noexcept {
  const Nearest nearest = nearest_on_cylinder(solid.R, solid.half, i == 0 ? sweep.Q0_B : sweep.Q1_B);
  const double s = i == 0 ? 0.0 : sweep.length;
  const bool on_side = nearest.on_face && nearest.g_B[2] == 0.0;
  if (on_side && std::abs(s - side) < sweep.r + solid.R) return;
  add_end(out, sweep, i, nearest);
}

// The body against one point E of the rim; `up` z is the outward normal of its end.
void add_rim_point(Manifold& out, const Sweep& sweep, const Cylinder& solid, const Vec3& E, double up,
                   int feature) noexcept {
  const double s = (E - sweep.Q0_B).dot(sweep.d_B);
  if (!(s > 0.0 && s < sweep.length)) return;
  const Vec3 F = sweep.at(s), EF = F - E, e = Vec3(E[0], E[1], 0.0) / solid.R;
  const double squared = EF.squaredNorm();
  if (squared >= sweep.r * sweep.r) return;
  const double u = EF.dot(e), v = up * EF[2];
  const bool outside = u + v > 0.0;
  const bool inside = u <= 0.0 && v <= 0.0 && u >= -2.0 * solid.R && up * F[2] >= 0.0;
  if (!outside && !inside) return;

  // F - E over its length, or what is across the rim and the axis: whichever keeps more digits
  const double distance = std::sqrt(squared);
  const Vec3 n = Vec3(-e[1], e[0], 0.0).cross(sweep.d_B);
  const double sine = n.norm();
  const bool across = sine * solid.R > distance;
  const Vec3 g = across ? Vec3(n / std::copysign(sine, n.dot(e) + up * n[2]))
                        : (distance > 0.0 ? Vec3(EF * ((outside ? 1.0 : -1.0) / distance)) : Vec3(0.0, 0.0, up));
  sweep.add(out, s, g, outside ? distance : -distance, feature);
}

// Every local minimum of the distance between a rim and the axis.
void add_rim(Manifold& out, const Sweep& sweep, const Cylinder& solid, int end) noexcept {
  const double up = end == 0 ? -1.0 : 1.0, z = up * solid.half;
  const auto [low, high] = std::minmax(sweep.Q0_B[2], sweep.Q1_B[2]);
  if (z + sweep.r < low || z - sweep.r > high) return;
  const RimMinima minima = rim_line_exact(solid.R, sweep.Q0_B - Vec3(0.0, 0.0, z), sweep.d_B);
  for (int i = 0; i < minima.count; ++i)
    add_rim_point(out, sweep, solid, minima.E[i] + Vec3(0.0, 0.0, z), up, rim_feature + 2 * end + i);
}

// phi = max(rho - R, |z| - half) inside is convex along the axis: least at an end, at the minimum of one term, or where
// both are equal,
//   rho^2 = (R - half +- z)^2
void add_axis(Manifold& out, const Sweep& sweep, const Cylinder& solid) noexcept {
  const Vec3 &Q = sweep.Q0_B, &d = sweep.d_B;
  const auto nearest = [&](const Vec3& p) noexcept { return nearest_on_cylinder(solid.R, solid.half, p); };
  Deepest<decltype(nearest)> deepest{sweep, nearest, 0.0, sweep.length};
  const double span2 = d[0] * d[0] + d[1] * d[1], lean = Q[0] * d[0] + Q[1] * d[1];
  deepest.evaluate(0.0);
  deepest.evaluate(sweep.length);
  deepest.evaluate(-Q[2] / d[2]);
  deepest.evaluate(-lean / span2);
  for (const double sign : {-1.0, 1.0}) {
    const double a = solid.R - solid.half + sign * Q[2], b = sign * d[2];
    const double A = span2 - b * b, B = lean - a * b, C = Q[0] * Q[0] + Q[1] * Q[1] - a * a;
    const double q = -(B + std::copysign(std::sqrt(std::max(0.0, B * B - A * C)), B));
    deepest.evaluate(q / A);
    deepest.evaluate(C / q);
  }
  if (deepest.phi < 0.0) add_through(out, sweep, deepest.best, nearest_exit(sweep, nearest, deepest.best));
}

}  // namespace

Nearest nearest_on_cylinder(double radius, double half, const Vec3& p) noexcept {
  const double rho = across(p), out = rho - radius, over = std::abs(p[2]) - half;
  const Vec3 up(0.0, 0.0, p[2] < 0.0 ? -1.0 : 1.0);
  const Vec3 e = rho > 0.0 ? Vec3(p[0] / rho, p[1] / rho, 0.0) : Vec3(1.0, 0.0, 0.0);
  if (out > 0.0 && over > 0.0) {
    const double phi = std::sqrt(out * out + over * over);
    return {phi, (out * e + over * up) / phi, false};
  }
  return out > over ? Nearest{out, e, true} : Nearest{over, up, true};
}

void sphere_cylinder(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Cylinder solid(B);
  add_centre(out, A.size[0], X, nearest_on_cylinder(solid.R, solid.half, centre(X)));
}

void capsule_cylinder(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  const Cylinder solid(B);
  if (misses(capsule, solid, capsule.r)) return;
  const double side = add_side(out, capsule, solid);
  for (const int i : {0, 1}) add_cylinder_end(out, capsule, solid, i, side);
  for (const int end : {0, 1}) add_rim(out, capsule, solid, end);
  if (!misses(capsule, solid, 0.0)) add_axis(out, capsule, solid);
}

}  // namespace contactlib::geometry

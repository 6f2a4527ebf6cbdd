#include "ray.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/sweep/box.hpp"
#include "geometry/sweep/polyhedron.hpp"
#include "mesh.hpp"

namespace contactlib::geometry {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The interval of the ray inside a convex solid, reduced by each of its surfaces.
struct Stretch {
  double in = -infinity, out = infinity;
  int in_feature = -1, out_feature = -1;

  bool empty() const noexcept { return !(in <= out); }
  bool contains(double t) const noexcept { return in < t && t < out; }

  void enter(double t, int feature) noexcept {
    if (t > in) in = t, in_feature = feature;
  }
  void leave(double t, int feature) noexcept {
    if (t < out) out = t, out_feature = feature;
  }
  void miss() noexcept { in = infinity, out = -infinity; }

  // Reduces to the part below a plane; the ray's start is `height` above it, and `rate` is its slope.
  void below(double height, double rate, int feature) noexcept {
    if (rate < 0.0) enter(-height / rate, feature);
    if (rate > 0.0) leave(-height / rate, feature);
    if (rate == 0.0 && height > 0.0) miss();
  }

  // Reduces to |p + t d| <= r, in two or three dimensions. With e = d/|d| and q the part of p across e:
  //   |d| t = -p.e -+ sqrt(r^2 - |q|^2)
  template <class Vector>
  void within(const Vector& p, const Vector& d, double r, int feature) noexcept {
    const double speed = d.norm();
    if (speed == 0.0) {
      if (p.squaredNorm() > r * r) miss();
      return;
    }
    const Vector e = d / speed;
    const double middle = -p.dot(e);
    const double square = r * r - (p + middle * e).squaredNorm();
    if (!(square >= 0.0)) return miss();
    const double half = std::sqrt(square);
    enter((middle - half) / speed, feature);
    leave((middle + half) / speed, feature);
  }
};

using Vec2 = Eigen::Matrix<double, 2, 1>;

struct Ray {
  Vec3 p, d;
  double longest;

  Vec3 at(double t) const noexcept { return p + t * d; }
  Vec2 p_across() const noexcept { return p.head<2>(); }
  Vec2 d_across() const noexcept { return d.head<2>(); }

  RayHit started_inside() const noexcept { return {0.0 <= longest, 0.0, -d, -1}; }

  RayHit hit(double t, const Vec3& n, int feature) const noexcept {
    return t <= longest ? RayHit{true, t, n, feature} : RayHit{};
  }

  // `normal` returns the outward normal at a point of the feature that was entered.
  template <class Normal>
  RayHit first(const Stretch& stretch, const Normal& normal) const noexcept {
    if (stretch.empty() || stretch.out < 0.0) return {};
    if (stretch.in < 0.0) return started_inside();
    return hit(stretch.in, normal(at(stretch.in), stretch.in_feature), stretch.in_feature);
  }
};

// The nearer of two hits on parts of one solid.
RayHit nearer(const RayHit& a, const RayHit& b) noexcept {
  return a.hit && (!b.hit || a.distance <= b.distance) ? a : b;
}

Vec3 outward(const Vec3& radial) noexcept {
  const double length = radial.norm();
  return length > 0.0 ? Vec3(radial / length) : Vec3(Vec3::UnitX());
}

Vec3 across_z(const Vec3& x) noexcept { return outward(Vec3(x[0], x[1], 0.0)); }

RayHit on_ball(const Ray& ray, double z, double r, int feature) noexcept {
  const Vec3 centre(0.0, 0.0, z);
  Stretch stretch;
  stretch.within(Vec3(ray.p - centre), ray.d, r, feature);
  return ray.first(stretch, [&](const Vec3& x, int) noexcept { return outward(x - centre); });
}

// In the axes where it is the unit ball; t is unchanged.
RayHit on_ellipsoid(const Ray& ray, const double* size) noexcept {
  const Vec3 semi(size[0], size[1], size[2]);
  Stretch stretch;
  stretch.within(Vec3(ray.p.cwiseQuotient(semi)), Vec3(ray.d.cwiseQuotient(semi)), 1.0, 0);
  const auto normal = [&](const Vec3& x, int) noexcept { return outward(x.cwiseQuotient(semi).cwiseQuotient(semi)); };
  return ray.first(stretch, normal);
}

enum Ends { low_end, high_end, side };

Vec3 normal_of_end(const Vec3& x, int feature) noexcept {
  return feature == side ? across_z(x) : Vec3(0.0, 0.0, feature == high_end ? 1.0 : -1.0);
}

Stretch in_cylinder(const Ray& ray, double r, double length) noexcept {
  Stretch stretch;
  stretch.within(ray.p_across(), ray.d_across(), r, side);
  stretch.below(-0.5 * length - ray.p[2], -ray.d[2], low_end);
  stretch.below(ray.p[2] - 0.5 * length, ray.d[2], high_end);
  return stretch;
}

RayHit on_cylinder(const Ray& ray, const double* size) noexcept {
  return ray.first(in_cylinder(ray, size[0], size[1]), normal_of_end);
}

// The ends of its cylinder lie inside the balls, so a ray never meets them first.
RayHit on_capsule(const Ray& ray, const double* size) noexcept {
  const double r = size[0], half = 0.5 * size[1];
  const RayHit ends = nearer(on_ball(ray, -half, r, low_end), on_ball(ray, half, r, high_end));
  const Stretch body = in_cylinder(ray, r, size[1]);
  return body.in < 0.0 || body.in_feature == side ? nearer(ends, ray.first(body, normal_of_end)) : ends;
}

// The distance of the ray's points to the core of a rounded solid is a convex function f of t. So Newton's method from
// before the solid approaches the first t with f = r from below, without passing it:
//   t' = t + (f - r)/(-f'),   f' = g.d,   g: the outward direction of the distance
template <class NearestOnCore>
RayHit on_rounded(const Ray& ray, double r, const NearestOnCore& nearest_on_core) noexcept {
  constexpr int max_steps = 200;
  double t = 0.0;
  for (int i = 0; i < max_steps; ++i) {
    const Vec3 x = ray.at(t);
    const Nearest at = nearest_on_core(x);
    const double above = at.phi - r, rate = at.g_B.dot(ray.d);
    if (i == 0 && above < 0.0) return ray.started_inside();
    if (above <= 1e-15 * (r + x.norm())) return ray.hit(t, at.g_B, 0);
    if (!(rate < 0.0)) return {};
    const double next = t - above / rate;
    if (!(next > t)) return ray.hit(t, at.g_B, 0);
    t = next;
    if (t > ray.longest) return {};
  }
  return {};
}

Stretch in_box(const Ray& ray, const Vec3& low, const Vec3& high) noexcept {
  Stretch stretch;
  for (int k = 0; k < 3; ++k) {
    stretch.below(low[k] - ray.p[k], -ray.d[k], 2 * k);
    stretch.below(ray.p[k] - high[k], ray.d[k], 2 * k + 1);
  }
  return stretch;
}

Vec3 normal_of_face(const Vec3&, int feature) noexcept { return Vec3::Unit(feature / 2) * (feature % 2 ? 1.0 : -1.0); }

RayHit on_box(const Ray& ray, const double* size) noexcept {
  const Vec3 half = 0.5 * Vec3(size[0], size[1], size[2]);
  if (size[3] > 0.0) {
    const BoxSolid core{Vec3::Zero(), half};
    return on_rounded(ray, size[3], [&core](const Vec3& x) noexcept { return nearest_on_box(core, x); });
  }
  return ray.first(in_box(ray, -half, half), normal_of_face);
}

enum SocketFeature { top_face = 5, wall, cap };

// The hole continues above the mouth: this volume is convex, a ball swept upwards.
Stretch in_hole(const Ray& ray, double R, double h) noexcept {
  Stretch shaft, ball;
  shaft.within(ray.p_across(), ray.d_across(), R, wall);
  shaft.below(-h - ray.p[2], -ray.d[2], cap);
  ball.within(Vec3(ray.p + Vec3(0.0, 0.0, h)), ray.d, R, cap);
  if (shaft.empty() || ball.empty()) return shaft.empty() ? ball : shaft;
  if (ball.in < shaft.in) shaft.in = ball.in;
  if (ball.out > shaft.out) shaft.out = ball.out, shaft.out_feature = cap;
  return shaft;
}

// A box minus the hole. A ray that enters the box through the mouth, or starts in the hole, hits where it leaves the
// hole, unless this point is outside the box.
RayHit on_socket(const Ray& ray, const double* size) noexcept {
  const double R = size[3], h = size[4];
  const Vec3 half = 0.5 * Vec3(size[0], size[1], 0.0);
  const Stretch box = in_box(ray, -half - Vec3(0.0, 0.0, size[2]), half);
  if (box.empty() || box.out < 0.0) return {};
  if (box.in < 0.0 || box.in_feature == top_face) {
    const Stretch hole = in_hole(ray, R, h);
    if (!hole.empty() && hole.contains(std::max(box.in, 0.0))) {
      if (hole.out > box.out) return {};
      const Vec3 x = ray.at(hole.out);
      const Vec3 n = hole.out_feature == wall ? across_z(x) : outward(x + Vec3(0.0, 0.0, h));
      return ray.hit(hole.out, -n, hole.out_feature);
    }
  }
  return ray.first(box, normal_of_face);
}

RayHit on_polyhedron(const Ray& ray, double rounding, const Surface& surface) noexcept {
  if (rounding > 0.0)
    return on_rounded(ray, rounding, [&surface](const Vec3& x) noexcept {
      Nearest nearest{};
      nearest_on_polyhedron(surface, x, infinity, nearest);
      return nearest;
    });
  Stretch stretch;
  int feature = 0;
  for (const Face& face : surface.faces) stretch.below(face.n.dot(ray.p) - face.d, face.n.dot(ray.d), feature++);
  return ray.first(stretch, [&](const Vec3&, int entered) noexcept { return surface.faces[entered].n; });
}

RayHit on_triangle(const Ray& ray, const double* size) noexcept {
  const Vec3 a(size[0], size[1], size[2]), b(size[3], size[4], size[5]), c(size[6], size[7], size[8]);
  const RayCrossing crossing = Shear(ray.p, ray.d).crossing(a, b, c);
  if (crossing.turn == 0 || crossing.t < 0.0) return {};
  const Vec3 n = outward((b - a).cross(c - a));
  return crossing.turn < 0 ? ray.hit(crossing.t, n, 0) : ray.hit(crossing.t, -n, 1);
}

RayHit on_plane(const Ray& ray) noexcept {
  Stretch stretch;
  stretch.below(ray.p[2], ray.d[2], 0);
  return ray.first(stretch, [](const Vec3&, int) noexcept { return Vec3(Vec3::UnitZ()); });
}

RayHit on_mesh(const Ray& ray, const Surface& surface) noexcept {
  const MeshCrossing found = cross_mesh(surface, ray.p, ray.d, ray.longest);
  if (found.inside) return ray.started_inside();
  return found.face < 0 ? RayHit{} : ray.hit(found.t, surface.faces[found.face].n, found.face);
}

}  // namespace

RayHit cast_ray(const Shape& shape, const Vec3& p_S, const Vec3& d_S, double longest) noexcept {
  if (!p_S.allFinite() || !d_S.allFinite()) return {};
  const Ray ray{p_S, d_S, longest};
  switch (shape.kind) {
    case ShapeKind::sphere: return on_ball(ray, 0.0, shape.size[0], 0);
    case ShapeKind::capsule: return on_capsule(ray, shape.size);
    case ShapeKind::triangle: return on_triangle(ray, shape.size);
    case ShapeKind::ellipsoid: return on_ellipsoid(ray, shape.size);
    case ShapeKind::box: return on_box(ray, shape.size);
    case ShapeKind::cylinder: return on_cylinder(ray, shape.size);
    case ShapeKind::polyhedron: return on_polyhedron(ray, swept_radius(shape), *shape.surface);
    case ShapeKind::socket: return on_socket(ray, shape.size);
    case ShapeKind::mesh: return on_mesh(ray, *shape.surface);
    case ShapeKind::plane: return on_plane(ray);
    case ShapeKind::point:
    case ShapeKind::segment: break;
  }
  return {};
}

}  // namespace contactlib::geometry

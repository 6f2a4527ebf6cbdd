// Extent fields of round solids, in their own axes, over polygons; and their cores, for when they are deep.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/overlap/shape_pair.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// The extent at a point, and how it falls: by `slope` along the unit vector n.
struct Extent {
  double e;  // m
  Vec3 n;
  double slope;
};

// (r^2 - x^2)/(2 r)
inline Extent in_ball(const Vec3& x, double r) noexcept {
  const double rho = x.norm();
  return {0.5 * (r * r - rho * rho) / r, rho > 0.0 ? Vec3(x / rho) : Vec3(Vec3::UnitZ()), rho / r};
}

// Of radius r and length l; n of `reference`.
struct CapsuleField {
  static constexpr bool quadratic = true;  // e is r/2 times the function that is positive inside
  static constexpr int degree = 2;
  static constexpr bool high = false;
  static constexpr double on_border = 0.0;
  double r, l;

  Vec3 half() const noexcept { return {r, r, 0.5 * l + r}; }
  Extent at(const Vec3& x) const noexcept {
    return in_ball({x[0], x[1], x[2] - std::clamp(x[2], -0.5 * l, 0.5 * l)}, r);
  }
};

// e = (1 - Y) sqrt(Y)/(2 N) with Y = x.g, g = x/s^2 by components and N = |g|: as of a ball where the semi-axes s are
// equal, with the slope 1 on the surface.
struct EllipsoidField {
  static constexpr bool quadratic = false;
  static constexpr int degree = 2;  // of e along a line, nearly
  static constexpr bool high = false;
  static constexpr double on_border = 0.0;
  Vec3 s;

  Vec3 half() const noexcept { return s; }
  Extent at(const Vec3& x) const noexcept {
    const Vec3 by = s.cwiseProduct(s).cwiseInverse(), g = x.cwiseProduct(by);
    const double Y = x.dot(g), N = g.norm(), y = std::sqrt(Y);
    if (!(N > 0.0)) return {0.5 * s.minCoeff(), Vec3::UnitZ(), 0.0};
    const double e = 0.5 * (1.0 - Y) * y / N;
    const Vec3 fall = (y - 0.5 * (1.0 - Y) / y) / N * g + e / (N * N) * g.cwiseProduct(by);
    const double slope = fall.norm();
    return {e, slope > 0.0 ? Vec3(fall / slope) : Vec3(Vec3::UnitZ()), slope};
  }
};

// Around an edge through v along the unit vector t, or with t = 0 around the corner v: r less the distance.
struct RoundingField {
  static constexpr bool quadratic = false;
  static constexpr int degree = 4;  // near the edge; with 2, errors of the depth are up to 1e-4 instead of 1e-7
  static constexpr bool high = true;  // many chords: where a corner of the polygon comes in, e^p has a kink
  static constexpr double on_border = 1e-9;  // a wall of a face meets the border of its edge in a corner
  Vec3 v, t;
  double r;

  Vec3 away(const Vec3& x) const noexcept { return x - v - t.dot(x - v) * t; }
  Extent at(const Vec3& x) const noexcept {
    const Vec3 w = away(x);
    const double rho = w.norm();
    return {r - rho, rho > 0.0 ? Vec3(w / rho) : Vec3(Vec3::UnitZ()), rho > 0.0 ? 1.0 : 0.0};
  }
};

// The references on a flat mesh, exact up to terms of d/(2 r): with the field above, a ball of radius r at the depth d has
// int e^p dA = 2 pi r/(p+1) d^(p+1), and a line of the length l has l sqrt(2 r) d^(p+1/2) int (1 - t^2)^p dt.
Reference ball_reference(double r, int p) noexcept;
Reference capsule_reference(double r, double l, int p) noexcept;

// Adds what the field has of the polygon in out.polygon[0]. With `disc` > 0, only the part within this radius about the
// origin of the plane.
void add_polygon(const CapsuleField& field, const PolygonPlane& plane, int count, SurfaceScratch& out,
                 double disc = 0.0) noexcept;
void add_polygon(const EllipsoidField& field, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept;
// Of the convex polygon in out.polygon[from].
void add_polygon(const RoundingField& field, const PolygonPlane& plane, int from, int count,
                 SurfaceScratch& out) noexcept;

// The core: points of a round solid with parts of `area`, which are in contact once they are within `reach` of the mesh or
// in it. Their extents are  reach - phi,  phi the signed distance to the mesh. It takes over when the solid is so deep
// that less and less of the mesh's surface is inside it: with the area of the whole solid, and half of its least radius
// as the reach, the depth of a ball on a flat mesh grows as far as it is swallowed and beyond, like d within 10 %.
struct Core {
  static constexpr int most = 16;
  Vec3 at[most];  // m, in the solid's axes
  int count = 0;
  double area = 0.0;  // m2, of all
  double reach = 0.0;  // m

  void add_line(double half) noexcept {
    const int points = half > 0.0 ? std::clamp(static_cast<int>(math::ceil(2.0 * half / reach)), 2, most) : 1;
    for (int i = 0; i < points; ++i) at[count++] = {0.0, 0.0, half * ((2 * i + 1.0) / points - 1.0)};
  }
  void add_ring(double radius) noexcept {
    constexpr double x[] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5}, y[] = {0.0, 1.0, 1.0, 0.0, -1.0, -1.0};
    for (int i = 0; i < 6; ++i) at[count++] = {radius * x[i], radius * y[i] * 0.86602540378443865, 0.0};
  }
  // Adds a point with this extent. The nearest place of the other surface is along n.
  void add(int i, double extent, const Vec3& n, SurfaceScratch& out) const noexcept {
    if (extent > 0.0) outline_line(at[i], at[i] + (reach - extent) * n, out);
    add_point(at[i], extent, area / count, -n, n, 1.0, out);
  }
};

Core capsule_core(double r, double l) noexcept;

// Whether the other surface is so near to the core, or so far around it, that the core may be in contact.
bool may_touch(const Core& core, const SurfaceScratch& out) noexcept;

// Adds the core against a solid with a surface of faces.
void add_core(const Core& core, const ShapePair& m, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

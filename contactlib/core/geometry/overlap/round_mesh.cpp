#include "round_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curved_region.hpp"
#include "cylinder.hpp"
#include "gauss.hpp"
#include "geometry/surface/nearest.hpp"
#include "math/elementary.hpp"
#include "meeting.hpp"
#include "polygon_cut.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846, endless = std::numeric_limits<double>::infinity();

double dot2(const Vec3& a, const Vec3& b) noexcept { return a[0] * b[0] + a[1] * b[1]; }

// The extent at a point, and how it falls: by `slope` along the unit vector n.
struct Extent {
  double e;  // m
  Vec3 n;
  double slope;
};

// (r^2 - x^2)/(2 r)
Extent in_ball(const Vec3& x, double r) noexcept {
  const double rho = x.norm();
  return {0.5 * (r * r - rho * rho) / r, rho > 0.0 ? Vec3(x / rho) : Vec3(Vec3::UnitZ()), rho / r};
}

// Of radius r and length l; n of `seat`.
struct CapsuleField {
  static constexpr bool quadratic = true;  // e is r/2 times the function that is positive inside
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

// int (1 - t^2)^p dt over -1..1
double line_factor(int p) noexcept {
  double factor = 2.0;
  for (int k = 1; k <= p; ++k) factor *= 2.0 * k / (2.0 * k + 1.0);
  return factor;
}

// The seats on a flat mesh, exact up to terms of d/(2 r): with the field above, a ball of radius r at the depth d has
// int e^p dA = 2 pi r/(p+1) d^(p+1), and a line of the length l l sqrt(2 r) line_factor d^(p+1/2).
Seat ball_seat(double r, int p) noexcept { return {0.0, 0.0, 2.0 * pi * r / (p + 1)}; }
Seat capsule_seat(double r, double l, int p) noexcept {
  return {0.0, l * std::sqrt(2.0 * r) * line_factor(p), ball_seat(r, p).ball};
}

// A chord with the half length w, along which  e = k (w^2 - t^2).  With q = p - 1,
//   int e^q dt = k^q w^(2q+1) line_factor(q),  int e^q t^2 dt/int e^q dt = w^2/(2q+3)
// As the force on a part is linear in x, two points have the force and the moment of all.
void add_whole_chord(const CapsuleField& field, const PolygonPlane& plane, const Chord& chord, double k,
                     SurfaceScratch& out) noexcept {
  const int q = out.sharpness - 1;
  const double w = 0.5 * (chord.b - chord.a), middle = 0.5 * (chord.a + chord.b), deepest = k * w * w / extent_unit;
  const double area = w * chord.width * plane.unit_area;  // of each half
  const double half = 0.5 * area * power(deepest, q) * line_factor(q), offset = w / std::sqrt(2.0 * q + 3.0);
  const double powers = 0.5 * area * power(deepest, q + 1) * line_factor(q + 1);
  for (const double u : {middle - offset, middle + offset}) {
    const Vec3 x = plane.o + u * plane.t_u + chord.v * plane.t_v;
    const Extent extent = field.at(x);
    add_part(x, {area, deepest, powers, half * extent.slope}, plane.n, extent.n, out);
  }
}

// What the field has of the polygon in out.polygon[from], where `inside` is positive.
template <class Field>
void add_region(const Field& field, const PolygonPlane& plane, int from, int count, const Quadratic& inside,
                SurfaceScratch& out) noexcept {
  const CurvedRegion region{out.polygon[from].data(), count, {inside, {}}, 1, false, {}, {}};
  const GaussRule& rule = gauss_of_degree(2 * out.sharpness);
  for_each_chord(region, vanishing_rule(out.sharpness), [&](const Chord& chord) noexcept {
    const double length = chord.b - chord.a;
    if constexpr (Field::quadratic) {
      if (chord.whole) return add_whole_chord(field, plane, chord, -0.5 * field.r * inside.uu, out);
    }
    for (int i = 0; i < rule.count; ++i) {
      const Vec3 x = plane.o + (chord.a + rule.at[i] * length) * plane.t_u + chord.v * plane.t_v;
      const Extent extent = field.at(x);
      add_point(x, extent.e, rule.weight[i] * length * chord.width * plane.unit_area, plane.n, extent.n, extent.slope,
                out);
    }
  });
}

// 1 - x.Sx on the plane, S a diagonal
Quadratic quadratic_on(const PolygonPlane& plane, const Vec3& o, const Vec3& S) noexcept {
  const Vec3 So = S.cwiseProduct(o), Su = S.cwiseProduct(plane.t_u), Sv = S.cwiseProduct(plane.t_v);
  return {1.0 - o.dot(So),       -2.0 * plane.t_u.dot(So), -2.0 * plane.t_v.dot(So),
          -plane.t_u.dot(Su), -2.0 * plane.t_u.dot(Sv), -plane.t_v.dot(Sv)};
}

int keep_positive(const Slope& slope, int from, int count, int to, SurfaceScratch& out) noexcept {
  double* const heights = out.heights.data();
  for (int i = 0; i < count; ++i) heights[i] = slope.at(out.polygon[from][i]);
  return cut(out.polygon[from].data(), heights, count, out.polygon[to].data());
}

void add_polygon(const EllipsoidField& field, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  add_region(field, plane, 0, count, quadratic_on(plane, plane.o, field.s.cwiseProduct(field.s).cwiseInverse()), out);
}

// The polygon in out.polygon[0] with u across the capsule, so that most chords are whole.
PolygonPlane turned(const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  const Vec3 along = Vec3::UnitZ() - plane.n[2] * plane.n;
  const Vec3 t_v = along.squaredNorm() > 1e-6 ? Vec3(along.normalized()) : Vec3(plane.t_v.normalized());
  const Vec3 t_u = t_v.cross(plane.n);
  const double uu = t_u.dot(plane.t_u), uv = t_u.dot(plane.t_v), vu = t_v.dot(plane.t_u), vv = t_v.dot(plane.t_v);
  for (int i = 0; i < count; ++i) {
    Corner& x = out.polygon[0][i];
    x = {uu * x.u + uv * x.v, vu * x.u + vv * x.v, 0.0};
  }
  return {plane.o, t_u, t_v, plane.n, 0.0, 0.0, 1.0};
}

// The parts beside the two ends and between them.
void add_polygon(const CapsuleField& field, const PolygonPlane& given, int corners, SurfaceScratch& out) noexcept {
  const double by = 1.0 / (field.r * field.r), h = 0.5 * field.l;
  if (std::abs(given.n.dot(given.o)) - h * std::abs(given.n[2]) >= field.r) return;
  const PolygonPlane plane = turned(given, corners, out);
  const Slope z{plane.o[2], plane.t_u[2], plane.t_v[2]};
  for (const double sign : {1.0, -1.0}) {
    if (std::abs(plane.n.dot(plane.o) - sign * h * plane.n[2]) >= field.r) continue;
    const int count = keep_positive({sign * z.c - h, sign * z.du, sign * z.dv}, 0, corners, 1, out);
    if (count < 3) continue;
    const Vec3 o = plane.o - sign * h * Vec3::UnitZ();
    add_region(field, plane, 1, count, quadratic_on(plane, o, Vec3::Constant(by)), out);
  }
  int count = keep_positive({h - z.c, -z.du, -z.dv}, 0, corners, 1, out);
  if (count > 2) count = keep_positive({h + z.c, z.du, z.dv}, 1, count, 2, out);
  if (count > 2) add_region(field, plane, 2, count, quadratic_on(plane, plane.o, Vec3(by, by, 0.0)), out);
}

struct CylinderField {
  double r, h;
  Vec3 half() const noexcept { return {r, r, h}; }
};

void add_polygon(const CylinderField& field, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  add_in_cylinder(field.r, field.h, plane, count, 0.0, out);
}

// The facets of the mesh that reach into the box around the solid.
template <class Field>
void add_facets(const Field& field, const Meeting& m, SurfaceScratch& out) noexcept {
  const Vec3 half = field.half();
  const Mat3 spread = m.R.cwiseAbs();
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 middle = m.R * (0.5 * (Vec3(node.low) + Vec3(node.high))) + m.p;
    const Vec3 reach = spread * (0.5 * (Vec3(node.high) - Vec3(node.low))) + half;
    return (middle.cwiseAbs().array() <= reach.array()).all();
  };
  for_each_facet(*m.surface.surface, meets, [&](const Facet& facet) noexcept {
    const PolygonPlane plane = place_triangle(m, facet.corner, facet.n, out);
    const Vec3 a = plane.o - 0.5 * (plane.t_u + plane.t_v), b = a + plane.t_u, c = a + plane.t_v;
    if ((a.cwiseMin(b).cwiseMin(c).array() > half.array()).any()) return;
    if ((a.cwiseMax(b).cwiseMax(c).array() < -half.array()).any()) return;
    add_polygon(field, plane, 3, out);
  });
}

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
    const int points = half > 0.0 ? std::clamp(static_cast<int>(std::ceil(2.0 * half / reach)), 2, most) : 1;
    for (int i = 0; i < points; ++i) at[count++] = {0.0, 0.0, half * ((2 * i + 1.0) / points - 1.0)};
  }
  void add_ring(double radius) noexcept {
    constexpr double x[] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5}, y[] = {0.0, 1.0, 1.0, 0.0, -1.0, -1.0};
    for (int i = 0; i < 6; ++i) at[count++] = {radius * x[i], radius * y[i] * 0.86602540378443865, 0.0};
  }
};

void add_core(const Core& core, const Meeting& m, SurfaceScratch& out) noexcept {
  const double deepest = out.sums.deepest * extent_unit;
  // as long as the surface of the mesh is further from the core than its reach, 3/4 of the radius bounds the extents
  if (out.needed > 0 && deepest < 0.74 * core.reach) return;
  const double within = out.needed > 0 ? core.reach : endless;
  for (int i = 0; i < core.count; ++i) {
    Place place;
    if (!nearest_place(*m.surface.surface, m.R.transpose() * (core.at[i] - m.p), within, place)) continue;
    const Vec3 n = -(m.R * place.g);
    add_point(core.at[i], core.reach - place.phi, core.area / core.count, -n, n, 1.0, out);
  }
}

Meeting meet(const Shape& A, const Shape& B, const Placement& X, const Seat& seat, SurfaceScratch& out) noexcept {
  const Meeting m = meeting_of(A, B, X, true, seat, out);
  out.frame.sheet = out.frame.sheet || !B.surface->closed;
  return m;
}

Core capsule_core(double r, double l) noexcept {
  Core core;
  core.reach = 0.5 * r, core.area = 2.0 * pi * r * l + 4.0 * pi * r * r;
  core.add_line(0.5 * l);
  return core;
}

// How far a capsule is from the box around the corners, at least.
double gap_of(const CapsuleField& field, const Meeting& m) noexcept {
  const BoxNode& node = m.surface.surface->nodes[0];
  const Vec3 low(node.low), high(node.high), middle = -(m.R.transpose() * m.p), along = m.R.row(2);
  const Vec3 beyond = (middle - 0.5 * (low + high)).cwiseAbs() - 0.5 * (high - low) - 0.5 * field.l * along.cwiseAbs();
  return beyond.maxCoeff() - field.r;
}

}  // namespace

void capsule_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1];
  const Meeting m = meet(A, B, X, capsule_seat(r, l, out.sharpness), out);
  add_facets(CapsuleField{r, l}, m, out);
  add_core(capsule_core(r, l), m, out);
}

void capsule_polytope(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1];
  const Meeting m = meet(A, B, X, capsule_seat(r, l, out.sharpness), out);
  const CapsuleField field{r, l};
  out.gap = std::max(0.0, gap_of(field, m));
  if (out.gap > 0.0) return;
  for_each_face(m, out, [&](const PolygonPlane& plane, int count) noexcept { add_polygon(field, plane, count, out); });
  if (!is_sheet(B)) add_core(capsule_core(r, l), m, out);
}

// The plane as a square that is larger than the capsule.
void capsule_plane(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1];
  const Meeting m = meeting_of(A, B, X, true, capsule_seat(r, l, out.sharpness), out);
  const CapsuleField field{r, l};
  const Vec3 n = m.R.col(2);
  const double height = -n.dot(m.p);  // of the capsule's middle
  out.gap = std::max(0.0, height - 0.5 * l * std::abs(n[2]) - r);
  if (out.gap > 0.0) return;
  const Vec3 t_u = m.R.col(0), t_v = m.R.col(1);
  const double half = l + 2.0 * r;
  const PolygonPlane plane{-height * n, t_u, t_v, n, half, half, 1.0};
  out.polygon[0][0] = {-half, -half, 0.0}, out.polygon[0][1] = {half, -half, 0.0};
  out.polygon[0][2] = {half, half, 0.0}, out.polygon[0][3] = {-half, half, 0.0};
  add_polygon(field, plane, 4, out);
  // below its middle, less and less of the plane is inside the capsule
  const Core core = capsule_core(r, l);
  for (int i = 0; i < core.count; ++i)
    add_point(core.at[i], core.reach - height - n.dot(core.at[i]), core.area / core.count, n, -n, 1.0, out);
}

void ellipsoid_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const Vec3 s(A.size);
  const double r = math::cbrt(s.prod());
  const Meeting m = meet(A, B, X, ball_seat(r, out.sharpness), out);
  add_facets(EllipsoidField{s}, m, out);
  Core core;
  core.reach = 0.5 * s.minCoeff(), core.area = 4.0 * pi * r * r;
  core.at[core.count++] = Vec3::Zero();
  add_core(core, m, out);
}

void cylinder_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], h = 0.5 * A.size[1];
  const Meeting m = meet(A, B, X, seat_of(A, B), out);
  add_facets(CylinderField{r, h}, m, out);
  Core core;
  core.reach = 0.5 * std::min(r, h), core.area = 2.0 * pi * r * (r + 2.0 * h);
  core.add_line(std::max(0.0, h - r));
  if (r > h) core.add_ring(r - h);
  add_core(core, m, out);
}

void add_sphere_on_mesh(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0];
  const Meeting m = meet(A, B, X, ball_seat(r, out.sharpness), out);
  add_facets(EllipsoidField{Vec3::Constant(r)}, m, out);
}

}  // namespace contactlib::geometry

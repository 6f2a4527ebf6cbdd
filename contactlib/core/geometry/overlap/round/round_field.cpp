#include "round_field.hpp"

#include <limits>

#include "curved_region.hpp"
#include "geometry/overlap/gauss.hpp"
#include "geometry/overlap/polygon_cut.hpp"
#include "geometry/surface/nearest.hpp"
#include "outline_region.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846, endless = std::numeric_limits<double>::infinity();

// int (1 - t^2)^p dt over -1..1
double line_factor(int p) noexcept {
  double factor = 2.0;
  for (int k = 1; k <= p; ++k) factor *= 2.0 * k / (2.0 * k + 1.0);
  return factor;
}

// Two points for a chord whose e^(p-1) has this mean and this spread: as the force on a part is linear in x, they have the
// force and the moment of all. `half`: the integrals of each, without the slope.
void add_two_points(const CapsuleField& field, const PolygonPlane& plane, const Chord& chord, const PartIntegrals& half,
                    double mean, double spread, SurfaceScratch& out) noexcept {
  for (const double u : {mean - spread, mean + spread}) {
    const Vec3 x = plane.o + u * plane.t_u + chord.v * plane.t_v;
    const Extent extent = field.at(x);
    add_part(x, {half.area, half.deepest, half.power, half.weight * extent.slope}, plane.n, extent.n, out);
  }
}

// A chord with the half length w, along which  e = k (w^2 - t^2).  With q = p - 1,
//   int e^q dt = k^q w^(2q+1) line_factor(q),  int e^q t^2 dt/int e^q dt = w^2/(2q+3)
void add_whole_chord(const CapsuleField& field, const PolygonPlane& plane, const Chord& chord, double k,
                     SurfaceScratch& out) noexcept {
  const int q = out.sharpness - 1;
  const double w = 0.5 * (chord.b - chord.a), middle = 0.5 * (chord.a + chord.b), deepest = k * w * w / extent_unit;
  const double area = w * chord.width * plane.unit_area;  // of each half
  const double half = 0.5 * area * power(deepest, q) * line_factor(q), offset = w / std::sqrt(2.0 * q + 3.0);
  const double powers = 0.5 * area * power(deepest, q + 1) * line_factor(q + 1);
  add_two_points(field, plane, chord, {area, deepest, powers, half}, middle, offset, out);
}

// A chord that is cut. Along it e is r/2 times the polynomial `inside`.
void add_cut_chord(const CapsuleField& field, const PolygonPlane& plane, const Chord& chord, const Quadratic& inside,
                   SurfaceScratch& out) noexcept {
  const GaussRule& rule = gauss_of_degree(2 * out.sharpness);
  const double length = chord.b - chord.a, by = 0.5 * field.r / extent_unit;
  PartIntegrals half{0.5 * length * chord.width * plane.unit_area, 0.0, 0.0, 0.0};
  double first = 0.0, second = 0.0;
  for (int i = 0; i < rule.count; ++i) {
    const double t = rule.at[i], e = by * inside.at(chord.a + t * length, chord.v);
    if (!(e > 0.0)) continue;
    const double weight = rule.weight[i] * power(e, out.sharpness - 1);
    half.deepest = std::max(half.deepest, e), half.power += weight * e, half.weight += weight;
    first += weight * t, second += weight * t * t;
  }
  if (!(half.weight > 0.0)) return;
  const double mean = first / half.weight, spread = std::sqrt(std::max(0.0, second / half.weight - mean * mean));
  half.power *= half.area, half.weight *= half.area;
  add_two_points(field, plane, chord, half, chord.a + mean * length, spread * length, out);
}

// What the field has of the polygon in out.polygon[from], where `inside` is positive.
template <class Field>
void add_region(const Field& field, const PolygonPlane& plane, int from, int count, const Quadratic& inside,
                double disc, SurfaceScratch& out) noexcept {
  const CurvedRegion region{out.polygon[from].data(),
                            count,
                            {inside, {disc * disc, 0.0, 0.0, -1.0, 0.0, -1.0}},
                            disc > 0.0 ? 2 : 1,
                            false,
                            {},
                            {},
                            Field::on_border};
  const auto extent_at = [&](double u, double v) { return field.at(plane.o + u * plane.t_u + v * plane.t_v).e; };
  if (out.outlines) outline_region(region, plane, extent_at, out);
  const GaussRule& rule = gauss_of_degree(Field::degree * out.sharpness);
  ChordRules rules = vanishing_rules(Field::high ? most_sharpness : out.sharpness);
  if (!Field::quadratic) rules.whole = rules.cut = rules.usual;
  if (disc > 0.0) rules.usual = rules.whole = rules.cut = &chord_rule(out.sharpness);
  if constexpr (Field::quadratic) {
    const double most = greatest(inside, region.polygon, count);
    if (!(most > 0.0)) return;
    if (disc == 0.0) out.sums.deepest = std::max(out.sums.deepest, 0.5 * field.r * most / extent_unit);
  }
  for_each_chord(region, rules, [&](const Chord& chord) noexcept {
    const double length = chord.b - chord.a;
    if constexpr (Field::quadratic) {
      if (chord.whole) return add_whole_chord(field, plane, chord, -0.5 * field.r * inside.uu, out);
      return add_cut_chord(field, plane, chord, inside, out);
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
  return {1.0 - o.dot(So),    -2.0 * plane.t_u.dot(So), -2.0 * plane.t_v.dot(So),
          -plane.t_u.dot(Su), -2.0 * plane.t_u.dot(Sv), -plane.t_v.dot(Sv)};
}

// The polygon in out.polygon[from] with u across the axis, so that most chords are whole.
PolygonPlane turned(const PolygonPlane& plane, const Vec3& axis, int from, int count, SurfaceScratch& out) noexcept {
  const Vec3 along = axis - axis.dot(plane.n) * plane.n;
  const Vec3 t_v = along.squaredNorm() > 1e-6 ? Vec3(along.normalized()) : Vec3(plane.t_v.normalized());
  const Vec3 t_u = t_v.cross(plane.n);
  const double uu = t_u.dot(plane.t_u), uv = t_u.dot(plane.t_v), vu = t_v.dot(plane.t_u), vv = t_v.dot(plane.t_v);
  for (int i = 0; i < count; ++i) {
    Corner& x = out.polygon[from][i];
    x = {uu * x.u + uv * x.v, vu * x.u + vv * x.v, 0.0};
  }
  return {plane.o, t_u, t_v, plane.n, 1.0};
}

}  // namespace

Reference ball_reference(double r, int p) noexcept { return {0.0, 0.0, 2.0 * pi * r / (p + 1)}; }
Reference capsule_reference(double r, double l, int p) noexcept {
  return {0.0, l * std::sqrt(2.0 * r) * line_factor(p), ball_reference(r, p).ball};
}

void add_polygon(const EllipsoidField& field, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  add_region(field, plane, 0, count, quadratic_on(plane, plane.o, field.s.cwiseProduct(field.s).cwiseInverse()), 0.0,
             out);
}

void add_polygon(const RoundingField& field, const PolygonPlane& given, int from, int count,
                 SurfaceScratch& out) noexcept {
  const PolygonPlane plane = turned(given, field.t, from, count, out);
  const auto across = [&](const Vec3& x) { return Vec3(x - field.t.dot(x) * field.t); };
  const PolygonPlane seen{across(plane.o - field.v), across(plane.t_u), across(plane.t_v), plane.n, 1.0};
  const Quadratic inside = quadratic_on(seen, seen.o, Vec3::Constant(1.0 / (field.r * field.r)));
  const double most = greatest(inside, out.polygon[from].data(), count);
  if (!(most > 0.0)) return;
  out.sums.deepest = std::max(out.sums.deepest, field.r * (1.0 - std::sqrt(std::max(0.0, 1.0 - most))) / extent_unit);
  add_region(field, plane, from, count, inside, 0.0, out);
}

// The parts beside the two ends and between them.
void add_polygon(const CapsuleField& field, const PolygonPlane& given, int corners, SurfaceScratch& out,
                 double disc) noexcept {
  const double by = 1.0 / (field.r * field.r), h = 0.5 * field.l;
  if (std::abs(given.n.dot(given.o)) - h * std::abs(given.n[2]) >= field.r) return;
  const PolygonPlane plane = turned(given, Vec3::UnitZ(), 0, corners, out);
  const Slope z{plane.o[2], plane.t_u[2], plane.t_v[2]};
  for (const double sign : {1.0, -1.0}) {
    if (std::abs(plane.n.dot(plane.o) - sign * h * plane.n[2]) >= field.r) continue;
    const int count = keep_positive({sign * z.c - h, sign * z.du, sign * z.dv}, 0, corners, 1, out);
    if (count < 3) continue;
    const Vec3 o = plane.o - sign * h * Vec3::UnitZ();
    add_region(field, plane, 1, count, quadratic_on(plane, o, Vec3::Constant(by)), disc, out);
  }
  int count = keep_positive({h - z.c, -z.du, -z.dv}, 0, corners, 1, out);
  if (count > 2) count = keep_positive({h + z.c, z.du, z.dv}, 1, count, 2, out);
  if (count > 2) add_region(field, plane, 2, count, quadratic_on(plane, plane.o, Vec3(by, by, 0.0)), disc, out);
}

bool may_touch(const Core& core, const SurfaceScratch& out) noexcept {
  // as long as the other surface is further from the core than its reach, 3/4 of it bounds the extents
  return out.needed == 0 || out.from_behind || out.sums.deepest * extent_unit >= 0.5 * core.reach;
}

Core capsule_core(double r, double l) noexcept {
  Core core;
  core.reach = 0.5 * r, core.area = 2.0 * pi * r * l + 4.0 * pi * r * r;
  core.add_line(0.5 * l);
  return core;
}

void add_core(const Core& core, const ShapePair& m, SurfaceScratch& out) noexcept {
  if (!may_touch(core, out)) return;
  const Surface& surface = *m.surface.surface;
  for (int i = 0; i < core.count; ++i) {
    Place place;
    const Vec3 x = m.R.transpose() * (core.at[i] - m.p);
    const BoxNode& box = surface.nodes[0];
    if (squared_distance(box, x) > core.reach * core.reach) continue;
    if (!nearest_place(surface, x, core.reach, place)) {
      // further away, or deeper than that
      const bool may_be_inside =
          (x.array() > Vec3(box.low).array()).all() && (x.array() < Vec3(box.high).array()).all();
      if (!may_be_inside || !nearest_place(surface, x, endless, place)) continue;
    }
    const Vec3 n = -(m.R * place.g);
    core.add(i, core.reach - place.phi, n, out);
  }
}

}  // namespace contactlib::geometry

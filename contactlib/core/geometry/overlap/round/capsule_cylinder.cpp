// A cylinder in a capsule: its discs and its side in the capsule's extent field.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cylinder.hpp"
#include "round_field.hpp"
#include "round_mesh.hpp"
#include "side_lines.hpp"

namespace contactlib::geometry {

namespace {

// Zone 0: beside the axis of the capsule, 1 or -1: beyond one of its ends.
struct CapsuleLines {
  static constexpr int most_parts = 3;
  CapsuleField field;
  const GaussRule& rule;

  double end(int zone) const noexcept { return 0.5 * zone * field.l; }

  // a + b s + c s^2: the extents in a zone, times 2 r
  struct Zone {
    double a, b, c;
    double at(double s) const noexcept { return a + s * (b + s * c); }
  };
  Zone in_zone(const SideLine& line, int zone) const noexcept {
    const Vec3 &foot = line.foot, &t = line.axis;
    Zone out{field.r * field.r - foot[0] * foot[0] - foot[1] * foot[1], -2.0 * (foot[0] * t[0] + foot[1] * t[1]),
             -(t[0] * t[0] + t[1] * t[1])};
    if (zone == 0) return out;
    const double z = foot[2] - end(zone);
    return {out.a - z * z, out.b - 2.0 * z * t[2], out.c - t[2] * t[2]};
  }

  // The part of the line in a zone.
  Span span_of(const SideLine& line, int zone) const noexcept {
    Span span{-line.half, line.half};
    for (const int sign : {1, -1}) {
      if (zone == -sign) continue;
      // sign z > l/2 beyond an end, < l/2 beside the axis
      const double inward = zone == 0 ? -1.0 : 1.0;
      const double z = inward * (sign * line.foot[2] - 0.5 * field.l), slope = inward * sign * line.axis[2];
      const Span half = positive_span(z, slope, 0.0);
      span = {std::max(span.from, half.from), std::min(span.to, half.to)};
    }
    return span;
  }

  int parts_of(const SideLine& line, LinePart* parts) const noexcept {
    int count = 0;
    for (const int zone : {-1, 0, 1}) {
      const Zone e = in_zone(line, zone);
      const Span inside = positive_span(e.a, e.b, e.c), span = span_of(line, zone);
      if (inside.empty() || span.empty()) continue;
      const double from = std::max(span.from, inside.from), to = std::min(span.to, inside.to);
      if (from < to) parts[count++] = {from, to, zone};
    }
    return count;
  }

  double extent_at(const SideLine& line, double s) const noexcept { return field.at(line.foot + s * line.axis).e; }

  double greatest(const SideLine& line) const noexcept {
    double most = -std::numeric_limits<double>::infinity();
    for (const int zone : {-1, 0, 1}) {
      const Span span = span_of(line, zone);
      if (span.empty()) continue;
      const Zone e = in_zone(line, zone);
      const double s = e.c < 0.0 ? std::clamp(-0.5 * e.b / e.c, span.from, span.to) : span.from;
      most = std::max({most, e.at(s), e.at(span.from), e.at(span.to)});
    }
    return most;
  }

  void add(const SideLine& line, const LinePart& part, double width, SurfaceScratch& out) const noexcept {
    for (int i = 0; i < rule.count; ++i) {
      const double s = part.from + rule.at[i] * (part.to - part.from);
      const Vec3 x = line.foot + s * line.axis;
      const Extent extent = field.at(x);
      add_point(x, extent.e, rule.weight[i] * (part.to - part.from) * width, line.radial, extent.n, extent.slope, out);
    }
  }
};

// The signed distance to a cylinder, and the unit vector along which it grows.
struct Distance {
  double phi;
  Vec3 g;
};
Distance distance_to_cylinder(double r, double h, const Vec3& x) noexcept {
  const double rho = std::sqrt(x[0] * x[0] + x[1] * x[1]), aside = rho - r, above = std::abs(x[2]) - h;
  const Vec3 radial = rho > 0.0 ? Vec3(x[0] / rho, x[1] / rho, 0.0) : Vec3(Vec3::UnitX());
  const Vec3 along(0.0, 0.0, x[2] < 0.0 ? -1.0 : 1.0);
  if (aside > 0.0 && above > 0.0) {
    const double phi = std::sqrt(aside * aside + above * above);
    return {phi, (aside * radial + above * along) / phi};
  }
  return aside > above ? Distance{aside, radial} : Distance{above, along};
}

}  // namespace

void capsule_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const double r = A.size[0], l = A.size[1], own_r = B.size[0], own_h = 0.5 * B.size[1];
  const ShapePair m = shape_pair_of(A, B, X, true, capsule_reference(r, l, out.sharpness), out);
  const Vec3 axis = m.R.col(2);
  // the cylinder is within its bounding sphere about the capsule's axis, and the axis's middle near its own axis
  const double wide = std::sqrt(own_r * own_r + own_h * own_h);
  const Vec3 beside(m.p[0], m.p[1], m.p[2] - std::clamp(m.p[2], -0.5 * l, 0.5 * l));
  out.gap = std::max(0.0, beside.norm() - wide - r);
  if (out.gap > 0.0) return;
  const CapsuleLines field{{r, l}, gauss_of_degree(2 * out.sharpness)};
  const CylinderSide side{m.p, m.R.col(0), m.R.col(1), axis, own_r, own_h};
  SideLines<CapsuleLines>(field, side, out).add();
  for (const double z : {own_h, -own_h}) {
    const PolygonPlane disc{m.p + z * axis, side.t_1, side.t_2, z > 0.0 ? axis : Vec3(-axis), 1.0};
    add_polygon(field.field, disc, square_around(own_r, out.polygon[0].data()), out, own_r);
  }
  const Core core = capsule_core(r, l);
  for (int i = 0; i < core.count; ++i) {
    const Distance distance = distance_to_cylinder(own_r, own_h, m.R.transpose() * (core.at[i] - m.p));
    const Vec3 n = -(m.R * distance.g);
    core.add(i, core.reach - distance.phi, n, out);
  }
}

}  // namespace contactlib::geometry

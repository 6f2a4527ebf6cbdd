// Two cylinders: the discs and the side of one of them in the other one.
#include <algorithm>
#include <cmath>

#include "cylinder.hpp"
#include "geometry/overlap/shape_pair.hpp"
#include "side_lines.hpp"

namespace contactlib::geometry {

namespace {

// Of a cylinder of radius r and half length h, in its axes. Zone 0: nearest to its side, 1 or -1: to an end.
struct CylinderLines {
  static constexpr int most_parts = 6;
  double r, h;
  const GaussRule& rule;

  // a + b s + c s^2: the extents from the side
  struct Round {
    double a, b, c;
    double at(double s) const noexcept { return a + s * (b + s * c); }
  };
  Round round_of(const SideLine& line) const noexcept {
    const Vec3 &foot = line.foot, &t = line.axis;
    const double by = 0.5 / r;
    return {by * (r * r - foot[0] * foot[0] - foot[1] * foot[1]), -2.0 * by * (foot[0] * t[0] + foot[1] * t[1]),
            -by * (t[0] * t[0] + t[1] * t[1])};
  }

  [[gnu::always_inline]] inline int parts_of(const SideLine& line, LinePart* parts) const noexcept {
    int count = 0;
    const Round e = round_of(line);
    const Span round = positive_span(e.a, e.b, e.c);
    for (const int end : {1, -1}) {
      const double z = end * line.foot[2], slope = end * line.axis[2];
      Span span{std::max(-line.half, round.from), std::min(line.half, round.to)};
      for (const Span& half : {positive_span(z, slope, 0.0), positive_span(h - z, -slope, 0.0)})
        span = {std::max(span.from, half.from), std::min(span.to, half.to)};
      if (round.empty() || span.empty()) continue;
      Span capped = positive_span(e.a - h + z, e.b + slope, e.c);
      if (capped.empty()) capped = {span.from, span.from};
      capped = {std::clamp(capped.from, span.from, span.to), std::clamp(capped.to, span.from, span.to)};
      if (span.from < capped.from || capped.empty())
        parts[count++] = {span.from, capped.empty() ? span.to : capped.from, 0};
      if (capped.empty()) continue;
      parts[count++] = {capped.from, capped.to, end};
      if (capped.to < span.to) parts[count++] = {capped.to, span.to, 0};
    }
    return count;
  }

  double extent_at(const SideLine& line, double s) const noexcept {
    return std::min(round_of(line).at(s), h - std::abs(line.foot[2] + s * line.axis[2]));
  }

  double greatest(const SideLine& line) const noexcept {
    const Round round = round_of(line);
    const auto e = [&](double s) { return std::min(round.at(s), h - std::abs(line.foot[2] + s * line.axis[2])); };
    double most = std::max(e(-line.half), e(line.half));
    const auto look = [&](double s) {
      if (std::abs(s) < line.half) most = std::max(most, e(s));
    };
    if (round.c < 0.0) look(-0.5 * round.b / round.c);
    if (line.axis[2] != 0.0) look(-line.foot[2] / line.axis[2]);
    for (const int end : {1, -1}) {
      const Span capped = positive_span(round.a - h + end * line.foot[2], round.b + end * line.axis[2], round.c);
      if (!capped.empty()) look(capped.from), look(capped.to);
    }
    return most;
  }

  void add(const SideLine& line, const LinePart& part, double width, SurfaceScratch& out) const noexcept {
    const auto at = [&](double s) { return Vec3(line.foot + s * line.axis); };
    if (part.zone != 0) {
      const Vec3 x0 = at(part.from), x1 = at(part.to);
      return add_strip(x0, x1, h - part.zone * x0[2], h - part.zone * x1[2], width, line.radial,
                       part.zone * Vec3::UnitZ(), out);
    }
    const Round round = round_of(line);
    for (int i = 0; i < rule.count; ++i) {
      const double s = part.from + rule.at[i] * (part.to - part.from);
      const Vec3 x = at(s);
      const double rho = std::sqrt(x[0] * x[0] + x[1] * x[1]);
      if (!(rho > 0.0)) continue;  // on the axis the force of the side has no direction
      add_point(x, round.at(s), rule.weight[i] * (part.to - part.from) * width, line.radial,
                Vec3(x[0] / rho, x[1] / rho, 0.0), rho / r, out);
    }
  }
};

// A lower bound of the distance of two cylinders, from one in the axes of the other one.
double gap_of(const ShapePair& m, double r, double h) noexcept {
  const double own_r = m.surface.size[0], own_h = 0.5 * m.surface.size[1];
  const Vec3 axis = m.R.col(2);
  const double across = std::sqrt(std::max(0.0, 1.0 - axis[2] * axis[2]));
  const double along = std::abs(m.p[2]) - h - own_h * std::abs(axis[2]) - own_r * across;
  const double aside = std::sqrt(m.p[0] * m.p[0] + m.p[1] * m.p[1]) - r - own_h * across - own_r;
  return std::max({0.0, along, aside});
}

}  // namespace

void cylinder_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const ShapePair m = shape_pair_of(A, B, X, has_field(A, B), reference_of(A, B), out);
  const double r = m.solid.size[0], h = 0.5 * m.solid.size[1];
  out.gap = gap_of(m, r, h);
  if (out.gap > 0.0) return;
  const double own_r = m.surface.size[0], own_h = 0.5 * m.surface.size[1];
  const Vec3 t_1 = m.R.col(0), t_2 = m.R.col(1), axis = m.R.col(2);
  const CylinderLines field{r, h, gauss_of_degree(2 * out.sharpness)};
  const CylinderSide side{m.p, t_1, t_2, axis, own_r, own_h};
  SideLines<CylinderLines>(field, side, out).add();
  const double rise = own_r * std::sqrt(std::max(0.0, 1.0 - axis[2] * axis[2]));
  for (const double z : {own_h, -own_h}) {
    const Vec3 o = m.p + z * axis;
    if (std::abs(o[2]) - rise >= h || std::sqrt(o[0] * o[0] + o[1] * o[1]) - own_r >= r) continue;
    const PolygonPlane disc{o, t_1, t_2, z > 0.0 ? axis : Vec3(-axis), 1.0};
    add_in_cylinder(r, h, disc, square_around(own_r, out.polygon[0].data()), own_r, out);
  }
}

}  // namespace contactlib::geometry

// Two cylinders: the discs and the side of one of them in the other one.
#include <algorithm>
#include <cmath>

#include "curved_region.hpp"
#include "cylinder.hpp"
#include "cylinder_side.hpp"
#include "directions.hpp"
#include "gauss.hpp"
#include "math/elementary.hpp"
#include "meeting.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int steps_to_deepest = 40;
constexpr double one_angle = 1e-8;  // rad: breaks are found so far
constexpr int most_angles = 256;

// A part of a line of the side: e is linear at an end of the solid, else of second degree.
struct LinePart {
  double from, to;  // m, along the line
  int end;          // 0: nearest to the side of the solid, 1 or -1: to this end
};

// The lines of the side of one cylinder in another one, of radius r and half length h, in whose axes they are.
class SideInCylinder {
 public:
  SideInCylinder(const CylinderSide& side, double r, double h, SurfaceScratch& out) noexcept
      : side_(side), r_(r), h_(h), out_(out), rule_(gauss_of_degree(2 * out.sharpness)) {}

  void add() noexcept {
    find_breaks();
    std::sort(breaks_, breaks_ + count_);
    if (count_ == 0) {
      if (code(all_round()[0]) != 0) add_between(0.0, 2.0 * pi);
      return;
    }
    for (int k = 0; k < count_; ++k) {
      const double from = breaks_[k], to = k + 1 < count_ ? breaks_[k + 1] : breaks_[0] + 2.0 * pi;
      if (code(direction(0.5 * (from + to))) != 0) add_between(from, to);
    }
  }

 private:
  // A line at an angle: x = foot + s axis, and its extents from the solid's side, a + b s + c s^2.
  struct Line {
    Vec3 radial, foot;
    double a, b, c;
  };

  static Direction direction(double angle) noexcept {
    const auto [sine, cosine] = math::sin_cos(angle);
    return {cosine, sine};
  }

  Line line_at(const Direction& a) const noexcept {
    const Vec3 radial = side_.radial(a.cos, a.sin), foot = side_.centre + side_.r * radial, &t = side_.axis;
    const double by = 0.5 / r_;
    return {radial, foot, by * (r_ * r_ - foot[0] * foot[0] - foot[1] * foot[1]),
            -2.0 * by * (foot[0] * t[0] + foot[1] * t[1]), -by * (t[0] * t[0] + t[1] * t[1])};
  }

  // Up to six parts, in each of which e > 0; returns their number.
  int parts_of(const Line& line, LinePart (&parts)[6]) const noexcept {
    int count = 0;
    const Span round = positive_span(line.a, line.b, line.c);
    for (const int end : {1, -1}) {
      const double z = end * line.foot[2], slope = end * side_.axis[2];
      Span span{std::max(-side_.h, round.from), std::min(side_.h, round.to)};
      for (const Span& half : {positive_span(z, slope, 0.0), positive_span(h_ - z, -slope, 0.0)})
        span = {std::max(span.from, half.from), std::min(span.to, half.to)};
      if (round.empty() || span.empty()) continue;
      Span capped = positive_span(line.a - h_ + z, line.b + slope, line.c);
      if (capped.empty()) capped = {span.from, span.from};
      capped = {std::clamp(capped.from, span.from, span.to), std::clamp(capped.to, span.from, span.to)};
      if (span.from < capped.from || capped.empty()) parts[count++] = {span.from, capped.empty() ? span.to : capped.from, 0};
      if (capped.empty()) continue;
      parts[count++] = {capped.from, capped.to, end};
      if (capped.to < span.to) parts[count++] = {capped.to, span.to, 0};
    }
    return count;
  }

  // Names the parts of a line; 0: it has none.
  int code(const Direction& a) const noexcept {
    LinePart parts[6];
    const int count = parts_of(line_at(a), parts);
    int code = 0;
    for (int k = 0; k < count; ++k) {
      const bool starts = parts[k].from == -side_.h, ends = parts[k].to == side_.h;
      code = code * 16 + 1 + (parts[k].end + 1) + 3 * starts + 6 * ends;
    }
    return code;
  }

  // The greatest extent along a line, m; below zero where it passes by.
  double greatest(const Direction& a) const noexcept {
    const Line line = line_at(a);
    const auto e = [&](double s) {
      const double z = line.foot[2] + s * side_.axis[2];
      return std::min(line.a + s * (line.b + s * line.c), h_ - std::abs(z));
    };
    double most = std::max(e(-side_.h), e(side_.h));
    const auto look = [&](double s) {
      if (std::abs(s) < side_.h) most = std::max(most, e(s));
    };
    if (line.c < 0.0) look(-0.5 * line.b / line.c);
    if (side_.axis[2] != 0.0) look(-line.foot[2] / side_.axis[2]);
    for (const int end : {1, -1}) {
      const Span capped = positive_span(line.a - h_ + end * line.foot[2], line.b + end * side_.axis[2], line.c);
      if (!capped.empty()) look(capped.from), look(capped.to);
    }
    return most;
  }

  // The direction between two others whose line is deepest, or one that is inside.
  Direction deepest(Direction from, Direction to) const noexcept {
    Direction middle = from.towards(to);
    double e = greatest(middle);
    for (int i = 0; i < steps_to_deepest && e <= 0.0; ++i) {
      const Direction low = from.towards(middle), high = middle.towards(to);
      const double e_low = greatest(low), e_high = greatest(high);
      if (e_low > e && e_low >= e_high)
        to = middle, middle = low, e = e_low;
      else if (e_high > e)
        from = middle, middle = high, e = e_high;
      else
        from = low, to = high;
    }
    return middle;
  }

  void find_breaks() noexcept {
    double e[directions];
    for (int k = 0; k < directions; ++k) e[k] = greatest(all_round()[k]);
    for (int k = 0; k < directions; ++k) {
      const int next = (k + 1) % directions;
      const Direction &from = all_round()[k], &to = all_round()[next];
      Direction between = from.towards(to);
      if (e[k] <= 0.0 && e[next] <= 0.0) {
        // between two lines that pass by, the deepest one may be inside if the extents rise from both sides
        if (!(e[k] >= e[(k + directions - 1) % directions]) || !(e[next] >= e[(k + 2) % directions])) continue;
        between = deepest(from, to);
      }
      const int code_from = code(from), code_between = code(between), code_to = code(to);
      refine(from, code_from, between, code_between), refine(between, code_between, to, code_to);
    }
  }

  // Where the code changes.
  void refine(const Direction& from, int code_from, const Direction& to, int code_to) noexcept {
    if (code_from == code_to || count_ == most_angles) return;
    const Direction middle = from.towards(to);
    if (from.distance(to) < one_angle) {
      const double angle = math::atan2(middle.sin, middle.cos);
      breaks_[count_++] = angle < 0.0 ? angle + 2.0 * pi : angle;
      return;
    }
    const int code_middle = code(middle);
    refine(from, code_from, middle, code_middle), refine(middle, code_middle, to, code_to);
  }

  void add_between(double from, double to) noexcept {
    const ChordRule& rule = chord_rule(out_.sharpness);
    const int parts = std::max(1, static_cast<int>(std::ceil((to - from) / (0.5 * pi))));
    for (int k = 0; k < parts; ++k) {
      const double half = 0.5 * (to - from) / parts, middle = from + (2 * k + 1) * half;
      for (int i = 0; i < rule.count; ++i) add_line(direction(middle + half * rule.at[i]), side_.r * half * rule.weight[i]);
    }
  }

  void add_line(const Direction& a, double width) noexcept {
    const Line line = line_at(a);
    LinePart parts[6];
    const int count = parts_of(line, parts);
    for (int k = 0; k < count; ++k) {
      const LinePart& part = parts[k];
      const auto at = [&](double s) { return Vec3(line.foot + s * side_.axis); };
      if (part.end != 0) {
        const Vec3 x0 = at(part.from), x1 = at(part.to);
        add_strip(x0, x1, h_ - part.end * x0[2], h_ - part.end * x1[2], width, line.radial, part.end * Vec3::UnitZ(),
                  out_);
        continue;
      }
      for (int i = 0; i < rule_.count; ++i) {
        const double s = part.from + rule_.at[i] * (part.to - part.from);
        const Vec3 x = at(s);
        const double rho = std::sqrt(x[0] * x[0] + x[1] * x[1]);
        add_point(x, line.a + s * (line.b + s * line.c), rule_.weight[i] * (part.to - part.from) * width, line.radial,
                  Vec3(x[0] / rho, x[1] / rho, 0.0), rho / r_, out_);
      }
    }
  }

  const CylinderSide& side_;
  const double r_, h_;
  SurfaceScratch& out_;
  const GaussRule& rule_;
  double breaks_[most_angles];
  int count_ = 0;
};

// A lower bound of the distance of two cylinders, from one in the axes of the other one.
double gap_of(const Meeting& m, double r, double h) noexcept {
  const double own_r = m.surface.size[0], own_h = 0.5 * m.surface.size[1];
  const Vec3 axis = m.R.col(2);
  const double across = std::sqrt(std::max(0.0, 1.0 - axis[2] * axis[2]));
  const double along = std::abs(m.p[2]) - h - own_h * std::abs(axis[2]) - own_r * across;
  const double aside = std::sqrt(m.p[0] * m.p[0] + m.p[1] * m.p[1]) - r - own_h * across - own_r;
  return std::max({0.0, along, aside});
}

}  // namespace

void cylinder_cylinder(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  const Meeting m = meeting_of(A, B, X, has_field(A, B), seat_of(A, B), out);
  const double r = m.solid.size[0], h = 0.5 * m.solid.size[1];
  out.gap = gap_of(m, r, h);
  if (out.gap > 0.0) return;
  const double own_r = m.surface.size[0], own_h = 0.5 * m.surface.size[1];
  const Vec3 t_1 = m.R.col(0), t_2 = m.R.col(1), axis = m.R.col(2);
  SideInCylinder({m.p, t_1, t_2, axis, own_r, own_h}, r, h, out).add();
  const double rise = own_r * std::sqrt(std::max(0.0, 1.0 - axis[2] * axis[2]));
  for (const double z : {own_h, -own_h}) {
    const Vec3 o = m.p + z * axis;
    if (std::abs(o[2]) - rise >= h || std::sqrt(o[0] * o[0] + o[1] * o[1]) - own_r >= r) continue;
    const PolygonPlane disc{o, t_1, t_2, z > 0.0 ? axis : Vec3(-axis), 0.0, 0.0, 1.0};
    add_in_cylinder(r, h, disc, square_around(own_r, out.polygon[0].data()), own_r, out);
  }
}

}  // namespace contactlib::geometry

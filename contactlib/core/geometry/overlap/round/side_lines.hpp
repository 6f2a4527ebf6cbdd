// The side of a cylinder in the extent field of a round solid: a family of straight lines, integrated over the angle between
// angles at which the parts of a line change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "curved_region.hpp"
#include "cylinder_side.hpp"
#include "directions.hpp"
#include "geometry/overlap/gauss.hpp"
#include "geometry/overlap/surface_pieces.hpp"
#include "math/elementary.hpp"
#include "outline_side.hpp"

namespace contactlib::geometry {

// A line of the side, x = foot + s axis, |s| <= half, in a direction around it.
struct SideLine {
  Direction around;
  Vec3 radial, foot, axis;
  double half;  // m
};

// A part of a line in one zone of the field, in which the extent is a polynomial.
struct LinePart {
  double from, to;  // m, along the line
  int zone;  // -1 or more
};

// Calls visit(angle, width) for the nodes of a rule between two angles of a side of radius r.
template <class Visit>
void for_each_angle(double from, double to, double r, const ChordRule& rule, Visit&& visit) noexcept {
  constexpr double quarter = 1.57079632679489661923;
  const int parts = std::max(1, static_cast<int>(math::ceil((to - from) / quarter)));
  for (int k = 0; k < parts; ++k) {
    const double half = 0.5 * (to - from) / parts, middle = from + (2 * k + 1) * half;
    for (int i = 0; i < rule.count; ++i) visit(middle + half * rule.at[i], r * half * rule.weight[i]);
  }
}

// Field has
//   most_parts
//   int parts_of(line, parts)          up to so many, in each of which e > 0
//   double extent_at(line, s)          m, at a place of a part
//   double greatest(line)              m, the greatest extent along a line; below zero where it passes by
//   void add(line, part, width, out)   integrates a part over a strip of this width
template <class Field>
class SideLines {
 public:
  SideLines(const Field& field, const CylinderSide& side, SurfaceScratch& out) noexcept
      : field_(field), side_(side), out_(out) {}

  void add() noexcept {
    find_breaks();
    std::sort(breaks_, breaks_ + count_);
    if (count_ == 0) {
      if (code(unit_circle()[0]) != 0) add_between(0.0, 2.0 * pi);
      return;
    }
    for (int k = 0; k < count_; ++k) {
      const double from = breaks_[k], to = k + 1 < count_ ? breaks_[k + 1] : breaks_[0] + 2.0 * pi;
      if (code(direction(0.5 * (from + to))) != 0) add_between(from, to);
    }
  }

 private:
  static constexpr double pi = 3.14159265358979323846;
  static constexpr int steps_to_deepest = 40;
  static constexpr double one_angle = 1e-8;  // rad: breaks are found so far
  static constexpr int most_angles = 256;

  static Direction direction(double angle) noexcept {
    const auto [sine, cosine] = math::sin_cos(angle);
    return {cosine, sine};
  }

  SideLine line_at(const Direction& a) const noexcept {
    const Vec3 radial = side_.radial(a.cos, a.sin);
    return {a, radial, side_.centre + side_.r * radial, side_.axis, side_.h};
  }

  // Names the parts of a line; 0: it has none.
  std::uint64_t code(const Direction& a) const noexcept {
    LinePart parts[Field::most_parts];
    const int count = field_.parts_of(line_at(a), parts);
    std::uint64_t code = 0;
    for (int k = 0; k < count; ++k) {
      const bool starts = parts[k].from == -side_.h, ends = parts[k].to == side_.h;
      code = code * 1099511628211u + 4 * static_cast<std::uint64_t>(parts[k].zone + 2) + 2 * starts + ends;
    }
    return code;
  }

  // The direction between two others whose line is deepest, or one that is inside.
  Direction deepest(Direction from, Direction to) const noexcept {
    Direction middle = from.towards(to);
    double e = field_.greatest(line_at(middle));
    for (int i = 0; i < steps_to_deepest && e <= 0.0; ++i) {
      const Direction low = from.towards(middle), high = middle.towards(to);
      const double e_low = field_.greatest(line_at(low)), e_high = field_.greatest(line_at(high));
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
    for (int k = 0; k < directions; ++k) e[k] = field_.greatest(line_at(unit_circle()[k]));
    for (int k = 0; k < directions; ++k) {
      const int next = (k + 1) % directions;
      const Direction &from = unit_circle()[k], &to = unit_circle()[next];
      Direction between = from.towards(to);
      if (e[k] <= 0.0 && e[next] <= 0.0) {
        // between two lines that pass by, the deepest one may be inside if the extents rise from both sides
        if (!(e[k] >= e[(k + directions - 1) % directions]) || !(e[next] >= e[(k + 2) % directions])) continue;
        between = deepest(from, to);
      }
      const std::uint64_t code_from = code(from), code_between = code(between), code_to = code(to);
      refine(from, code_from, between, code_between), refine(between, code_between, to, code_to);
    }
  }

  // Where the code changes.
  void refine(const Direction& from, std::uint64_t code_from, const Direction& to, std::uint64_t code_to) noexcept {
    if (code_from == code_to || count_ == most_angles) return;
    const Direction middle = from.towards(to);
    if (from.distance(to) < one_angle) {
      const double angle = math::atan2(middle.sin, middle.cos);
      breaks_[count_++] = angle < 0.0 ? angle + 2.0 * pi : angle;
      return;
    }
    const std::uint64_t code_middle = code(middle);
    refine(from, code_from, middle, code_middle), refine(middle, code_middle, to, code_to);
  }

  // What the field has of a line.
  Span span_at(const Direction& a) const noexcept {
    LinePart parts[Field::most_parts];
    const int count = field_.parts_of(line_at(a), parts);
    Span span{side_.h, -side_.h};
    for (int k = 0; k < count; ++k) span = {std::min(span.from, parts[k].from), std::max(span.to, parts[k].to)};
    return span;
  }

  void outline_between(double from, double to) noexcept {
    outline_side(
        side_, from, to, [&](const Direction& a) { return span_at(a); },
        [&](const Direction& a, double z) { return field_.extent_at(line_at(a), z); }, out_);
  }

  void add_between(double from, double to) noexcept {
    if (out_.outlines) outline_between(from, to);
    for_each_angle(from, to, side_.r, chord_rule(out_.sharpness),
                   [&](double angle, double width) noexcept { add_line(direction(angle), width); });
  }

  void add_line(const Direction& a, double width) noexcept {
    const SideLine line = line_at(a);
    LinePart parts[Field::most_parts];
    const int count = field_.parts_of(line, parts);
    for (int k = 0; k < count; ++k) field_.add(line, parts[k], width, out_);
  }

  const Field& field_;
  const CylinderSide& side_;
  SurfaceScratch& out_;
  double breaks_[most_angles];
  int count_ = 0;
};

}  // namespace contactlib::geometry

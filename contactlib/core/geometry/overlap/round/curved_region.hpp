// Integration over a plane region with curved borders: a convex polygon, as far as some functions of second degree are
// positive in it. It is cut into chords along u, between values of v at which its border has corners or a chord vanishes.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/overlap/mesh_scratch.hpp"

namespace contactlib::geometry {

// c + du u + dv v + uu u^2 + uv u v + vv v^2, concave: it is positive in a convex region.
struct Quadratic {
  double c, du, dv, uu, uv, vv;

  double at(double u, double v) const noexcept { return c + u * (du + uu * u + uv * v) + v * (dv + vv * v); }
  Quadratic operator-(const Slope& l) const noexcept { return {c - l.c, du - l.du, dv - l.dv, uu, uv, vv}; }
};

// The greatest value on a convex polygon.
double greatest(const Quadratic& q, const Corner* polygon, int count) noexcept;

// The interval where a + b t + c t^2, c <= 0, is positive; empty if not from < to.
struct Span {
  double from, to;
  bool cut = false;  // of a region: by the polygon
  bool empty() const noexcept { return !(from < to); }
};
Span positive_span(double a, double b, double c) noexcept;

struct CurvedRegion {
  const Corner* polygon;  // convex
  int count;
  Quadratic inside[2];  // the region is where these are positive; the second one is a disc about the origin
  int inside_count;
  // if `capped`, chords end where `side` exceeds `end` or the other way round
  bool capped;
  Quadratic side;
  Slope end;
  double on_border = 0.0;  // a corner of the polygon at which the functions are so little below zero is in the region
};

// At v, from u = a to u = b; as many times dv as `width` tells.
struct Chord {
  double v, a, b, width;
  bool at_end;  // of a capped region: end <= side
  bool whole;  // of a region with one function: from border to border of it, not cut by the polygon
};

// Nodes and weights for -1 to 1. Of a region at whose tips e is not zero, chords grow like the square root of the distance
// from the tip, or fall like its reciprocal.
struct ChordRule {
  static constexpr int most = 24;
  int count;
  double at[most], weight[most];
};
const ChordRule& chord_rule(int sharpness) noexcept;
// Of a region on whose curved border e is zero, and of parts of it where the shortest chord of the curve is nearly as long
// as the longest: `whole` where no side of the polygon cuts chords, `cut` where one side does. There, e^p is nearly a
// polynomial along v: of a whole chord nearly constant, of a cut one of degree 2 p + 1.
struct ChordRules {
  const ChordRule *usual, *whole, *cut;
};
ChordRules vanishing_rules(int sharpness) noexcept;

// Values of v where the border of the region has a corner, or is along u; in order. Returns their number. A corner of the
// polygon counts only in the region: elsewhere no chord ends there.
inline constexpr int most_breaks = 256;
int region_breaks(const CurvedRegion& region, double (&breaks)[most_breaks]) noexcept;

// What the region has of the line at v.
Span region_span(const CurvedRegion& region, double v) noexcept;

// The rule between two breaks.
const ChordRule& rule_between(const CurvedRegion& region, const ChordRules& rules, double from, double to) noexcept;

// Calls visit(chord) for each chord.
template <class Visit>
void for_each_chord(const CurvedRegion& region, const ChordRules& rules, Visit&& visit) noexcept {
  double breaks[most_breaks];
  const int count = region_breaks(region, breaks);
  for (int k = 0; k + 1 < count; ++k) {
    const double middle = 0.5 * (breaks[k] + breaks[k + 1]), half = 0.5 * (breaks[k + 1] - breaks[k]);
    if (!(half > 0.0) || region_span(region, middle).empty()) continue;
    const ChordRule& rule = rule_between(region, rules, breaks[k], breaks[k + 1]);
    for (int i = 0; i < rule.count; ++i) {
      const double v = middle + half * rule.at[i], width = half * rule.weight[i];
      const Span span = region_span(region, v);
      if (span.empty()) continue;
      if (!region.capped) {
        visit(Chord{v, span.from, span.to, width, false, region.inside_count == 1 && !span.cut});
        continue;
      }
      const Quadratic above = region.side - region.end;
      Span end = positive_span(above.at(0.0, v), above.du + above.uv * v, above.uu);
      end.from = std::clamp(end.from, span.from, span.to), end.to = std::clamp(end.to, end.from, span.to);
      if (end.empty()) {
        visit(Chord{v, span.from, span.to, width, false, false});
        continue;
      }
      if (span.from < end.from) visit(Chord{v, span.from, end.from, width, false, false});
      visit(Chord{v, end.from, end.to, width, true, false});
      if (end.to < span.to) visit(Chord{v, end.to, span.to, width, false, false});
    }
  }
}

template <class Visit>
void for_each_chord(const CurvedRegion& region, const ChordRule& rule, Visit&& visit) noexcept {
  for_each_chord(region, ChordRules{&rule, &rule, &rule}, visit);
}

}  // namespace contactlib::geometry

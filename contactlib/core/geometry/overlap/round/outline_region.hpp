// A plane region with curved borders, for reports.
#pragma once

#include "curved_region.hpp"
#include "geometry/overlap/surface_pieces.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// Places of a row, for pictures of the pressure.
inline constexpr std::uint32_t outline_columns = 7;

// Near the end of a part a span may be empty by rounding: then that a little further on.
inline Span span_near(const CurvedRegion& region, double v, double inward) noexcept {
  Span span = region_span(region, v);
  for (double step = 1e-12; span.empty() && step < 1e-7; step *= 100.0) span = region_span(region, v + step * inward);
  return span;
}

// Tells a query where the following points are, with the extents e(u, v). The region is convex: one part. Touching
// regions share straight borders, whose ends are rows, or have corners on a common circle.
template <class Extent>
[[gnu::cold, gnu::noinline]] void outline_region(const CurvedRegion& region, const PolygonPlane& plane, const Extent& e,
                                                 SurfaceScratch& out) noexcept {
  constexpr double pi = 3.14159265358979323846;
  constexpr int most_rows = 7, few_rows = 3, few_breaks = 4;  // rows between two breaks
  double breaks[most_breaks];
  const int ends = region_breaks(region, breaks), rows = ends > few_breaks ? few_rows : most_rows;
  out.outlines->add_part(outline_columns);
  for (int k = 0; k + 1 < ends; ++k) {
    const double middle = 0.5 * (breaks[k] + breaks[k + 1]), half = 0.5 * (breaks[k + 1] - breaks[k]);
    if (!(half > 0.0) || region_span(region, middle).empty()) continue;
    for (int i = 0; i < rows; ++i) {
      const double t = -math::cos(pi * i / (rows - 1)), v = middle + t * half;
      const Span span = span_near(region, v, -t * half);
      if (span.empty()) continue;
      for (std::uint32_t j = 0; j < outline_columns; ++j) {
        const double u = span.from + (span.to - span.from) * j / (outline_columns - 1);
        out.outlines->add_corner(plane.o + u * plane.t_u + v * plane.t_v, std::max(0.0, e(u, v)));
      }
    }
  }
}

}  // namespace contactlib::geometry

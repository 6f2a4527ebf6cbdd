// The border of a plane region with curved borders, for reports.
#include "curved_region.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
// Between two breaks. Touching regions share straight borders, whose ends are breaks, or have corners on a common circle.
constexpr int most_rows = 6, few_rows = 3, few_breaks = 4;

// Near the end of a part a span may be empty by rounding: then that a little further on.
Span span_near(const CurvedRegion& region, double v, double inward) noexcept {
  Span span = region_span(region, v);
  for (double step = 1e-12; span.empty() && step < 1e-7; step *= 100.0) span = region_span(region, v + step * inward);
  return span;
}

}  // namespace

// The region is convex: the ends of its chords are corners, in the order from one side back to the other.
void outline_region(const CurvedRegion& region, const PolygonPlane& plane, SurfaceScratch& out) noexcept {
  if (!out.outlines) return;
  double breaks[most_breaks], rows[most_rows * most_breaks];
  Span spans[most_rows * most_breaks];
  int count = 0;
  const int ends = region_breaks(region, breaks), parts = ends > few_breaks ? few_rows : most_rows;
  for (int k = 0; k + 1 < ends; ++k) {
    const double middle = 0.5 * (breaks[k] + breaks[k + 1]), half = 0.5 * (breaks[k + 1] - breaks[k]);
    if (!(half > 0.0) || region_span(region, middle).empty()) continue;
    for (int i = 0; i < parts; ++i) {
      const double t = -math::cos(pi * i / (parts - 1));
      const Span span = span_near(region, middle + t * half, -t * half);
      if (!span.empty()) rows[count] = middle + t * half, spans[count++] = span;
    }
  }
  out.outlines->add_part(false);
  const auto add = [&](double u, double v) { out.outlines->add_corner(plane.o + u * plane.t_u + v * plane.t_v); };
  for (int i = 0; i < count; ++i) add(spans[i].to, rows[i]);
  for (int i = count - 1; i >= 0; --i) add(spans[i].from, rows[i]);
}

}  // namespace contactlib::geometry

// The part of a cylinder's side between two angles, for reports.
#pragma once

#include <algorithm>

#include "curved_region.hpp"
#include "cylinder_side.hpp"
#include "directions.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// Tells a query where the following points are: on lines of the side from `from` to `to`, of which span_at(direction) is
// inside. Each two neighbouring lines are the sides of a part.
template <class SpanAt>
void outline_side(const CylinderSide& side, double from, double to, const SpanAt& span_at,
                  SurfaceScratch& out) noexcept {
  constexpr double eighth = 0.78539816339744830962, inward = 1e-9;
  constexpr int lines = 8;  // of an eighth of the side
  if (!out.outlines) return;
  out.outlines->add_part(false);
  const int count = lines * std::max(1, static_cast<int>(math::ceil((to - from) / eighth)));
  Vec3 low = Vec3::Zero(), high = low;
  bool joins = false;
  for (int i = 0; i <= count; ++i) {
    const double part = std::clamp(static_cast<double>(i) / count, inward, 1.0 - inward);
    const auto [sine, cosine] = math::sin_cos(from + part * (to - from));
    const Span span = span_at(Direction{cosine, sine});
    if (span.empty()) {
      joins = false;
      continue;
    }
    const Vec3 foot = side.centre + side.r * side.radial(cosine, sine);
    const Vec3 next_low = foot + span.from * side.axis, next_high = foot + span.to * side.axis;
    if (joins) {
      if (out.outlines->parts.back().count > 0) out.outlines->add_part(false);
      for (const Vec3& x : {low, high, next_high, next_low}) out.outlines->add_corner(x);
    }
    low = next_low, high = next_high, joins = true;
  }
}

}  // namespace contactlib::geometry

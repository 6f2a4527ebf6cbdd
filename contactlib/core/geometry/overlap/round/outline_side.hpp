// The part of a cylinder's side between two angles, for reports.
#pragma once

#include "cylinder_side.hpp"
#include "directions.hpp"
#include "outline_region.hpp"

namespace contactlib::geometry {

// Tells a query where the following points are: on lines of the side from `from` to `to`, of which span_at(direction) is
// inside, with the extents e(direction, z). Each two neighbouring lines are the sides of a part.
template <class SpanAt, class Extent>
[[gnu::cold, gnu::noinline]] void outline_side(const CylinderSide& side, double from, double to, const SpanAt& span_at,
                                               const Extent& e, SurfaceScratch& out) noexcept {
  constexpr double eighth = 0.78539816339744830962, inward = 1e-9;
  constexpr int lines = 8;  // of an eighth of the side
  out.outlines->add_part(outline_columns);
  const int count = lines * std::max(1, static_cast<int>(math::ceil((to - from) / eighth)));
  OutlineCorner before[outline_columns], here[outline_columns];
  bool joins = false;
  for (int i = 0; i <= count; ++i) {
    const double part = std::clamp(static_cast<double>(i) / count, inward, 1.0 - inward);
    const auto [sine, cosine] = math::sin_cos(from + part * (to - from));
    const Direction around{cosine, sine};
    const Span span = span_at(around);
    if (span.empty()) {
      joins = false;
      continue;
    }
    const Vec3 foot = side.centre + side.r * side.radial(cosine, sine);
    for (std::uint32_t j = 0; j < outline_columns; ++j) {
      const double z = span.from + (span.to - span.from) * j / (outline_columns - 1);
      here[j] = {foot + z * side.axis, std::max(0.0, e(around, z))};
    }
    if (joins) {
      if (!out.outlines->parts.empty() && out.outlines->parts.back().count > 0) out.outlines->add_part(outline_columns);
      for (const auto* row : {before, here})
        for (std::uint32_t j = 0; j < outline_columns; ++j) out.outlines->add_corner(row[j].x, row[j].e);
    }
    std::copy_n(here, outline_columns, before), joins = true;
  }
}

}  // namespace contactlib::geometry

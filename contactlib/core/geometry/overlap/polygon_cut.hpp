// Cutting of convex polygons by planes.
#pragma once

#include <algorithm>

#include "base/vectors.hpp"

namespace contactlib::geometry {

// Copies to `out` the part of a convex polygon where the heights of its corners, which are linear, are not positive;
// returns its number of corners.
inline int cut(const Vec3* in, const double* heights, int count, Vec3* out) noexcept {
  int kept = 0, last = count - 1;
  for (int i = 0; i < count; last = i++) {
    const double before = heights[last], here = heights[i];
    if ((before < 0.0 && here > 0.0) || (before > 0.0 && here < 0.0))
      out[kept++] = in[last] + (before / (before - here)) * (in[i] - in[last]);
    if (here <= 0.0) out[kept++] = in[i];
  }
  return kept;
}

template <class Height>
int cut(const Vec3* in, int count, const Height& height, Vec3* out) noexcept {
  int kept = 0;
  Vec3 last = in[count - 1];
  double before = height(last);
  for (int i = 0; i < count; ++i) {
    const double here = height(in[i]);
    if ((before < 0.0 && here > 0.0) || (before > 0.0 && here < 0.0))
      out[kept++] = last + (before / (before - here)) * (in[i] - last);
    if (here <= 0.0) out[kept++] = in[i];
    before = here, last = in[i];
  }
  return kept;
}

// The two parts of a convex polygon, which together are the polygon. Corners within `rounding` of the plane lie on it, and
// belong to the part above. Each part has room for two corners more than the polygon has.
struct Halves {
  int below, above;  // numbers of corners; 0: nothing
};

template <class Height>
Halves split(const Vec3* in, int count, const Height& height, double rounding, Vec3* below, Vec3* above) noexcept {
  Halves halves{0, 0};
  double before = height(in[count - 1]);
  bool was_below = before < -rounding;
  for (int i = 0; i < count; ++i) {
    const double here = height(in[i]);
    const bool is_below = here < -rounding;
    if (is_below != was_below) {
      const Vec3& last = in[i == 0 ? count - 1 : i - 1];
      const double from = was_below ? before : std::max(0.0, before), to = is_below ? here : std::max(0.0, here);
      const Vec3 between = last + (from / (from - to)) * (in[i] - last);
      below[halves.below++] = between, above[halves.above++] = between;
    }
    if (is_below)
      below[halves.below++] = in[i];
    else
      above[halves.above++] = in[i];
    before = here, was_below = is_below;
  }
  return halves;
}

}  // namespace contactlib::geometry

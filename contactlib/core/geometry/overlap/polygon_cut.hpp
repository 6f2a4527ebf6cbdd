// Cutting of convex polygons by lines.
#pragma once

#include <algorithm>

#include "surface_pieces.hpp"

namespace contactlib::geometry {

inline Corner between(const Corner& a, const Corner& b, double part) noexcept {
  return {a.u + part * (b.u - a.u), a.v + part * (b.v - a.v), a.e + part * (b.e - a.e)};
}

// Copies to `out` the part of a convex polygon where the heights of its corners, which are linear, are not negative;
// returns its number of corners.
inline int cut(const Corner* in, const double* heights, int count, Corner* out) noexcept {
  int kept = 0, last = count - 1;
  for (int i = 0; i < count; last = i++) {
    const double before = heights[last], here = heights[i];
    if ((before < 0.0 && here > 0.0) || (before > 0.0 && here < 0.0))
      out[kept++] = between(in[last], in[i], before / (before - here));
    if (here >= 0.0) out[kept++] = in[i];
  }
  return kept;
}

// Copies to out.polygon[to] the part of out.polygon[from] where a linear function is not negative.
inline int keep_positive(const Slope& slope, int from, int count, int to, SurfaceScratch& out) noexcept {
  double* const heights = out.heights.data();
  for (int i = 0; i < count; ++i) heights[i] = slope.at(out.polygon[from][i]);
  return cut(out.polygon[from].data(), heights, count, out.polygon[to].data());
}

}  // namespace contactlib::geometry

// Triangles of B where they pass through a sheet A.
#pragma once

#include "polygon.hpp"

namespace contactlib::geometry {

// A triangle becomes the line p, q in which it meets the sheet, as the corners p, q, q, p of a strip without width.
// Where the strip is wide does not matter: the thickness is the same across it. So these corners have no rounding
// errors that a narrow strip would have.
inline void cut_to_line(const Sheet& sheet, Polygon& part) noexcept {
  Vec3 ends[2];
  std::int32_t sides[2];
  int count = 0;
  double height[3];
  for (int i = 0; i < 3; ++i) height[i] = sheet.n.dot(part.v[i]) - sheet.d;
  for (int i = 0; i < 3 && count < 2; ++i) {
    const int k = i == 2 ? 0 : i + 1;
    if ((height[i] > 0.0) == (height[k] > 0.0)) continue;
    const bool up = height[k] > 0.0;  // the same point for both triangles of an edge
    const int low = up ? i : k, high = up ? k : i;
    ends[count] = part.v[low] + height[low] / (height[low] - height[high]) * (part.v[high] - part.v[low]);
    sides[count++] = i;
  }
  part.count = count == 2 ? 4 : 0;
  if (count < 2) return;
  const std::int32_t no_side = -1;
  part.v[0] = part.v[3] = ends[0], part.v[1] = part.v[2] = ends[1];
  part.tag[0] = part.tag[2] = no_side, part.tag[1] = sides[1], part.tag[3] = sides[0];
}

}  // namespace contactlib::geometry

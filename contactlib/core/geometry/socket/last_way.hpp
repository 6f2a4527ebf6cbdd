// The contact of last resort of a convex solid A with a socket B = box - hole, where A overlaps the material and no
// other rule gives a contact: over a side of the box. See docs/manifolds.md, "Socket against solids".
#pragma once

#include "pair.hpp"

namespace contactlib::geometry {

// A overlaps the material if it overlaps the box, and if some point of A at or below the mouth's plane is in no hole.
// This is where the plane cuts A: whether the point between A's highest and its lowest point is beside the mouth.
inline bool is_cut_outside(const Vec3& top, const Vec3& low, double R) noexcept {
  if (!(top[2] > 0.0) || !(low[2] <= 0.0)) return false;
  const Vec3 cut = low + (top - low) * (-low[2] / (top[2] - low[2]));
  return cut[0] * cut[0] + cut[1] * cut[1] >= R * R;
}

// The least translation that separates A from the box of B: one contact, if the two overlap.
void add_way_off_box(const Shape& A, const SocketPair& pair, std::int64_t number) noexcept;

}  // namespace contactlib::geometry

// one contact: kinematics of the touching points, then the laws.
#pragma once

#include "data.hpp"

namespace contactlib {

struct Touch {
  const Model& model;
  Data& data;
  std::int32_t pair;     // of bodies
  std::int32_t shape_a, shape_b;
  std::int32_t law;
  Vec3 p_AS_W;           // m, shape A's origin from its body's
  Vec3 r_AB_W;           // m, from body A's origin to body B's
  double h;              // s, since the memory was written

  void make(const ManifoldPoint& point, const Memory* old, Contact& out) const noexcept;
};

}  // namespace contactlib

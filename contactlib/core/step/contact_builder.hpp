// one contact: kinematics of the touching points, then the laws.
#pragma once

#include "state/data.hpp"

namespace contactlib {

struct ContactBuilder {
  const Model& model;
  Data& data;
  std::int32_t pair;     // of bodies
  std::int32_t shape_a, shape_b;
  std::int32_t law;
  Vec3 p_AS_W;           // m, shape A's origin from its body's
  Vec3 r_AB_W;           // m, from body A's origin to body B's
  double h;              // s, since the memory was written

  // apart: a contact that its model holds; the point is half-way between the anchors.
  void make(const ManifoldPoint& point, const Memory* old, bool apart, Contact& out) const noexcept;

 private:
  void move(Contact& c) const noexcept;
  void press(const Memory* old, Contact& c) const noexcept;
  Vec3 between_attachment_points(const Attachment& attachment) const noexcept;
  void hold(const Memory* old, Contact& c) const noexcept;
  void attachment(Contact& c, Attachment& memory) const noexcept;
  void recall_own(const Memory* old, const Contact& c) const noexcept;
};

}  // namespace contactlib

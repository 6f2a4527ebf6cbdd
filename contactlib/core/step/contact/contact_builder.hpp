// Builds one contact: its place and its state before the step. A contact model is also applied; other laws are applied to
// many contacts together, see contact_laws.hpp.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using geometry::ManifoldPoint;
using model::Model;
using state::Contact, state::Data, state::Attachment, state::Memory;

struct ContactBuilder {
  const Model& model;
  Data& data;
  std::int32_t pair;  // of bodies
  std::int32_t shape_a, shape_b;
  std::int32_t law;
  Vec3 p_AS_W;  // m, shape A's origin from its body's
  Vec3 r_AB_W;  // m, from body A's origin to body B's
  double h;  // s, time since the memory was written

  // apart: a stateful contact whose shapes have separated; the point is half-way between the attachment points.
  void build_contact(const ManifoldPoint& point, const Memory* old, bool apart, Contact& out) const noexcept;

 private:
  void recall(const Memory* old, Contact& c) const noexcept;
  Vec3 between_attachment_points(const Attachment& attachment) const noexcept;
  void apply_stateful_law(const Memory* old, Contact& c) const noexcept;
  void apply_contact_model(Contact& c, Attachment& memory) const noexcept;
  void load_user_state(const Memory* old, const Contact& c) const noexcept;
};

}  // namespace contactlib::step

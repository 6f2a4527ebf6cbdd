#include "contact_builder.hpp"

#include <algorithm>

#include "contact_laws.hpp"
#include "math/rotation.hpp"

namespace contactlib::step {

using geometry::Shape;
using law::AttachmentForce, law::AttachmentState, law::LawParameters, law::contact_models;
using math::SmallestRotation;
using model::Law;
using state::Phase, state::attachment_of, state::own_of;

namespace {

// A stored tangential vector in the present contact plane: carried by the smallest rotation from the former plane, and
// turned about the normal by half of the relative spin of A and B.
Vec3 transported(const Vec3& z_B, const SmallestRotation& to_n, const Mat3& R_WB, const Vec3& n_W,
                 double spin) noexcept {
  Vec3 z_W = to_n * (R_WB * z_B);
  z_W += 0.5 * spin * n_W.cross(z_W);
  return z_W - z_W.dot(n_W) * n_W;
}

// The unit vector along the projection of w onto the contact plane, or any unit vector there if w is normal to it.
Vec3 in_plane(const Vec3& w_W, const Vec3& n_W) noexcept {
  Vec3 projection = w_W - w_W.dot(n_W) * n_W;
  if (!(projection.squaredNorm() > 1e-12 * w_W.squaredNorm())) {
    int least = 0;
    n_W.cwiseAbs().minCoeff(&least);
    projection = Vec3::Unit(least) - n_W[least] * n_W;
  }
  return projection.normalized();
}

}  // namespace

void ContactBuilder::build_contact(const ManifoldPoint& point, const Memory* old, bool apart,
                                   Contact& c) const noexcept {
  const Shape &A = model.shapes[shape_a], &B = model.shapes[shape_b];
  c.pair = pair;
  c.feature = point.feature;
  c.shape_a = shape_a;
  c.shape_b = shape_b;
  c.body_a = A.body;
  c.body_b = B.body;
  c.law = law;
  c.phase = old ? Phase::lasts : Phase::begins;
  c.apart = apart ? 1 : 0;
  c.surface = c.reserved = 0;
  c.turn_W = Vec3::Zero();
  c.stretch = c.area = c.reference_area = 0.0;
  c.age = old ? old->age + h : 0.0;
  c.n_AB_W = point.n_AB_W;
  c.depth = point.depth;
  c.load_share = point.load_share;
  c.p_AC_W = p_AS_W + point.p_AC_W;
  c.p_BC_W = c.p_AC_W - r_AB_W;
  if (model.laws[law].is_stateful()) return apply_stateful_law(old, c);
  recall(old, c);
}

// The bristle and the rolling spring before the step, in the present contact plane.
void ContactBuilder::recall(const Memory* old, Contact& c) const noexcept {
  c.z_W = c.s_W = Vec3::Zero();  // s_W: a rotation vector with a tangential and a normal part
  c.slipping = 0;
  if (!old) return;
  const Vec3& n = c.n_AB_W;
  const Vec3 w_AB_W = data.bodies()[c.body_b].w_WB - data.bodies()[c.body_a].w_WB;
  const double spin = -h * w_AB_W.dot(n);
  const Mat3& R_WB = data.R_WB[c.body_b];
  const SmallestRotation to_n(R_WB * old->n_B, n);
  c.slipping = old->slipping != 0.0;
  c.z_W = transported(old->z_B, to_n, R_WB, n, spin);
  const Vec3 s_W = to_n * (R_WB * old->s_B);
  c.s_W = s_W + 0.5 * spin * n.cross(s_W);
}

// From A's attachment point to B's.
Vec3 ContactBuilder::between_attachment_points(const Attachment& attachment) const noexcept {
  const Mat3 &R_WA = data.R_WB[model.shapes[shape_a].body], &R_WB = data.R_WB[model.shapes[shape_b].body];
  return r_AB_W + (R_WB * attachment.p_B - R_WA * attachment.p_A);
}

// A contact model. At the first contact its attachment points lie on the two surfaces.
void ContactBuilder::apply_stateful_law(const Memory* old, Contact& c) const noexcept {
  const Mat3 &R_WA = data.R_WB[c.body_a], &R_WB = data.R_WB[c.body_b];
  const Law& row = model.laws[law];
  Attachment& attachment_now = data.attachments[static_cast<std::size_t>(&c - data.contacts.data())];
  if (old) {
    attachment_now = attachment_of(*old);
    if (attachment_now.ended != 0.0) c.phase = Phase::ended;
  } else {
    const Vec3 half = 0.5 * c.depth * c.n_AB_W;
    attachment_now = {R_WA.transpose() * (c.p_AC_W + half), R_WB.transpose() * (c.p_BC_W - half), 0.0, 0.0, 0.0};
  }
  attachment_now.load_share = c.load_share;
  if (!row.is_user_law() && contact_models[row.model].force.between_attachment_points && c.phase == Phase::lasts) {
    c.p_AC_W = R_WA * attachment_now.p_A + 0.5 * between_attachment_points(attachment_now);
    c.p_BC_W = c.p_AC_W - r_AB_W;
  }
  set_velocity(data, c);
  c.slipping = 0;
  c.t_B_W = c.z_W = c.s_W = Vec3::Zero();
  if (row.is_user_law()) return load_user_state(old, c);
  apply_contact_model(c, attachment_now);
}

// The rows of contact_models get a foot on a wall, whichever of the two is A.
void ContactBuilder::apply_contact_model(Contact& c, Attachment& attachment) const noexcept {
  const LawParameters& parameters = data.laws()[law];
  const Law& row = model.laws[law];
  const Shape &A = model.shapes[shape_a], &B = model.shapes[shape_b];
  const bool foot_is_b = &model.grained(pair, A, B) == &A;
  const Shape& foot = foot_is_b ? B : A;
  const double sign = foot_is_b ? 1.0 : -1.0;
  const Vec3 q_W = sign * between_attachment_points(attachment), m_W = sign * c.n_AB_W;
  const double* const direction = parameters.model + contact_models[row.model].count - 3;  // the last three
  const Vec3 e_W = in_plane(data.R_WB[foot.body] * (foot.R_BS * Vec3(direction)), m_W);
  const AttachmentState attachment_state{
      q_W, sign * c.v_AB_W, m_W, e_W, c.depth, c.depth_rate, !c.apart, c.phase < Phase::ends, attachment.stored, h};
  const AttachmentForce found = contact_models[row.model].force.update(attachment_state, parameters.model);
  c.f_B_W = (sign * c.load_share) * found.f_W;
  c.normal_force = c.f_B_W.dot(c.n_AB_W);
  c.stored_energy = c.load_share * found.stored;
  c.heat = c.load_share * found.heat;
  const Vec3 left_W = q_W - found.slip_W, slip_t_W = found.slip_W - found.slip_W.dot(m_W) * m_W;
  c.slipping = slip_t_W.squaredNorm() > 0.0;
  c.z_W = sign * (left_W - left_W.dot(m_W) * m_W);
  if (found.ends) c.phase = Phase::ends;
  attachment.stored = found.stored;
  attachment.ended = c.phase >= Phase::ends ? 1.0 : 0.0;
  Vec3& p_wall = foot_is_b ? attachment.p_A : attachment.p_B;
  p_wall += data.R_WB[foot_is_b ? c.body_a : c.body_b].transpose() * found.slip_W;
}

// The state of a user law in this contact. User laws run when all contacts are known.
void ContactBuilder::load_user_state(const Memory* old, const Contact& c) const noexcept {
  const Law& row = model.laws[law];
  double* const own = data.own.data() + static_cast<std::size_t>(&c - data.contacts.data()) * model.own_width;
  std::fill_n(own, row.own_width(), 0.0);
  if (!old) return;
  const Vec3 w_AB_W = data.bodies()[c.body_b].w_WB - data.bodies()[c.body_a].w_WB;
  const double* const from = own_of(*old);
  const Mat3& R_WB = data.R_WB[c.body_b];
  const SmallestRotation to_n(R_WB * old->n_B, c.n_AB_W);
  std::copy_n(from, row.own_width(), own);
  for (std::int32_t i = 0; i < row.tangents; ++i) {
    const Vec3 z_W = transported(Vec3(from + 3 * i), to_n, R_WB, c.n_AB_W, -h * w_AB_W.dot(c.n_AB_W));
    std::copy_n(z_W.data(), 3, own + 3 * i);
  }
}

}  // namespace contactlib::step

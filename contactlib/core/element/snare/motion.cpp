// Poses of the bodies, the ring and the carriage, and their motion without the cables.
#include "step/motion.hpp"
#include "math/rotation.hpp"
#include "scratch.hpp"
#include "step/response/response.hpp"

namespace contactlib::element {

using math::matrix, math::turned;
using model::Body, model::Motion, model::the_world;
using step::Kick, step::apparent_mass_of, step::integrates, step::kick, step::under_load;

namespace {

SnareCarrier carrier(const ElementNow& now, std::size_t k, const BodyState& base, int& columns) noexcept {
  const std::int32_t i = now.element.bodies[k];
  const BodyState s = now.body(static_cast<int>(k));
  SnareCarrier out;
  out.R_WB = now.rotation(static_cast<int>(k));
  out.p_OB = out.p_OC = s.r_WB - base.r_WB;
  out.v = s.v_WB - base.v_WB;
  out.w = s.w_WB;
  if (i == the_world) return out;
  const Body& body = now.data.plant[i];
  if (!integrates(now.model, now.motion, i)) {  // its mean motion over the step is known
    if (under_load(now.model, now.motion, i)) {
      const Kick half = kick(now.model, now.data, now.motion, i, out.R_WB, 0.5 * now.h);
      out.p_OC += out.R_WB * body.p_BBcm;
      out.v = half.v_c_W - base.v_WB;
      out.w = half.w_W;
    } else if (body.motion == Motion::external) {
      out.v += 0.5 * now.h * now.data.input_rates()[i].force;
    }
    return out;
  }
  const Kick kicked = kick(now.model, now.data, now.motion, i, out.R_WB, now.h);
  out.column = columns;
  columns += 6;
  out.p_OC += out.R_WB * body.p_BBcm;
  out.v = kicked.v_c_W - base.v_WB;
  out.w = kicked.w_W;
  out.mass = apparent_mass_of(now.model, now.data, i, out.R_WB);
  return out;
}

}  // namespace

void take_carriage_load(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  s.carriage_push = 0.0;
  if (design.carriage_body < 0) return;
  const Wrench& load = now.data.explicit_wrenches_W()[now.element.bodies[design.carriage_body]];
  const Vec3 arm = now.body(design.carriage_body).r_WB - now.body(0).r_WB;
  now.add(0, {load.force, load.torque + arm.cross(load.force)});
  s.carriage_push = (now.rotation(0) * design.axis_B).dot(load.force);
}

void SnareMotion::take(const ElementNow& now, const SnareDesign& design, const SnareHead& head) noexcept {
  const BodyState base = now.body(0);
  columns = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) bodies[k] = carrier(now, k, base, columns);
  r_WO = base.r_WB;
  v_WO = base.v_WB;
  w_WB = base.w_WB;
  axis_W = bodies[0].R_WB * design.axis_B;
  p_OR = bodies[0].R_WB * design.p_BC;
  const auto coordinate = [&](const Drive& drive, double rate, double prescribed, int& column) {
    column = drive.mode == DriveMode::motor ? columns++ : -1;
    return drive.mode == DriveMode::motor ? rate : drive.mode == DriveMode::rate ? prescribed : 0.0;
  };
  ring_rate = coordinate(design.ring, head.ring_rate, snare_command(now, SnareCommand::ring_rate), ring);
  carriage_rate =
      coordinate(design.carriage, head.carriage_rate, snare_command(now, SnareCommand::carriage_rate), carriage);
}

// Rotated with the ring about its centre, then moved with the carriage.
Vec3 SnareMotion::place(const SnareAttachment& attachment, const SnareHead& head) const noexcept {
  const SnareCarrier& body = bodies[attachment.body];
  Vec3 p = body.p_OB + body.R_WB * attachment.p_BE;
  if (attachment.turns) p = p_OR + matrix(turned(Quat(1, 0, 0, 0), head.ring * axis_W)) * (p - p_OR);
  if (attachment.slides) p += head.carriage * axis_W;
  return p;
}

// v + w x (p - c) + ring' a x (p - m) + carriage' a
Vec3 SnareMotion::velocity(const SnareAttachment& attachment, const Vec3& p_OE) const noexcept {
  const SnareCarrier& body = bodies[attachment.body];
  Vec3 v = body.v + body.w.cross(p_OE - body.p_OC);
  if (attachment.turns) v += ring_rate * axis_W.cross(p_OE - p_OR);
  if (attachment.slides) v += carriage_rate * axis_W;
  return v;
}

void SnareMotion::spread(const SnareAttachment& attachment, const Vec3& p_OE, const Vec3& f, double* g) const noexcept {
  const SnareCarrier& body = bodies[attachment.body];
  if (body.column >= 0) {
    const Vec3 t = (p_OE - body.p_OC).cross(f);
    for (int i = 0; i < 3; ++i) {
      g[body.column + i] += f[i];
      g[body.column + 3 + i] += t[i];
    }
  }
  if (attachment.turns && ring >= 0) g[ring] += axis_W.cross(p_OE - p_OR).dot(f);
  if (attachment.slides && carriage >= 0) g[carriage] += axis_W.dot(f);
}

Vec3 SnareMotion::change(const SnareAttachment& attachment, const Vec3& p_OE, const double* dV) const noexcept {
  const SnareCarrier& body = bodies[attachment.body];
  Vec3 v = Vec3::Zero();
  if (body.column >= 0) {
    const Eigen::Map<const Vec3> dv(dV + body.column), dw(dV + body.column + 3);
    v = dv + dw.cross(p_OE - body.p_OC);
  }
  if (attachment.turns && ring >= 0) v += dV[ring] * axis_W.cross(p_OE - p_OR);
  if (attachment.slides && carriage >= 0) v += dV[carriage] * axis_W;
  return v;
}

}  // namespace contactlib::element

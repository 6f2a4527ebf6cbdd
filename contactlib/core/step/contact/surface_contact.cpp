#include "surface_contact.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"
#include "surface_friction.hpp"
#include "surface_patches.hpp"
#include "surface_pressing.hpp"

namespace contactlib::step {

using geometry::Reference, geometry::Shape, geometry::all_round, geometry::no_resultant;
using law::AdhesionForce, law::LawParameters, law::NormalForce, law::NormalInput, law::RollingTorque,
    law::adhesion_laws, law::friction_laws, law::no_law, law::normal_laws, law::rolling_laws;
using math::SmallestRotation, math::cross, math::dot, math::greater, math::lesser, math::in_all_lanes, math::in_lanes,
    math::lanes, math::load, math::store;
using model::BodyState, model::Law;

namespace {

// S and S' are those of the sharpness 2, for a law that needs a surface.
NormalInput input_at(const Law& row, const Reference& reference, double phi, double rate) noexcept {
  NormalInput in{phi, rate, {row.curve.data(), row.curve.size()}};
  if (!law::needs_surface(row.normal)) return in;
  in.extent2 = phi * phi * (reference.area + reference.line * std::sqrt(phi) + reference.ball * phi);
  in.extent2_slope = 2.0 * phi * geometry::area_at(reference, 2, phi);
  return in;
}

// The points that rub, from the centre of pressure, with their normals of sliding and shares: as much as they face the other
// surface, or all alike if no surface faces the other one, as of the edge of a sheet.
void find_sliding(const SurfacePoints& all, const Vec3& centre, SurfacePoints& out) noexcept {
  std::size_t count = 0;
  double sum = 0.0;
  const double least = std::max(0.0, geometry::little_facing - geometry::facing_part(all));
  for (std::size_t i = 0; i < all.count; ++i) {
    const double share = all.rubs(i) * all.load[i] * (all.facing[i] + least);
    if (!(share > 0.0)) continue;
    out.x[count] = all.x[i] - centre[0], out.y[count] = all.y[i] - centre[1], out.z[count] = all.z[i] - centre[2];
    const Vec3 n = all.slides_across(i);
    out.nx[count] = n[0], out.ny[count] = n[1], out.nz[count] = n[2];
    out.share[count++] = share, sum += share;
  }
  for (std::size_t i = 0; i < count; ++i) out.share[i] /= sum;
  for (; count % 8 != 0; ++count)
    out.x[count] = out.y[count] = out.z[count] = out.nx[count] = out.ny[count] = out.nz[count] = out.share[count] = 0.0;
  out.count = count;
}

// N, on which friction depends.
double rubbing_load(const SurfacePoints& points, double all) noexcept {
  if (!points.own_planes) return all;
  double load = 0.0;
  for (std::size_t i = 0; i < points.count; ++i) load += points.borne[i] * points.load[i];
  return load;
}

// Body and field axes of a contact.
struct Frames {
  Mat3 R_WF;
  Vec3 p_AF_W;  // m, from body A's origin to that of the field's axes

  Frames(const ContactBuilder& b, const Shape& A, const geometry::FieldFrame& frame) noexcept {
    const Mat3& R_WA = b.data.R_WB[A.body];
    const Mat3 R_WS = A.turned ? Mat3(R_WA * A.R_BS) : R_WA;
    R_WF = frame.is_of_a ? R_WS : Mat3(R_WS * frame.R_AF);
    p_AF_W = frame.is_of_a ? b.p_AS_W : Vec3(b.p_AS_W + R_WS * frame.p_AF_A);
  }
};

// The velocities of B against A in the field's axes, about their origin. The differences are taken first, so that orbital
// speeds cancel.
Twist twist_of(const ContactBuilder& b, const BodyState& A, const BodyState& B, const Frames& frames) noexcept {
  const Vec3 v_W = (B.v_WB - A.v_WB) + (B.w_WB.cross(frames.p_AF_W - b.r_AB_W) - A.w_WB.cross(frames.p_AF_W));
  return {frames.R_WF.transpose() * v_W, frames.R_WF.transpose() * (B.w_WB - A.w_WB)};
}

Twist about(const Twist& twist, const Vec3& x) noexcept {
  return {twist.linear + twist.angular.cross(x), twist.angular};
}

// The bristles before the step, in world axes, about the present centre of pressure. They follow half of the relative
// rotation of A and B, and the normal by the smallest rotation; in a contact all round only the former.
Twist recalled(const ContactBuilder& b, const Memory& old, const Contact& c) noexcept {
  const Mat3& R_WB = b.data.R_WB[c.body_b];
  const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
  Twist bent{R_WB * old.z_B, R_WB * old.turn_B};
  Vec3 back = -0.5 * b.h * w_AB_W;
  // a normal that has turned round has no smallest rotation
  if (c.feature == 0 && old.feature == 0.0 && (R_WB * old.n_B).dot(c.n_AB_W) > 0.0) {
    const SmallestRotation to_n(R_WB * old.n_B, c.n_AB_W);
    bent = {to_n * bent.linear, to_n * bent.angular};
    back = back.dot(c.n_AB_W) * c.n_AB_W;
  }
  bent.linear += back.cross(bent.linear), bent.angular += back.cross(bent.angular);
  bent.linear += bent.angular.cross(c.p_BC_W - R_WB * old.p_BC);
  return bent;
}

SlidingPoints sliding_points(const ContactBuilder& b, const SurfacePoints& points, const Law& row, const Contact& c,
                             const Mat3& R_WF) noexcept {
  const law::Grain grain = friction_laws[row.friction].force.grain
                               ? friction_laws[row.friction].force.grain(b.data.laws()[b.law].friction)
                               : law::Grain{};
  const Shape& grained = b.model.grained(c.pair, b.model.shapes[b.shape_a], b.model.shapes[b.shape_b]);
  const Vec3 direction = R_WF.transpose() * (b.data.R_WB[grained.body] * (grained.R_BS * grain.direction));
  return {points, grain.across2, grain.along2 - grain.across2, direction};
}

SurfaceFriction apply_friction(const ContactBuilder& b, SurfaceScratch& scratch, const Memory* old,
                               const Frames& frames, const Pressed& pressed, double load, const Twist& V,
                               Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  find_sliding(scratch.points, pressed.centre, scratch.sliding);
  const Twist bent_W = old ? recalled(b, *old, c) : Twist{Vec3::Zero(), Vec3::Zero()};
  const Mat3 R_FW = frames.R_WF.transpose();
  SurfaceBristles bristles{
      {R_FW * bent_W.linear, R_FW * bent_W.angular}, old ? old->stretch : 0.0, old && old->slipping != 0.0};
  Twist moved = about(V, pressed.centre);
  if (b.data.trial.verlet) {  // bodies moved at the mean of both velocities
    const Twist before = twist_of(b, b.data.before[c.body_a], b.data.before[c.body_b], frames);
    moved = (moved + about(before, pressed.centre)) * 0.5;
  }
  moved = moved * b.h;
  const SurfaceFriction found =
      rub(sliding_points(b, scratch.sliding, row, c, frames.R_WF), friction_laws[row.friction],
          b.data.laws()[b.law].friction, load, about(V, pressed.centre), moved, b.h, bristles);
  c.slipping = bristles.slipping;
  // only what is added is turned, so that bristles that hold are not rounded in each step
  c.z_W = bristles.kept * bent_W.linear + bristles.added * (frames.R_WF * moved.linear);
  c.turn_W = bristles.kept * bent_W.angular + bristles.added * (frames.R_WF * moved.angular);
  c.stretch = bristles.stretch;
  return found;
}

RollingTorque apply_rolling(const ContactBuilder& b, const Memory* old, double phi, double load, Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
  if (old && (b.data.R_WB[c.body_b] * old->n_B).dot(c.n_AB_W) > 0.0) {
    const Mat3& R_WB = b.data.R_WB[c.body_b];
    const Vec3 s_W = SmallestRotation(R_WB * old->n_B, c.n_AB_W) * (R_WB * old->s_B);
    c.s_W = s_W - 0.5 * b.h * w_AB_W.dot(c.n_AB_W) * c.n_AB_W.cross(s_W);
  }
  return rolling_laws[row.rolling].force({w_AB_W, c.n_AB_W, load, phi}, b.h, b.data.laws()[b.law].rolling, c.s_W);
}

void begin(const ContactBuilder& b, const Memory* old, Contact& c) noexcept {
  c.pair = b.pair;
  c.shape_a = b.shape_a, c.shape_b = b.shape_b;
  c.body_a = b.model.shapes[b.shape_a].body, c.body_b = b.model.shapes[b.shape_b].body;
  c.slipping = 0;
  c.law = b.law;
  c.phase = old ? state::Phase::lasts : state::Phase::begins;
  c.apart = 0, c.surface = 1, c.reserved = 0;
  c.z_W = c.turn_W = c.s_W = Vec3::Zero();
  c.stretch = 0.0;
  c.age = old ? old->age + b.h : 0.0;
}

// Where the contact is: its line of action, seen as one point.
void place(const ContactBuilder& b, const Frames& frames, const SurfaceScratch& scratch, const Depth& depth,
           const Pressed& pressed, const Twist& V, Contact& c) noexcept {
  const double resultant = pressed.pull.norm();
  c.feature = resultant > all_round * pressed.weight ? 0 : 1;
  const SurfacePoints& p = scratch.points;
  const Vec3 n =
      resultant > no_resultant * pressed.weight ? Vec3(pressed.pull / resultant) : Vec3(p.nx[0], p.ny[0], p.nz[0]);
  c.n_AB_W = frames.R_WF * n;
  c.p_AC_W = frames.p_AF_W + frames.R_WF * pressed.centre;
  c.p_BC_W = c.p_AC_W - b.r_AB_W;
  c.depth = depth.deepest;
  c.depth_rate = pressed.rate;
  c.load_share = resultant * depth.phi / depth.deepest;
  c.v_AB_W = frames.R_WF * about(V, pressed.centre).linear;
  c.area = depth.area;
  c.reference_area = geometry::area_at(scratch.reference, scratch.sharpness, depth.phi);
}

// For a query.
void report(SurfaceScratch& scratch, const Depth& depth, const Frames& frames, const Pressed& pressed, const Twist& V,
            double adhesion, state::PatchQuery& query) noexcept {
  SurfacePoints& points = scratch.points;
  try {
    if (query.forces.x.size() < points.x.size()) query.forces.resize(points.x.size());
  } catch (...) {
    query.failed = true;
    return;
  }
  SurfacePoints& forces = query.forces;
  forces_of(points, pressed.law, V, forces);
  for (std::size_t i = 0; i < points.count; ++i) {
    const double pull = adhesion * points.weight[i];
    forces.x[i] -= pull * points.nx[i], forces.y[i] -= pull * points.ny[i], forces.z[i] -= pull * points.nz[i];
  }
  add_patches(scratch, depth, frames.R_WF, frames.p_AF_W, query);
}

}  // namespace

void build_surface_contact(const ContactBuilder& b, SurfaceScratch& scratch, const Depth& depth, const Memory* old,
                           Contact& c) noexcept {
  const Law& row = b.model.laws[b.law];
  const LawParameters& parameters = b.data.laws()[b.law];
  begin(b, old, c);
  const Frames frames(b, b.model.shapes[b.shape_a], scratch.frame);
  const Twist V = twist_of(b, b.data.bodies()[c.body_a], b.data.bodies()[c.body_b], frames);
  const auto normal = [&](double rate) {
    return normal_laws[row.normal].force(input_at(row, scratch.reference, depth.phi, rate), parameters.normal);
  };
  const NormalForce spring = normal(0.0);
  expand(depth, scratch);
  const Pressed pressed = press(scratch.points, spring.force, normal(1.0).force - spring.force, V, scratch.sharpness);
  place(b, frames, scratch, depth, pressed, V, c);
  if (scratch.frame.convex) flatten(scratch.points, pressed.weight, pressed.pull);
  const double load = rubbing_load(scratch.points, pressed.total);
  AdhesionForce adhesion{0.0, 0.0};
  const NormalInput input = input_at(row, scratch.reference, depth.phi, pressed.rate);
  if (row.adhesion != no_law) adhesion = adhesion_laws[row.adhesion].force(input, parameters.adhesion);
  if (b.data.patch_query) report(scratch, depth, frames, pressed, V, adhesion.force, *b.data.patch_query);
  SurfaceFriction friction{{Vec3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  if (row.friction != no_law) friction = apply_friction(b, scratch, old, frames, pressed, load, V, c);
  RollingTorque rolling{Vec3::Zero(), 0.0, 0.0};
  if (row.rolling != no_law) rolling = apply_rolling(b, old, depth.phi, load, c);
  const Vec3 force = pressed.force - adhesion.force * pressed.pull;
  const Vec3 couple = pressed.couple - adhesion.force * pressed.pull_couple - pressed.centre.cross(force);
  c.normal_force = pressed.total - adhesion.force;
  c.f_B_W = frames.R_WF * (force + friction.wrench.linear);
  c.t_B_W = frames.R_WF * (couple + friction.wrench.angular) + rolling.t_W;
  c.stored_energy = spring.stored + adhesion.stored + friction.stored + rolling.stored;
  c.heat = pressed.heat + friction.heat + rolling.heat;
}

}  // namespace contactlib::step

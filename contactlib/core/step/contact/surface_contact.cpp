#include "surface_contact.hpp"

#include <algorithm>
#include <cmath>

#include "math/rotation.hpp"
#include "surface_friction.hpp"

namespace contactlib::step {

using geometry::Shape, geometry::SurfacePoint, geometry::power;
using law::AdhesionForce, law::LawParameters, law::NormalForce, law::NormalInput, law::RollingTorque,
    law::adhesion_laws, law::friction_laws, law::no_law, law::normal_laws, law::rolling_laws;
using math::SmallestRotation;
using model::BodyState, model::Law;

namespace {

// Below this part of the load, the resultant of the normal forces has no direction: the contact is all round.
constexpr double all_round = 0.1;

// The velocities of B against A in the axes of shape A, about its origin.
Twist twist_of(const Data& data, const ContactBuilder& b, const BodyState* states, const Mat3& R_SW,
               std::int32_t body_a, std::int32_t body_b) noexcept {
  const BodyState &A = states[body_a], &B = states[body_b];
  const Vec3 v_W = (B.v_WB - A.v_WB) + (B.w_WB.cross(b.p_AS_W - b.r_AB_W) - A.w_WB.cross(b.p_AS_W));
  (void)data;
  return {R_SW * v_W, R_SW * (B.w_WB - A.w_WB)};
}

Twist about(const Twist& twist, const Vec3& x) noexcept {
  return {twist.linear + twist.angular.cross(x), twist.angular};
}

// f(Phi) and c
struct NormalLawAt {
  NormalForce spring;
  double damping;
};

NormalLawAt law_at(const Law& row, const LawParameters& parameters, double phi) noexcept {
  const law::Curve curve{row.curve.data(), row.curve.size()};
  const auto force = [&](double rate) {
    return normal_laws[row.normal].force(NormalInput{phi, rate, curve}, parameters.normal);
  };
  const NormalForce spring = force(0.0);
  return {spring, force(1.0).force - spring.force};  // all laws are linear in the rate
}

}  // namespace

void build_surface_contact(const ContactBuilder& b, SurfaceScratch& points, const Depth& depth, const Seat& seat,
                           const Memory* old, Contact& c) noexcept {
  const Shape &A = b.model.shapes[b.shape_a], &B = b.model.shapes[b.shape_b];
  const Law& row = b.model.laws[b.law];
  const LawParameters& parameters = b.data.laws()[b.law];
  c.pair = b.pair, c.feature = 0;
  c.shape_a = b.shape_a, c.shape_b = b.shape_b;
  c.body_a = A.body, c.body_b = B.body;
  c.law = b.law;
  c.phase = old ? state::Phase::lasts : state::Phase::begins;
  c.apart = 0, c.surface = 1, c.reserved = 0;
  c.age = old ? old->age + b.h : 0.0;
  c.area = depth.area;
  const Mat3 R_WS = A.turned ? Mat3(b.data.R_WB[A.body] * A.R_BS) : b.data.R_WB[A.body], R_SW = R_WS.transpose();
  const Twist V = twist_of(b.data, b, b.data.bodies(), R_SW, A.body, B.body);
  Twist before = V;
  if (b.data.trial.verlet) before = twist_of(b.data, b, b.data.before.data(), R_SW, A.body, B.body);

  const NormalLawAt law = law_at(row, parameters, depth.phi);
  const int p = seat.sharpness;
  SurfacePoint *const first = points.points.data(), *const end = first + points.count;
  double* const closing = points.closing.data();
  double* const load = points.load.data();
  double rate = 0.0;
  std::size_t j = 0;
  for (const SurfacePoint* x = first; x < end; ++x, ++j) {
    closing[j] = -x->n_AB.dot(V.linear + V.angular.cross(x->x));
    load[j] = depth.scale * x->area * power(x->extent / depth.deepest, p - 2);
    rate += load[j] * (x->extent / depth.deepest) * x->facing * closing[j];
  }
  // forces of the spring and of damping, and the couple, about the origin of shape A
  Vec3 force = Vec3::Zero(), couple = Vec3::Zero(), middle = Vec3::Zero(), pull = Vec3::Zero(), pull_couple = pull;
  double total = 0.0, heat = 0.0, weights = 0.0;
  Vec3 weighted = Vec3::Zero();
  j = 0;
  for (const SurfacePoint* x = first; x < end; ++x, ++j) {
    const double t = x->extent / depth.deepest, w = load[j] * t, spring = w * law.spring.force;
    double pressed = spring;
    if (law.damping != 0.0) {
      const double viscous =
          law.damping * x->facing *
          ((p - 1) * (depth.phi / depth.deepest) * x->facing * closing[j] - (p - 2) * t * rate);
      pressed = std::max(0.0, spring + load[j] * viscous);
      heat += (pressed - spring) * closing[j];
    }
    load[j] = pressed;
    const Vec3 f = pressed * x->n_AB;
    force += f, couple += x->x.cross(f), middle += pressed * x->x, total += pressed;
    weighted += w * x->x, weights += w;
    pull += w * x->n_AB, pull_couple += x->x.cross(w * x->n_AB);
  }
  const Vec3 centre = total > 0.0 ? Vec3(middle / total) : Vec3(weighted / weights);
  const NormalInput normal_input{depth.phi, rate, {row.curve.data(), row.curve.size()}};
  AdhesionForce adhesion{0.0, 0.0};
  if (row.adhesion != no_law) adhesion = adhesion_laws[row.adhesion].force(normal_input, parameters.adhesion);
  const double resultant = pull.norm();
  const bool round = !(resultant > all_round * weights);
  c.feature = round ? 1 : 0;
  Vec3 n = resultant > 1e-9 * weights ? Vec3(pull / resultant) : first->n_AB;

  // world axes
  c.n_AB_W = R_WS * n;
  c.p_AC_W = b.p_AS_W + R_WS * centre;
  c.p_BC_W = c.p_AC_W - b.r_AB_W;
  c.depth = depth.deepest;
  c.depth_rate = rate;
  c.load_share = resultant * depth.phi / depth.deepest;
  const Twist at_centre = about(V, centre);
  c.v_AB_W = R_WS * at_centre.linear;
  c.slipping = 0;
  c.z_W = c.turn_W = c.s_W = Vec3::Zero();
  c.stretch = 0.0;

  // friction
  SurfaceFriction friction{{Vec3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  if (row.friction != 0) {
    SurfaceBristles bristles{{Vec3::Zero(), Vec3::Zero()}, 0.0, false};
    Vec3 s_W = Vec3::Zero(), turn_W = Vec3::Zero();
    if (old) {
      const Mat3& R_WB = b.data.R_WB[B.body];
      const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
      s_W = R_WB * old->z_B, turn_W = R_WB * old->turn_B;
      if (round || old->feature != 0.0) {
        s_W -= 0.5 * b.h * w_AB_W.cross(s_W), turn_W -= 0.5 * b.h * w_AB_W.cross(turn_W);
      } else {
        const SmallestRotation to_n(R_WB * old->n_B, c.n_AB_W);
        const double spin = -b.h * w_AB_W.dot(c.n_AB_W);
        s_W = to_n * s_W, turn_W = to_n * turn_W;
        s_W += 0.5 * spin * c.n_AB_W.cross(s_W), turn_W += 0.5 * spin * c.n_AB_W.cross(turn_W);
      }
      s_W += turn_W.cross(c.p_BC_W - R_WB * old->p_BC);
      bristles = {{R_SW * s_W, R_SW * turn_W}, old->stretch, old->slipping != 0.0};
    }
    double facing = 0.0;
    j = 0;
    std::size_t kept = 0;
    SlidingPoint* const sliding = points.sliding.data();
    for (const SurfacePoint* x = first; x < end; ++x, ++j) {
      const double share = load[j] * x->facing;
      if (!(share > 0.0)) continue;
      sliding[kept++] = {x->x - centre, x->n_AB, share};
      facing += share;
    }
    for (std::size_t i = 0; i < kept; ++i) sliding[i].share /= facing;
    SlidingPoints all{sliding, kept};
    const Twist moved = (at_centre + about(before, centre)) * (0.5 * b.h);
    friction = rub(all, friction_laws[row.friction], parameters.friction, total, at_centre, moved, b.h, bristles);
    c.slipping = bristles.slipping;
    c.z_W = bristles.kept * s_W + bristles.added * (R_WS * moved.linear);
    c.turn_W = bristles.kept * turn_W + bristles.added * (R_WS * moved.angular);
    c.stretch = bristles.stretch;
  }
  RollingTorque rolling{Vec3::Zero(), 0.0, 0.0};
  if (row.rolling != no_law) {
    const Vec3 w_AB_W = b.data.bodies()[c.body_b].w_WB - b.data.bodies()[c.body_a].w_WB;
    if (old) {
      const Mat3& R_WB = b.data.R_WB[B.body];
      const double spin = -b.h * w_AB_W.dot(c.n_AB_W);
      const Vec3 s_W = SmallestRotation(R_WB * old->n_B, c.n_AB_W) * (R_WB * old->s_B);
      c.s_W = s_W + 0.5 * spin * c.n_AB_W.cross(s_W);
    }
    rolling = rolling_laws[row.rolling].force({w_AB_W, c.n_AB_W, total, depth.phi}, b.h, parameters.rolling, c.s_W);
  }
  force -= adhesion.force * pull, couple -= adhesion.force * pull_couple;
  c.normal_force = total - adhesion.force;
  c.f_B_W = R_WS * (force + friction.wrench.linear);
  c.t_B_W = R_WS * (couple - centre.cross(force) + friction.wrench.angular) + rolling.t_W;
  c.stored_energy = law.spring.stored + adhesion.stored + friction.stored + rolling.stored;
  c.heat = std::max(0.0, heat) + friction.heat + rolling.heat;
}

}  // namespace contactlib::step

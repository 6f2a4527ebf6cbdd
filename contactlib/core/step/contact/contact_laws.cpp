#include "contact_laws.hpp"

#include <algorithm>

#include "contact_columns.hpp"
#include "math/lanes.hpp"

namespace contactlib::step {

using geometry::Shape;
using law::AdhesionForce, law::Bristle, law::FrictionForce, law::FrictionInput, law::LawParameters, law::NormalForce,
    law::NormalInput, law::RollingTorque, law::adhesion_laws, law::friction_laws, law::no_law, law::normal_laws,
    law::rolling_laws;
using model::BodyState, model::Law;

// v = v_B + w_B x p_BC - v_A - w_A x p_AC; the differences are taken first, so that orbital speeds cancel
void set_velocity(const Data& data, Contact& c) noexcept {
  const BodyState &a = data.bodies()[c.body_a], &b = data.bodies()[c.body_b];
  c.v_AB_W = (b.v_WB - a.v_WB) + (b.w_WB.cross(c.p_BC_W) - a.w_WB.cross(c.p_AC_W));
  c.depth_rate = -c.v_AB_W.dot(c.n_AB_W);
}

namespace {

// Of fewer contacts, one after the other is as fast.
constexpr std::size_t least_in_lanes = 3;

// Bodies moved at the mean of both velocities: z + h (v' - (v' - v)/2)
void move_at_mean(const Data& data, double h, Contact& c) noexcept {
  const Vec3& n = c.n_AB_W;
  const BodyState &a = data.before[c.body_a], &b = data.before[c.body_b];
  const BodyState &a_now = data.bodies()[c.body_a], &b_now = data.bodies()[c.body_b];
  const Vec3 v_W = (b.v_WB - a.v_WB) + (b.w_WB.cross(c.p_BC_W) - a.w_WB.cross(c.p_AC_W)), dv_W = c.v_AB_W - v_W;
  c.z_W -= 0.5 * h * (dv_W - dv_W.dot(n) * n);
  c.s_W -= 0.5 * h * ((b_now.w_WB - a_now.w_WB) - (b.w_WB - a.w_WB));
}

// Normal law, adhesion, friction and rolling resistance, which add up.
void apply_laws(const Model& model, const Data& data, double h, Contact& c) noexcept {
  const Law& row = model.laws[c.law];
  const LawParameters& parameters = data.laws()[c.law];
  const Vec3& n = c.n_AB_W;
  const double apart = -c.depth_rate;
  Bristle bristle{c.z_W, c.slipping != 0};
  const NormalInput normal_input{c.depth, c.depth_rate, {row.curve.data(), row.curve.size()}};
  const NormalForce normal = normal_laws[row.normal].force(normal_input, parameters.normal);
  AdhesionForce adhesion{0.0, 0.0};
  if (row.adhesion != no_law) adhesion = adhesion_laws[row.adhesion].force(normal_input, parameters.adhesion);
  const Shape& grained = model.grained(c.pair, model.shapes[c.shape_a], model.shapes[c.shape_b]);
  const FrictionInput sliding{c.v_AB_W - apart * n, n, normal.force, &data.R_WB[grained.body], &grained.R_BS};
  const FrictionForce friction = friction_laws[row.friction].force(sliding, h, parameters.friction, bristle);
  RollingTorque rolling{Vec3::Zero(), 0.0, 0.0};
  if (row.rolling != no_law) {
    const Vec3 w_AB_W = data.bodies()[c.body_b].w_WB - data.bodies()[c.body_a].w_WB;
    rolling = rolling_laws[row.rolling].force({w_AB_W, n, normal.force, c.depth}, h, parameters.rolling, c.s_W);
  }
  c.normal_force = c.load_share * (normal.force - adhesion.force);
  c.f_B_W = c.normal_force * n + c.load_share * friction.f_t_W;
  c.t_B_W = c.load_share * rolling.t_W;
  c.stored_energy = c.load_share * (normal.stored + adhesion.stored + friction.stored + rolling.stored);
  c.heat = c.load_share * (normal.heat + friction.heat + rolling.heat);
  c.slipping = bristle.slipping;
  c.z_W = bristle.z_W;
}

// Whether contacts of this law are computed in lanes.
bool goes_in_lanes(const Data& data, const Law& row) noexcept {
  return math::lane_count() >= 4 && row.adhesion == no_law && row.rolling == no_law &&
         friction_laws[row.friction].force.in_space && !data.trial.verlet;
}

}  // namespace

void ContactLaws::apply() noexcept {
  while (next_ != data_.count) {
    Contact* const first = data_.contacts.data() + next_;
    if (first->surface) {  // has its force
      ++next_;
      continue;
    }
    const std::size_t most = std::min(most_in_lanes, data_.count - next_);
    std::size_t count = 1;
    while (count < most && first[count].law == first->law && !first[count].surface) ++count;
    next_ += count;
    const Law& row = model_.laws[first->law];
    if (row.is_stateful()) continue;
    const bool in_lanes = count >= least_in_lanes && goes_in_lanes(data_, row);
    if (in_lanes && apply_in_lanes(model_, data_, first, count, h_)) continue;
    for (std::size_t k = 0; k < count; ++k) {
      set_velocity(data_, first[k]);
      if (data_.trial.verlet) move_at_mean(data_, h_, first[k]);
      apply_laws(model_, data_, h_, first[k]);
    }
  }
}

void ContactLaws::apply_if_many() noexcept {
  if (data_.count - next_ >= most_in_lanes) apply();
}

}  // namespace contactlib::step

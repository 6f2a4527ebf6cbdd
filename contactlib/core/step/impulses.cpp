#include "impulses.hpp"

#include "math/rotation.hpp"
#include "response/response.hpp"

namespace contactlib::step {

using math::matrix, math::product;
using model::Motion;

namespace {

void add(const Model& model, Data& data, const Wrench* wrenches, double duration, ImpulseSums& sums) noexcept {
  duration *= sums.weight;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Wrench impulse{duration * wrenches[i].force, duration * wrenches[i].torque};
    if (model.bodies[i].interface())
      impulse.torque -= (matrix(data.bodies()[i].q_WB) * data.plant[i].p_BBcm).cross(impulse.force);
    sums.impulses[i].force += impulse.force;
    sums.impulses[i].torque += impulse.torque;
    if (!sums.moments) continue;
    sums.moments[i].force += sums.left * impulse.force;
    sums.moments[i].torque += sums.left * impulse.torque;
  }
}

}  // namespace

void add_impulses(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept {
  if (sums && sums->impulses) add(model, data, data.wrenches_W(), duration, *sums);
}

void add_free_work(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept {
  if (!sums) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::free) continue;
    const auto& [f_W, t_W] = data.wrenches_W()[i];
    sums->free_work[i] += duration * (f_W.dot(data.bodies()[i].v_WB) + t_W.dot(data.bodies()[i].w_WB));
  }
}

void add_path_work(const Model& model, Data& data, double duration, ImpulseSums* sums) noexcept {
  if (!sums) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const auto& [f_W, t_W] = data.wrenches_W()[i];
    sums->work[i] += duration * (f_W.dot(data.bodies()[i].v_WB) + t_W.dot(data.bodies()[i].w_WB));
  }
}

void correct_end(const Model& model, Data& data, InterfaceMotion motion, double duration, ImpulseSums& sums) noexcept {
  const Wrench* const wrenches = data.explicit_wrenches_W();
  add(model, data, wrenches, duration, sums);
  if (motion != InterfaceMotion::present_wrench) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    if (!body.interface()) continue;
    BodyState& s = data.bodies()[i];
    const Wrench &wrench = wrenches[i], &outside = data.interfaces()[i].outside;
    const Mat3 R = matrix(s.q_WB);
    const Wrench caused =
        response_to(model, data, i, R, {wrench.force, wrench.torque - (R * body.p_BBcm).cross(wrench.force)});
    change_momentum(body, duration * (caused.force + outside.force), duration * (caused.torque + outside.torque), s);
  }
}

void find_mean(const Model& model, const Data& data, CouplingScratch& scratch, double H) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Wrench& mean = scratch.mean[i];
    mean = {scratch.impulses[i].force / H, scratch.impulses[i].torque / H};
    if (model.bodies[i].interface()) mean.torque += (scratch.R_middle[i] * data.plant[i].p_BBcm).cross(mean.force);
  }
}

void change_momentum(const Body& body, const Vec3& dP_W, const Vec3& dL_W, BodyState& s) noexcept {
  const Mat3 R = matrix(s.q_WB);
  const Vec3 dw_W = R * (body.I_BBcm_inverse * (R.transpose() * dL_W));
  s.w_WB += dw_W;
  s.v_WB += dP_W / body.mass - dw_W.cross(R * body.p_BBcm);
}

Wrench impulse_of_displacement(const Model& model, Data& data, std::size_t i, const BodyState& from,
                               const BodyState& to) noexcept {
  const Body& body = data.plant[i];
  const Mat3 R = matrix(from.q_WB);
  const Vec3 d_W = to.r_WB - from.r_WB + (matrix(to.q_WB) - R) * body.p_BBcm;
  const Quat& q = from.q_WB;
  const Quat turn = product(Quat(q[0], -q[1], -q[2], -q[3]), to.q_WB);
  const Vec3 a_B = (turn[0] < 0.0 ? -2.0 : 2.0) * turn.tail<3>();
  return cause_of(model, data, i, R, {body.mass * d_W, R * (body.I_BBcm * a_B)});
}

double energy_of_impulse(const Model& model, Data& data, std::size_t i, const Mat3& R,
                         const Wrench& impulse_W) noexcept {
  const Body& body = data.plant[i];
  const Wrench gain = response_to(model, data, i, R, impulse_W);
  const Vec3 L_B = R.transpose() * impulse_W.torque;
  return 0.5 *
         (impulse_W.force.dot(gain.force) / body.mass + L_B.dot(body.I_BBcm_inverse * (R.transpose() * gain.torque)));
}

double energy_of_wrench(const Model& model, Data& data, std::size_t i, const Wrench& wrench_W, double H) noexcept {
  const Mat3 R = matrix(data.bodies()[i].q_WB);
  const auto& [f_W, t_W] = wrench_W;
  return energy_of_impulse(model, data, i, R, {H * f_W, H * (t_W - (R * data.plant[i].p_BBcm).cross(f_W))});
}

double energy_of_impulses(const Model& model, Data& data, const CouplingScratch& scratch) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].interface()) sum += energy_of_impulse(model, data, i, scratch.R_middle[i], scratch.impulses[i]);
  return sum;
}

}  // namespace contactlib::step

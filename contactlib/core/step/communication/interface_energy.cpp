#include "interface_energy.hpp"

#include <algorithm>
#include <cmath>

#include "energy_budget.hpp"
#include "step/islands.hpp"
#include "step/response/momentum.hpp"
#include "step/response/response.hpp"

namespace contactlib::step {

using math::product;
using model::Motion;
using state::Exchange, state::Interface;

namespace {

constexpr double most = 0.3;  // of the impulse: a greater change is no correction
constexpr int iterations = 3;
constexpr double flat = 0.1;  // of c: with a smaller slope the energy hardly depends on s

// J, work of the present wrench on the way H J/2m of an interface body.
double work_on_way(const Model& model, Data& data, std::size_t i, const Wrench& impulse, double H) noexcept {
  const Body& body = data.plant[i];
  if (!body.interface()) return 0.0;
  const Wrench& wrench = data.wrenches_W()[i];
  const Mat3 R = matrix(data.bodies()[i].q_WB);
  const Wrench gain = response_to(model, data, i, R, impulse);
  const Vec3 t_c_W = wrench.torque - (R * body.p_BBcm).cross(wrench.force);
  return 0.5 * H / body.mass * wrench.force.dot(gain.force) +
         0.5 * H * t_c_W.dot(R * (body.I_BBcm_inverse * (R.transpose() * gain.torque)));
}

// The root of  c s^2 + linear s + constant = 0,  by iterations from 1.
double conserving_factor(const IslandSums& sums) noexcept {
  double s = 1.0;
  for (int k = 0; k < iterations; ++k) {
    const double error = (sums.square * s + sums.linear) * s + sums.constant;
    const double slope = 2.0 * sums.square * s + sums.linear;
    const double square = slope * slope + flat * flat * sums.square * sums.square;
    if (square > 0.0) s -= error * slope / square;
  }
  return std::clamp(s, 1.0 - most, 1.0 + most);
}

}  // namespace

double work_between(const Body& body, const Wrench& wrench_W, const BodyState& from, const BodyState& to) noexcept {
  const Vec3 d_W = to.r_WB - from.r_WB + (matrix(to.q_WB) - matrix(from.q_WB)) * body.p_BBcm;
  const Quat& q = from.q_WB;
  const Quat turn = product(to.q_WB, Quat(q[0], -q[1], -q[2], -q[3]));
  const Vec3 angle_W = (turn[0] < 0.0 ? -2.0 : 2.0) * turn.tail<3>();
  return wrench_W.force.dot(d_W) + wrench_W.torque.dot(angle_W);
}

namespace {

// J, of a wrench about the origin, while a body goes from where it was expected to its inputs.
double work_of_jump(const Body& body, const Interface& interface, const Wrench& wrench, const BodyState& to) noexcept {
  const Vec3 c_W = matrix(interface.expected.q_WB) * body.p_BBcm;
  return work_between(body, {wrench.force, wrench.torque - c_W.cross(wrench.force)}, interface.expected, to);
}

}  // namespace

double held_work(Data& data, std::size_t i) noexcept {
  const Body& body = data.plant[i];
  const Interface& interface = data.interfaces()[i];
  const BodyState &from = interface.start, &to = data.bodies()[i];
  return work_between(body, about_centre_of_mass(data, body, interface.held, middle_rotation(from.q_WB, to.q_WB)), from,
                      to);
}

void add_interface_energy(const Model& model, Data& data) noexcept {
  const bool conserves = data.exchange().conserves != 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    Interface& interface = data.interfaces()[i];
    if (!conserves) interface.debt = 0.0;
    if (body.motion != Motion::external) continue;
    const double jump = work_of_jump(body, interface, interface.end, data.bodies()[i]);
    const double created = held_work(data, i) - interface.path_work - jump;
    interface.energy_error += created;
    if (conserves) interface.debt += created;
  }
}

void correct_jumps(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    if (body.motion != Motion::external) continue;
    Interface& interface = data.interfaces()[i];
    const Wrench &now = data.wrenches_W()[i], &end = interface.end;
    const Wrench change{0.5 * (now.force - end.force), 0.5 * (now.torque - end.torque)};
    const double created = -work_of_jump(body, interface, change, data.bodies()[i]);
    interface.energy_error += created;
  }
}

void forget_debt(const Model& model, Data& data) noexcept {
  Exchange& exchange = data.exchange();
  exchange.conserves = exchange.made_for = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.interfaces()[i].debt = 0.0;
}

void keep_path_work(const Model& model, Data& data, const CouplingScratch& scratch) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.interfaces()[i].path_work = scratch.work[i];
    data.interfaces()[i].island = static_cast<double>(island_of(scratch.islands, i));
    data.interfaces()[i].end = data.wrenches_W()[i];
  }
}

void predict_debts(const Model& model, Data& data, CouplingScratch& scratch) noexcept {
  const bool conserves = data.exchange().conserves != 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Interface& interface = data.interfaces()[i];
    scratch.debt[i] = conserves ? interface.debt : 0.0;
    if (conserves && model.bodies[i].motion == Motion::external)
      scratch.debt[i] += held_work(data, i) - interface.path_work;
  }
}

void conserve(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept {
  sum_islands(model, scratch, [&](IslandSums& sums, std::size_t i) noexcept {
    const Wrench &one = scratch.impulses[i], &two = scratch.held_impulses[i];
    const auto [linear, square] = work_of(model, data, scratch, two, i, H);
    sums.square += square;
    sums.linear += linear - work_on_way(model, data, i, two, H);
    sums.constant += work_on_way(model, data, i, one, H) + scratch.debt[i];
    if (model.bodies[i].motion == Motion::external) sums.constant -= scratch.work[i];
  });
  for (IslandSums& sums : scratch.sums) sums.factor = conserving_factor(sums);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double s = scratch.sums[island_of(scratch.islands, i)].factor;
    scratch.impulses[i] = {s * scratch.held_impulses[i].force, s * scratch.held_impulses[i].torque};
  }
}

}  // namespace contactlib::step

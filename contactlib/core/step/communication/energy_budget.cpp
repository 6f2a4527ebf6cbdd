#include "energy_budget.hpp"

#include <algorithm>
#include <cmath>

#include "interface_energy.hpp"
#include "step/impulses.hpp"
#include "step/momentum.hpp"
#include "step/response/response.hpp"

namespace contactlib::step {

using model::Motion;
using state::Exchange;

namespace {

// relative to the stored energy: a held mean that removes too much energy returns it
constexpr double stored_margin = 0.1;
constexpr double given_margin = 0.03;  // error of the stored energy, at the order of a sub-step

double bounded(double budget, double stored) noexcept {
  return std::min(budget, stored + stored_margin * std::abs(stored));
}

// J, of the wrenches that the master holds while external bodies move from the inputs to the present states.
double work_since_inputs(const Model& model, Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].motion == Motion::external) sum += held_work(data, i);
  return sum;
}

}  // namespace

Work work_of(const Model& model, Data& data, const CouplingScratch& scratch, const Wrench* impulses,
             double H) noexcept {
  const auto* const start = reinterpret_cast<const BodyState*>(scratch.start.numbers() + data.bodies_at);
  Work sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    const Wrench& impulse = impulses[i];
    if (body.interface()) {
      const Mat3& R = scratch.R_middle[i];
      const Wrench& outside = data.interfaces()[i].outside;
      const Vec3 w_gain_W = R * (body.I_BBcm_inverse * (R.transpose() * outside.torque));
      const Vec3 v_c_W = start[i].v_WB + start[i].w_WB.cross(R * body.p_BBcm) + 0.5 * H / body.mass * outside.force;
      sum.linear += impulse.force.dot(v_c_W) + impulse.torque.dot(start[i].w_WB + 0.5 * H * w_gain_W);
      sum.square += energy_of_impulse(model, data, i, R, impulse);
    } else if (body.motion == Motion::external) {
      sum.linear += impulse.force.dot(start[i].v_WB) + impulse.torque.dot(start[i].w_WB);
    }
  }
  return sum;
}

double stored_in_state(const Model& model, const Data& data) noexcept {
  double sum = data.globals().energy_stored;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).stored;
  return sum;
}

double stored_now(const Model& model, const Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < data.count; ++k) sum += data.contacts[k].stored_energy;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).stored;
  return sum;
}

double supplied_so_far(const Model& model, const Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).supplied;
  return sum;
}

void subtract_work(const Model& model, Data& data, double H) noexcept {
  if (H > 0.0) data.exchange().budget -= work_since_inputs(model, data);
}

void forget_budget(Data& data) noexcept { data.exchange().known = 0.0; }

void update_budget(const Model& model, Data& data, double stored, bool begins) noexcept {
  Exchange& exchange = data.exchange();
  const double supplied = supplied_so_far(model, data);
  if (exchange.known != 0.0)
    exchange.budget = bounded(exchange.budget + supplied - exchange.supplied, stored);
  else
    exchange.budget = stored;
  if (begins) exchange.known = 1.0;
  exchange.supplied = supplied;
}

void subtract_free_work(Data& data, double free_work) noexcept { data.exchange().budget -= free_work; }

double predicted_budget(const Model& model, Data& data, double free_work) noexcept {
  Exchange& exchange = data.exchange();
  const double given = work_since_inputs(model, data), stored = stored_in_state(model, data);
  const double supplied = supplied_so_far(model, data) - exchange.supplied;
  subtract_free_work(data, free_work);
  if (exchange.known == 0.0) exchange.budget = stored + given - supplied;
  exchange.known = 1.0;
  return bounded(exchange.budget - given + supplied, stored);
}

// s: the root of  s a + s^2 c = W,  or the minimum of the left side
bool limit_to_budget(const Model& model, Data& data, CouplingScratch& scratch, double H, double budget,
                     double stored) noexcept {
  const auto [a, c] = work_of(model, data, scratch, scratch.impulses.data(), H);
  const double W = budget + given_margin * std::max(c, stored);
  if (!(c > 0.0) || !(a + c > W)) return false;
  const double root = a * a + 4.0 * c * W;
  const double part = std::clamp((-a + (root > 0.0 ? std::sqrt(root) : 0.0)) / (2.0 * c), 0.0, 1.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    scratch.impulses[i].force *= part;
    scratch.impulses[i].torque *= part;
  }
  find_mean(model, data, scratch, H);
  return true;
}

}  // namespace contactlib::step

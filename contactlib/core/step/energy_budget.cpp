#include "energy_budget.hpp"

#include <algorithm>
#include <cmath>

#include "coupling.hpp"
#include "momentum.hpp"
#include "response.hpp"

namespace contactlib {

namespace {

constexpr double kept_margin = 0.1;    // over what is stored: what a held mean takes too much, it returns
constexpr double given_margin = 0.03;  // the error of what is stored, at the order of a sub-step

double bounded(double budget, double stored) noexcept {
  return std::min(budget, stored + kept_margin * std::abs(stored));
}

// J, of the wrench that is held while an external body goes from one state to another.
double work(const Data& data, const Body& body, const Wrench& held, const BodyState& from,
            const BodyState& to) noexcept {
  const Wrench wrench = about_centre_of_mass(data, body, held, middle_rotation(from.q_WB, to.q_WB));
  const Vec3 d_W = to.r_WB - from.r_WB + (matrix(to.q_WB) - matrix(from.q_WB)) * body.p_BBcm;
  const Quat& q = from.q_WB;
  const Quat turn = product(to.q_WB, Quat(q[0], -q[1], -q[2], -q[3]));
  const Vec3 angle_W = (turn[0] < 0.0 ? -2.0 : 2.0) * turn.tail<3>();
  return wrench.force.dot(d_W) + wrench.torque.dot(angle_W);
}

// J, of the wrenches that are held while external bodies go from the inputs to where they are now.
double work_since_inputs(const Model& model, Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Interface& interface = data.interfaces()[i];
    if (model.bodies[i].motion == Motion::external)
      sum += work(data, model.bodies[i], interface.held, interface.start, data.bodies()[i]);
  }
  return sum;
}

// s linear + s^2 square, J, is the work of the impulses, scaled by s.
struct Work {
  double linear = 0.0, square = 0.0;
};

Work work_of_impulses(const Model& model, Data& data, double H) noexcept {
  const auto* const start = reinterpret_cast<const BodyState*>(data.kept.data() + data.bodies_at);
  Work sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Wrench& impulse = data.impulses[i];
    if (body.interface()) {
      const Mat3& R = data.R_middle[i];
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

}  // namespace

double stored_in_state(const Model& model, const Data& data) noexcept {
  double sum = data.globals().energy_stored;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).stored;
  return sum;
}

double supplied_so_far(const Model& model, const Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).supplied;
  return sum;
}

void pay_work(const Model& model, Data& data, double H) noexcept {
  if (H > 0.0) data.exchange().budget -= work_since_inputs(model, data);
}

void forget_budget(Data& data) noexcept { data.exchange().known = 0.0; }

void open_budget(const Model& model, Data& data, double stored, bool closes) noexcept {
  Exchange& exchange = data.exchange();
  const double supplied = supplied_so_far(model, data);
  if (exchange.known != 0.0)
    exchange.budget = bounded(exchange.budget + supplied - exchange.supplied, stored);
  else
    exchange.budget = stored;
  if (closes) exchange.known = 1.0;
  exchange.supplied = supplied;
}

void pay_free_bodies(Data& data) noexcept { data.exchange().budget -= data.free_work; }

double predicted_budget(const Model& model, Data& data) noexcept {
  Exchange& exchange = data.exchange();
  const double given = work_since_inputs(model, data), stored = stored_in_state(model, data);
  const double supplied = supplied_so_far(model, data) - exchange.supplied;
  pay_free_bodies(data);
  if (exchange.known == 0.0) exchange.budget = stored + given - supplied;
  exchange.known = 1.0;
  return bounded(exchange.budget - given + supplied, stored);
}

void add_free_work(const Model& model, Data& data, double weight) noexcept {
  if (data.course == Course::twist) return;
  double power = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::free) continue;
    const auto& [f_W, t_W] = data.wrenches_W()[i];
    power += f_W.dot(data.bodies()[i].v_WB) + t_W.dot(data.bodies()[i].w_WB);
  }
  data.free_work += weight * power;
}

// s: the root of  s a + s^2 c = W,  or where the left side is least
bool limit_to_budget(const Model& model, Data& data, double H, double budget, double stored) noexcept {
  const auto [a, c] = work_of_impulses(model, data, H);
  const double W = budget + given_margin * std::max(c, stored);
  if (!(c > 0.0) || !(a + c > W)) return false;
  const double root = a * a + 4.0 * c * W;
  const double part = std::clamp((-a + (root > 0.0 ? std::sqrt(root) : 0.0)) / (2.0 * c), 0.0, 1.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    data.impulses[i].force *= part;
    data.impulses[i].torque *= part;
  }
  mean_of_impulses(model, data, H);
  return true;
}

}  // namespace contactlib

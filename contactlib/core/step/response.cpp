#include "response.hpp"

#include <algorithm>
#include <cmath>

#include "momentum.hpp"
#include "order.hpp"

namespace contactlib::step {

using model::Motion;
using state::Exchange, state::Interface, state::Response, state::ResponseFactor, state::has_interfaces;

namespace {

constexpr double most = 4.0;        // of a factor, and of its inverse
constexpr double forgetting = 0.9;  // forgetting factor of the sums, per step
constexpr double noise_weight = 4.0;
constexpr double prior = 1e-9;      // weight of 1 beside the sums
constexpr double fresh_part = 1e-4; // of S_uu; a weaker change is not used
constexpr double load_gain = 0.3;   // while a wrench acts: more is unstable, less follows loads too slowly
constexpr double velocity_digits = 1e-7;  // of a velocity; smaller changes are rounding

// squares and product of changes: of the wrench, and of the rate of momentum.
struct Change {
  double uu, yu, yy;
};

void update_factor(ResponseFactor& factor, Change change, double floor) noexcept {
  auto& [value, S_uu, S_yu, noise] = factor;
  if (change.uu > floor && change.uu > fresh_part * S_uu) {
    S_uu = forgetting * S_uu + change.uu;
    S_yu = forgetting * S_yu + change.yu;
  } else {
    change.uu = change.yu = 0.0;
  }
  const double slope = S_uu > 0.0 ? S_yu / S_uu : 1.0;
  const double rest = change.yy - 2.0 * slope * change.yu + slope * slope * change.uu;
  noise = forgetting * noise + (1.0 - forgetting) * std::max(0.0, rest);
  if (!(S_uu > 0.0)) return;
  const double r = noise_weight * noise + prior * S_uu + floor;
  value = std::clamp((S_yu + r) / (S_uu + r), 1.0 / most, most);
}

double square(double x) noexcept { return x * x; }

Wrench minus(const Wrench& a, const Wrench& b) noexcept { return {a.force - b.force, a.torque - b.torque}; }

void update_factors(const Body& body, const Momentum& now, const Mat3& R, const Wrench& rate, const Wrench& held,
                    double H, Response& response) noexcept {
  const Vec3 y_f = rate.force - response.rate.force, u_f = held.force - response.held.force;
  const double speed = velocity_digits / H * now.v_c_W.norm();
  update_factor(response.force, {u_f.squaredNorm(), y_f.dot(u_f), y_f.squaredNorm()}, square(body.mass * speed));
  const Mat3 M = R * body.I_BBcm_inverse * R.transpose();
  const Vec3 y_t = rate.torque - response.rate.torque, u_t = held.torque - response.held.torque;
  const double spin = square(velocity_digits / H) * now.L_W.dot(M * now.L_W);
  update_factor(response.torque, {u_t.dot(M * u_t), y_t.dot(M * u_t), y_t.dot(M * y_t)},
                std::max(spin, body.mass * square(speed)));
}

bool sound(const ResponseFactor& factor) noexcept {
  return factor.value >= 1.0 / most && factor.value <= most && factor.S_uu >= 0.0 && factor.noise >= 0.0;
}

}  // namespace

void reset_responses(const Model& model, Data& data) noexcept {
  if (!has_interfaces(model)) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Interface& interface = data.interfaces()[i];
    interface.start = interface.expected = data.bodies()[i];
    interface.response.force.value = interface.response.torque.value = 1.0;
  }
  data.exchange().consistency = 1.0;
}

Factors factors_of(const Model& model, Data& data, std::size_t i) noexcept {
  if (!model.bodies[i].interface()) return {1.0, 1.0};
  const Response& response = data.interfaces()[i].response;
  return {response.force.value, response.torque.value};
}

void estimate_response(Data& data, std::size_t i, double H) noexcept {
  const Body& body = data.plant[i];
  const BodyState& s = data.bodies()[i];
  Interface& interface = data.interfaces()[i];
  Response& response = interface.response;
  const Momentum now(body, s), last(body, interface.start);
  const Wrench rate{body.mass / H * (now.v_c_W - last.v_c_W), (now.L_W - last.L_W) / H};
  const Wrench held = about_centre_of_mass(data, body, interface.held, middle_rotation(interface.start.q_WB, s.q_WB));
  const Wrench other =
      about_centre_of_mass(data, body, other_output(data, i), middle_rotation(interface.start.q_WB, s.q_WB));
  if (response.known != 0.0)
    add_changes(data, i, minus(rate, response.rate), minus(held, response.held), minus(other, interface.other));
  interface.other = other;
  if (response.known != 0.0) update_factors(body, now, matrix(s.q_WB), rate, held, H, response);
  const bool acts = held.force.squaredNorm() > 0.0 || held.torque.squaredNorm() > 0.0;
  const double gain = acts ? load_gain : 1.0;
  Wrench& outside = interface.outside;
  outside.force += gain * (rate.force - response.force.value * held.force - outside.force);
  outside.torque += gain * (rate.torque - response.torque.value * held.torque - outside.torque);
  response.rate = rate;
  response.held = held;
  response.known = 1.0;
}

void forget_step(Data& data, std::size_t i) noexcept {
  data.interfaces()[i].outside = {Vec3::Zero(), Vec3::Zero()};
  data.interfaces()[i].response.known = 0.0;
}

void keep_inputs(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].motion == Motion::external) data.interfaces()[i].start = data.bodies()[i];
}

void keep_held_wrenches(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Interface& interface = data.interfaces()[i];
    interface.held_before = interface.held;
    interface.held = data.outputs()[i];
  }
}

bool sound_responses(const Model& model, const Data& data, const double* numbers) noexcept {
  if (!has_interfaces(model)) return true;
  const auto flag = [](double x) { return x == 0.0 || x == 1.0; };
  const auto* const interfaces = reinterpret_cast<const Interface*>(numbers + data.interfaces_at);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Response& response = interfaces[i].response;
    if (!sound(response.force) || !sound(response.torque) || !flag(response.known)) return false;
  }
  const Exchange& exchange = *reinterpret_cast<const Exchange*>(numbers + data.exchange_at);
  return flag(exchange.known) && flag(exchange.conserves) && exchange.made_for >= 0.0 && flag(exchange.swapped) &&
         exchange.longest_step >= 0.0 && exchange.announced >= 0.0;
}

}  // namespace contactlib::step

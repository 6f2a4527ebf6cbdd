#include "response.hpp"

#include <algorithm>
#include <cmath>

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

void update_response(const Body& body, const Momentum& now, const Mat3& R, const Wrench& rate, const Wrench& held,
                     double H, Response& response) noexcept {
  const Response before = response;
  const Wrench y = minus(rate, before.rate), u = minus(held, before.held);
  const double speed = velocity_digits / H * now.v_c_W.norm();
  const Mat3 M = R * body.I_BBcm_inverse * R.transpose();
  const double spin = std::max(square(velocity_digits / H) * now.L_W.dot(M * now.L_W), body.mass * square(speed));
  update_factor(response.force, {u.force.squaredNorm(), y.force.dot(u.force), y.force.squaredNorm()},
                square(body.mass * speed));
  update_factor(response.torque, {u.torque.dot(M * u.torque), y.torque.dot(M * u.torque), y.torque.dot(M * y.torque)},
                spin);
  update_mobility(body, R, y, u, spin, before, response);
}

bool sound(const ResponseFactor& factor) noexcept {
  return factor.value >= 1.0 / most && factor.value <= most && factor.S_uu >= 0.0 && factor.noise >= 0.0;
}

// Whether island is the number of a body that stands for itself.
bool sound_island(const Interface* interfaces, std::size_t i) noexcept {
  const double island = interfaces[i].island;
  if (!(island >= 0.0 && island <= static_cast<double>(i))) return false;
  return interfaces[static_cast<std::size_t>(island)].island == island;
}

// The estimates of an interface body whose matrix acts, or null.
const Response* acting_response(const Model& model, Data& data, std::size_t i) noexcept {
  if (!model.bodies[i].interface()) return nullptr;
  const Response& response = data.interfaces()[i].response;
  return response.matrix.acts != 0.0 ? &response : nullptr;
}

}  // namespace

void reset_responses(const Model& model, Data& data) noexcept {
  if (!has_interfaces(model)) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    Interface& interface = data.interfaces()[i];
    interface.start = interface.expected = data.bodies()[i];
    interface.response.force.value = interface.response.torque.value = 1.0;
    interface.response.matrix = {};
    interface.island = static_cast<double>(i);
  }
  data.exchange().consistency = 1.0;
}

Factors factors_of(const Model& model, Data& data, std::size_t i) noexcept {
  if (!model.bodies[i].interface()) return {1.0, 1.0};
  const Response& response = data.interfaces()[i].response;
  return {response.force.value, response.torque.value};
}

Wrench response_to(const Model& model, Data& data, std::size_t i, const Mat3& R_WB, const Wrench& wrench_W) noexcept {
  if (const Response* response = acting_response(model, data, i))
    return times_mobility(data.plant[i], *response, R_WB, wrench_W);
  const Factors factors = factors_of(model, data, i);
  return {factors.force * wrench_W.force, factors.torque * wrench_W.torque};
}

Wrench cause_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB, const Wrench& rate_W) noexcept {
  if (const Response* response = acting_response(model, data, i))
    return divided_by_mobility(data.plant[i], *response, R_WB, rate_W);
  const Factors factors = factors_of(model, data, i);
  return {rate_W.force / factors.force, rate_W.torque / factors.torque};
}

Blocks mobility_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB) noexcept {
  const Body& body = data.plant[i];
  if (const Response* response = acting_response(model, data, i)) return mobility_of(body, *response, R_WB);
  const Factors factors = factors_of(model, data, i);
  return {factors.force / body.mass * Mat3::Identity(), Mat3::Zero(),
          factors.torque * (R_WB * body.I_BBcm_inverse * R_WB.transpose())};
}

Blocks apparent_mass_of(const Model& model, Data& data, std::size_t i, const Mat3& R_WB) noexcept {
  const Body& body = data.plant[i];
  if (const Response* response = acting_response(model, data, i)) return apparent_mass_of(body, *response, R_WB);
  const Factors factors = factors_of(model, data, i);
  return {body.mass / factors.force * Mat3::Identity(), Mat3::Zero(),
          R_WB * body.I_BBcm * R_WB.transpose() / factors.torque};
}

void estimate_response(const Model& model, Data& data, std::size_t i, double H) noexcept {
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
  if (response.known != 0.0) update_response(body, now, matrix(s.q_WB), rate, held, H, response);
  const bool acts = held.force.squaredNorm() > 0.0 || held.torque.squaredNorm() > 0.0;
  const double gain = acts ? load_gain : 1.0;
  Wrench& outside = interface.outside;
  const Wrench caused = response_to(model, data, i, matrix(s.q_WB), held);
  outside.force += gain * (rate.force - caused.force - outside.force);
  outside.torque += gain * (rate.torque - caused.torque - outside.torque);
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
    if (!sound_island(interfaces, i) || !sound(response.force) || !sound(response.torque) || !flag(response.known) ||
        !sound_mobility(response))
      return false;
  }
  const Exchange& exchange = *reinterpret_cast<const Exchange*>(numbers + data.exchange_at);
  return flag(exchange.known) && flag(exchange.conserves) && exchange.made_for >= 0.0 && flag(exchange.swapped) &&
         exchange.longest_step >= 0.0 && exchange.announced >= 0.0;
}

}  // namespace contactlib::step

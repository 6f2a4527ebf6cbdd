#include "energy_budget.hpp"

#include <algorithm>
#include <cmath>

#include "interface_energy.hpp"
#include "step/impulses.hpp"
#include "step/islands.hpp"
#include "step/response/momentum.hpp"
#include "step/response/response.hpp"

namespace contactlib::step {

using model::Motion;
using state::Interface;

namespace {

// relative to the stored energy: a held mean that removes too much energy returns it
constexpr double stored_margin = 0.1;
constexpr double given_margin = 0.03;  // error of the stored energy, at the order of a sub-step

// J, by which an island may exceed its budget. Contact that lasts comes to rest only if the energies that its force
// exchanges in a step may pass; an impact ends, and may give what it received.
double margin(const IslandSums& sums) noexcept {
  const bool rests = sums.trial.lasting() && sums.tolerance == 1.0;
  const double scale = rests ? std::max(sums.square, sums.stored) : std::max(0.0, sums.budget);
  return given_margin * scale;
}

// Each body's share of what its island has beyond the stored energy, bounded.
double excess(const IslandSums& sums) noexcept {
  return (std::min(sums.budget, sums.stored + stored_margin * std::abs(sums.stored)) - sums.stored) / sums.count;
}

// The first body of an element that joins what touches it, or the_world.
std::int32_t owner_of(const Model& model, const model::Element& element) noexcept {
  for (const std::int32_t body : element.bodies)
    if (joins(model, body)) return body;
  return model::the_world;
}

// Adds a number of each element to its owner.
template <class Number>
void add_elements(const Model& model, std::vector<double>& parts, const Number& number) noexcept {
  for (std::size_t e = 0; e < model.elements.size(); ++e)
    if (const std::int32_t owner = owner_of(model, model.elements[e]); owner != model::the_world)
      parts[owner] += number(e);
}

// Each body's share of what the contacts store.
template <class Add>
void share_contacts(const Model& model, const Data& data, const Add& add) noexcept {
  for (std::size_t k = 0; k < data.count; ++k) {
    const auto& contact = data.contacts[k];
    const bool a = joins(model, contact.body_a), b = joins(model, contact.body_b);
    const double share = a && b ? 0.5 * contact.stored_energy : contact.stored_energy;
    if (a) add(contact.body_a, share);
    if (b) add(contact.body_b, share);
  }
}

// mass_tolerance until the response of a body is known, 1 from then on.
double unknown_mass(const Model& model, Data& data, std::size_t i) noexcept {
  const bool known = !model.bodies[i].interface() || data.interfaces()[i].response.force.S_uu > 0.0;
  return known ? 1.0 : data.globals().mass_tolerance;
}

// J, that the wrench which the master holds over H gives to a body beyond work_since_inputs, if its mass is so small.
double unknown_work(const Model& model, Data& data, std::size_t i, double H) noexcept {
  const double more = unknown_mass(model, data, i) - 1.0;
  if (more == 0.0) return 0.0;
  const Interface& interface = data.interfaces()[i];
  const Mat3 R = middle_rotation(interface.start.q_WB, data.bodies()[i].q_WB);
  const Wrench held = about_centre_of_mass(data, data.plant[i], interface.held, R);
  return more * energy_of_impulse(model, data, i, R, {H * held.force, H * held.torque});
}

// J, of the wrench that the master holds while an external body moves from the inputs to the present state.
double work_since_inputs(const Model& model, Data& data, std::size_t i) noexcept {
  return model.bodies[i].motion == Motion::external ? held_work(data, i) : 0.0;
}

}  // namespace

Work work_of(const Model& model, Data& data, const CouplingScratch& scratch, const Wrench& impulse, std::size_t i,
             double H) noexcept {
  const auto* const start = reinterpret_cast<const BodyState*>(scratch.start.numbers() + data.bodies_at);
  const Body& body = data.plant[i];
  if (body.motion != Motion::external) return {};
  if (!body.interface()) return {impulse.force.dot(start[i].v_WB) + impulse.torque.dot(start[i].w_WB), 0.0};
  const Mat3& R = scratch.R_middle[i];
  const Wrench& outside = data.interfaces()[i].outside;
  const Vec3 w_gain_W = R * (body.I_BBcm_inverse * (R.transpose() * outside.torque));
  const Vec3 v_c_W = start[i].v_WB + start[i].w_WB.cross(R * body.p_BBcm) + 0.5 * H / body.mass * outside.force;
  return {impulse.force.dot(v_c_W) + impulse.torque.dot(start[i].w_WB + 0.5 * H * w_gain_W),
          energy_of_impulse(model, data, i, R, impulse)};
}

double stored_now(const Model& model, const Data& data) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < data.count; ++k) sum += data.contacts[k].stored_energy;
  for (std::size_t e = 0; e < model.elements.size(); ++e) sum += data.energy(e).stored;
  return sum;
}

void find_stored_now(const Model& model, Data& data, std::vector<double>& stored) noexcept {
  std::fill(stored.begin(), stored.end(), 0.0);
  share_contacts(model, data, [&](std::int32_t body, double share) noexcept { stored[body] += share; });
  add_elements(model, stored, [&](std::size_t e) noexcept { return data.energy(e).stored; });
}

void find_stored_in_state(const Model& model, Data& data, std::vector<double>& stored) noexcept {
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = data.interfaces()[i].stored;
  add_elements(model, stored, [&](std::size_t e) noexcept { return data.energy(e).stored; });
}

void keep_stored(const Model& model, Data& data) noexcept {
  Interface* const interfaces = data.interfaces();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) interfaces[i].stored = 0.0;
  share_contacts(model, data, [&](std::int32_t body, double share) noexcept { interfaces[body].stored += share; });
}

void find_supplied(const Model& model, const Data& data, std::vector<double>& supplied) noexcept {
  std::fill(supplied.begin(), supplied.end(), 0.0);
  add_elements(model, supplied, [&](std::size_t e) noexcept { return data.energy(e).supplied; });
}

void subtract_work(const Model& model, Data& data, double H) noexcept {
  if (!(H > 0.0)) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    data.interfaces()[i].budget -= work_since_inputs(model, data, i);
}

void forget_budgets(Data& data) noexcept { data.exchange().known = 0.0; }

void update_budgets(const Model& model, Data& data, CouplingScratch& scratch, bool begins) noexcept {
  const bool known = data.exchange().known != 0.0;
  Interface* const interfaces = data.interfaces();
  find_supplied(model, data, scratch.supplied);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    scratch.islands[i] = static_cast<std::int32_t>(interfaces[i].island);
    interfaces[i].budget += scratch.supplied[i] - interfaces[i].supplied;
    interfaces[i].supplied = scratch.supplied[i];
  }
  sum_islands(model, scratch, [&](IslandSums& sums, std::size_t i) noexcept {
    sums.budget += interfaces[i].budget;
    sums.debt += interfaces[i].debt;
    sums.stored += scratch.stored[i];
  });
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const IslandSums& sums = scratch.sums[island_of(scratch.islands, i)];
    if (!(sums.count > 0.0)) continue;
    interfaces[i].budget = scratch.stored[i];
    if (known) interfaces[i].budget += excess(sums);
    interfaces[i].debt = sums.debt / sums.count;
  }
  if (begins) data.exchange().known = 1.0;
}

void subtract_free_work(const Model& model, Data& data, const CouplingScratch& scratch) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) data.interfaces()[i].budget -= scratch.free_work[i];
}

void predict_budgets(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept {
  Interface* const interfaces = data.interfaces();
  const bool known = data.exchange().known != 0.0;
  data.exchange().known = 1.0;
  subtract_free_work(model, data, scratch);
  find_supplied(model, data, scratch.supplied);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double worst = unknown_work(model, data, i, H);
    const double left = scratch.supplied[i] - interfaces[i].supplied - work_since_inputs(model, data, i) - worst;
    if (!known) interfaces[i].budget = scratch.stored[i] - left;
    scratch.budget[i] = interfaces[i].budget + left;
    if (worst > 0.0) scratch.budget[i] = std::min(0.0, scratch.budget[i]);
  }
  sum_islands(model, scratch, [&](IslandSums& sums, std::size_t i) noexcept {
    sums.budget += scratch.budget[i];
    sums.stored += scratch.stored[i];
  });
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (const IslandSums& sums = scratch.sums[island_of(scratch.islands, i)]; sums.count > 0.0)
      scratch.budget[i] = scratch.stored[i] + excess(sums);
}

// s: the root of  s a + s^2 c = W,  or the minimum of the left side
bool limit_to_budgets(const Model& model, Data& data, CouplingScratch& scratch, double H) noexcept {
  sum_islands(model, scratch, [&](IslandSums& sums, std::size_t i) noexcept {
    const auto [linear, square] = work_of(model, data, scratch, scratch.impulses[i], i, H);
    sums.linear += linear;
    const double tolerance = unknown_mass(model, data, i);
    sums.square += tolerance * square;
    sums.tolerance = std::max(sums.tolerance, tolerance);
    if (model.bodies[i].interface()) sums.trial += scratch.trial[i];
    sums.budget += scratch.budget[i] + scratch.supplied[i];
    sums.stored += scratch.stored[i];
  });
  bool limited = false;
  for (IslandSums& sums : scratch.sums) {
    const double a = sums.linear, c = sums.square, W = sums.budget + margin(sums);
    sums.factor = 1.0;
    if (!(c > 0.0) || !(a + c > W)) continue;
    const double root = a * a + 4.0 * c * W;
    sums.factor = std::clamp((-a + (root > 0.0 ? std::sqrt(root) : 0.0)) / (2.0 * c), 0.0, 1.0);
    limited = true;
  }
  if (!limited) return false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double factor = scratch.sums[island_of(scratch.islands, i)].factor;
    scratch.impulses[i].force *= factor;
    scratch.impulses[i].torque *= factor;
  }
  find_mean(model, data, scratch, H);
  return true;
}

}  // namespace contactlib::step

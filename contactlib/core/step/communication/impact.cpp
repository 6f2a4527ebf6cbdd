#include "impact.hpp"

#include <algorithm>

#include "energy_budget.hpp"
#include "step/impulses.hpp"
#include "step/response/momentum.hpp"
#include "step/substeps.hpp"

namespace contactlib::step {

using state::InterfaceMotion;

namespace {

// Places interface bodies between the end of the path under the first mean, at 0, and that of the first trial, at 1.
void place_between_ends(const Model& model, Data& data, const CouplingScratch& scratch, double part) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const BodyState &from = scratch.held_end[i], &to = scratch.present_end[i];
    BodyState& s = data.bodies()[i];
    s.r_WB = from.r_WB + part * (to.r_WB - from.r_WB);
    s.q_WB = ((1.0 - part) * from.q_WB + (from.q_WB.dot(to.q_WB) < 0.0 ? -part : part) * to.q_WB).normalized();
  }
}

// The energy at `part` of the displacement d from the end under the first mean to the end of the first trial, minus the
// energy at the latter. Each body needs the additional impulse 2 part m d/H to end there:
//
//   dE = 2 part/H m v.d + 2 (part/H)^2 m d^2 + (1 - part) F.d + stored - stored in the first trial
struct ImpactEnergy {
  double linear = 0.0, square = 0.0, outside = 0.0;  // J
};

ImpactEnergy impact_energy(const Model& model, Data& data, const CouplingScratch& scratch, double H) noexcept {
  ImpactEnergy sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = data.plant[i];
    if (!body.interface()) continue;
    const BodyState& end = scratch.present_end[i];
    const Wrench d = impulse_of_displacement(model, data, i, scratch.held_end[i], end);
    sum.linear += 2.0 / H * (Momentum(body, end).v_c_W.dot(d.force) + end.w_WB.dot(d.torque));
    sum.square += 4.0 / (H * H) * energy_of_impulse(model, data, i, scratch.R_middle[i], d);
    sum.outside += data.interfaces()[i].outside.force.dot(d.force) / body.mass;
  }
  return sum;
}

// The first trial ends at the sum of J_k (H - t_k)/m, the path under its mean at J H/2m, with J the sum of the impulses
// J_k. So m d is known without m, and is opposite for two bodies that touch: momentum is conserved for every response.
void add_displacement(const Model& model, CouplingScratch& scratch, double part) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    const Wrench &moment = scratch.moments[i], impulse = scratch.impulses[i];
    scratch.impulses[i].force += part * (2.0 * moment.force - impulse.force);
    scratch.impulses[i].torque += part * (2.0 * moment.torque - impulse.torque);
  }
}

}  // namespace

Status limit_impact(const Model& model, Data& data, CouplingScratch& scratch, double H, const ImpactTrial& trial,
                    bool& changed) noexcept {
  std::copy_n(data.bodies(), model.bodies.size(), scratch.held_end.data());
  const auto [linear, square, outside] = impact_energy(model, data, scratch, H);
  const double allowed = 0.5 * std::max(0.0, trial.lost) + 0.01 * energy_of_impulses(model, data, scratch);
  double best = 0.0, least = outside + stored_now(model, data) - trial.stored;
  changed = least > allowed;
  if (!changed) return {};
  for (double part = 1.0 / 64.0; part <= 1.0 && least > allowed; part *= 2.0) {
    place_between_ends(model, data, scratch, part);
    const Status status = contacts_and_wrenches(model, data, InterfaceMotion::held_wrench, 0.0);
    if (!status) return status;
    const double gain =
        part * linear + part * part * square + (1.0 - part) * outside + stored_now(model, data) - trial.stored;
    if (gain < least) best = part, least = gain;
  }
  add_displacement(model, scratch, best);
  find_mean(model, data, scratch, H);
  return {};
}

}  // namespace contactlib::step

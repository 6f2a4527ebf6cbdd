#include "energy.hpp"

#include <algorithm>
#include <cmath>

#include "deep.hpp"
#include "element/elements.hpp"
#include "math/rotation.hpp"

namespace contactlib::monitor {

using element::commands_jumped, element::holds_rigidly;
using model::BodyState, model::Integrator, model::Motion;
using state::Contact, state::ElementEnergy, state::Globals, state::Wrench;

namespace {

// Exchanged energy below both of these is not judged: rounding of the kinetic energy, and of bodies at rest, J (the
// thermal energy of a molecule).
constexpr double rounding_part = 1e-12, negligible = 1e-20;
// Of rigid joints, see allowed_for_joints(): their rows give way by 1e-8 of the way that a force moves a body in a step.
constexpr double rigid_part = 1e-2, yielding_part = 1e-6;
// An error above this fraction of the exchanged energy gives a warning,
constexpr double reported_gap = 0.01;
// and one above these multiples of the first and of all exchanged energy ends the run.
constexpr double unstable_gap = 1e6, unstable_part = 0.5;
// Sub-steps of contact before the error is checked, since a new contact has exchanged almost no energy.
constexpr double min_contact_steps = 32.0;
// m/s: a body faster than light is an error.
constexpr double light_speed = 299792458.0;

bool is_counted(const Model& model, std::size_t i) noexcept { return model.bodies[i].motion != Motion::driven; }

double power(const Wrench& wrench, const Vec3& v_W, const Vec3& w_W) noexcept {
  return wrench.force.dot(v_W) + wrench.torque.dot(w_W);
}

// W, power on a body: of contacts, and of contacts and elements.
double contact_power(Data& data, std::size_t i) noexcept {
  return power(data.contact_wrenches_W()[i], data.bodies()[i].v_WB, data.bodies()[i].w_WB);
}
double total_power(Data& data, std::size_t i) noexcept {
  return power(data.wrenches_W()[i], data.bodies()[i].v_WB, data.bodies()[i].w_WB);
}

void add_total_work(Globals& g, double work) noexcept {
  g.total_work += work;
  g.work_low = std::min(g.work_low, g.total_work);
  g.work_high = std::max(g.work_high, g.total_work);
}

struct Sums {
  double stored, dissipated, supplied;
};

Sums of_all(const Model& model, const Data& data) noexcept {
  const Globals& g = data.globals();
  Sums sums{g.energy_stored, g.energy_dissipated, 0.0};
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementEnergy& e = data.energy(i);
    sums.stored += e.stored;
    sums.dissipated += e.dissipated;
    sums.supplied += e.supplied;
  }
  return sums;
}

void find_error(const Model& model, Data& data) noexcept {
  Globals& g = data.globals();
  const Sums all = of_all(model, data);
  g.total_stored = all.stored;
  g.max_stored = std::max(g.max_stored, std::abs(all.stored));
  g.energy_error = all.stored + all.dissipated - all.supplied - g.total_work - g.jumps;
}

bool finite(const Globals& g) noexcept {
  return std::isfinite(g.work) && std::isfinite(g.energy_stored) && std::isfinite(g.energy_dissipated) &&
         std::isfinite(g.energy_error);
}

// In a saved state it may be any number: -1 if it is no index.
std::int32_t index(double number, std::size_t count) noexcept {
  return number >= 0.0 && number < static_cast<double>(count) ? static_cast<std::int32_t>(number) : -1;
}

// Body and law for the message: those of the fastest contact, else those of the stiffest contact so far.
Status unstable(const Model& model, const Data& data, double time) noexcept {
  const Globals& g = data.globals();
  Status out{Code::unstable, index(g.stiff_body, model.bodies.size()), index(g.stiff_law, model.laws.size()), time};
  double fastest = -1.0;
  for (std::size_t k = 0; k < data.count; ++k) {
    const Contact& c = data.contacts[k];
    const double speed = c.v_AB_W.squaredNorm();
    if (!(speed > fastest)) continue;
    const Motion motion = model.bodies[c.body_a].motion;
    fastest = speed;
    out.index = motion == Motion::fixed || motion == Motion::driven ? c.body_b : c.body_a;
    out.port = c.law;
  }
  return out;
}

bool too_fast(const Model& model, const Data& data, std::int32_t& body) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!(data.bodies()[i].v_WB.squaredNorm() > light_speed * light_speed)) continue;
    body = static_cast<std::int32_t>(i);
    return true;
  }
  return false;
}

}  // namespace

double exchanged_energy(const Model& model, const Data& data) noexcept {
  const Globals& g = data.globals();
  return std::max(of_all(model, data).dissipated + g.max_stored, g.work_high - g.work_low);
}

// About the centres of mass c, whose velocities a step changes by the force alone. About the origins, the work of a force
// on a body that turns would be wrong by h/2 F.(w x (w x c)), which adds up.
void add_work(const Model& model, Data& data, double h, bool start_wrench) noexcept {
  double work = 0.0, total = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState &s0 = data.before[i], &s1 = data.bodies()[i];
    const Vec3& p_BBcm = data.plant[i].p_BBcm;
    const Vec3 c0 = p_BBcm.isZero(0.0) ? p_BBcm : Vec3(math::matrix(s0.q_WB) * p_BBcm), c1 = data.R_WB[i] * p_BBcm;
    const Vec3 v_c = 0.5 * ((s0.v_WB + s0.w_WB.cross(c0)) + (s1.v_WB + s1.w_WB.cross(c1)));
    const auto mean_power = [&](const Wrench& w0, const Wrench& w1) {
      const double keep = start_wrench ? 1.0 : 0.5;
      const Vec3 t0 = w0.torque - c0.cross(w0.force), t1 = w1.torque - c1.cross(w1.force);
      double sum = (keep * w0.force + (1.0 - keep) * w1.force).dot(v_c);
      sum += (keep * t0 + (1.0 - keep) * t1).dot(0.5 * (s0.w_WB + s1.w_WB));
      return sum;
    };
    work += mean_power(data.contact_wrenches_before[i], data.contact_wrenches_W()[i]);
    if (is_counted(model, i)) total += mean_power(data.total_wrenches_before[i], data.wrenches_W()[i]);
  }
  data.globals().work -= h * work;
  add_total_work(data.globals(), -h * total);
}

void add_work_at_node(const Model& model, Data& data, double weight) noexcept {
  double work = 0.0, total = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    work += contact_power(data, i);
    if (is_counted(model, i)) total += total_power(data, i);
  }
  data.globals().work -= weight * work;
  add_total_work(data.globals(), -weight * total);
}

void summarise(const Model& model, Data& data) noexcept {
  Globals& g = data.globals();
  double stored = 0.0, heat = 0.0, depth = 0.0, deep = 0.0;
  for (std::size_t i = 0; i < data.count; ++i) {
    stored += data.contacts[i].stored_energy;
    heat += std::max(0.0, data.contacts[i].heat);  // a user law may return any number
    const Contact& c = data.contacts[i];
    depth = std::max(depth, c.depth);
    if (is_deep(model, data, c)) ++deep;
  }
  g.contact_count = static_cast<double>(data.count);
  g.deep_count = deep;
  g.max_depth = depth;
  g.energy_stored = stored;
  g.heat = heat;
}

// Each rate counts half in the sub-step that it ends and half in the next one, both with the length of the first
// sub-step: energy that a contact loses at once is a rate over that sub-step and counts in full.
void add_heat(Data& data, double h, double rate_before) noexcept {
  Globals& g = data.globals();
  if (g.begun == 0.0) g.heat_half = 0.5 * h * rate_before;
  g.begun = 1.0;
  const double half = 0.5 * h * g.heat;
  g.energy_dissipated += g.heat_half + half;
  g.heat_half = half;
}

void add_jump(const Model& model, Data& data, double before) noexcept {
  Globals& g = data.globals();
  const double stored_before = g.total_stored;
  find_error(model, data);
  const double jump = commands_jumped(model, data) ? g.energy_stored - before : g.total_stored - stored_before;
  g.jumps += jump;
  g.energy_error -= jump;
}

namespace {

// J, ripple of semi-implicit Euler: velocities belong to the middle of a step, h/2 before the positions. During a
// contact the energy is wrong by h/2 times its power, first order in the step. This vanishes at the end of the contact.
double ripple(const Model& model, Data& data, double h) noexcept {
  double contact = 0.0, total = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    contact += contact_power(data, i);
    total += total_power(data, i);
  }
  return 0.5 * h * (std::abs(contact) + std::abs(total - contact));
}

// J, of the free bodies.
double kinetic_energy(const Model& model, const Data& data, const BodyState* states) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].motion != Motion::free) continue;
    const model::Body& body = data.plant[i];
    const Mat3 R_BW = math::matrix(states[i].q_WB).transpose();
    const Vec3 w_B = R_BW * states[i].w_WB, v_c_B = R_BW * states[i].v_WB + w_B.cross(body.p_BBcm);
    sum += 0.5 * (body.mass * v_c_B.squaredNorm() + w_B.dot(body.I_BBcm * w_B));
  }
  return sum;
}

// J, by which the work of rigid joints may differ from zero: parts of the largest change of the free bodies' kinetic energy
// since the start, and of the kinetic energy that the forces would give them in a step.
double allowed_for_joints(const Model& model, Data& data, double h) noexcept {
  Globals& g = data.globals();
  if (g.kinetic_known == 0.0) g.kinetic_known = 1.0, g.first_kinetic = kinetic_energy(model, data, data.before.data());
  const double change = std::abs(kinetic_energy(model, data, data.bodies()) - g.first_kinetic);
  g.kinetic_change = std::max(g.kinetic_change, change);
  double given = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].motion == Motion::free)
      given += 0.5 * h * h / data.plant[i].mass * data.wrenches_W()[i].force.squaredNorm();
  return rigid_part * g.kinetic_change + yielding_part * given;
}

}  // namespace

Status check_energy(const Model& model, Data& data, double h, double time, bool moves) noexcept {
  Globals& g = data.globals();
  find_error(model, data);
  g.contact_steps = data.count == 0 ? 0.0 : g.contact_steps + 1.0;
  std::int32_t body = -1;
  if (too_fast(model, data, body)) {
    Status status = unstable(model, data, time);
    status.index = body;
    return status;
  }
  if (!finite(g)) return moves ? unstable(model, data, time) : Status{Code::bad_output, -1};
  const double exchanged = exchanged_energy(model, data);
  // rounding relative to the kinetic energy is ignored
  double kinetic = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    kinetic += 0.5 * data.plant[i].mass * data.bodies()[i].v_WB.squaredNorm();
  const double rigid = holds_rigidly(model) ? allowed_for_joints(model, data, h) : 0.0;
  if (!(exchanged > std::max(rounding_part * kinetic, negligible)) ||
      (data.count != 0 && g.contact_steps < min_contact_steps))
    return {};
  if (g.first_exchanged == 0.0) g.first_exchanged = exchanged;
  const double error = std::abs(g.energy_error);
  if (error <= reported_gap * exchanged) return {};
  const bool half_a_step_off = moves && model.options.integrator == Integrator::semi_implicit_euler;
  const double passing = rigid + (half_a_step_off ? ripple(model, data, h) : 0.0);
  const double gained = g.energy_error - passing;
  if (moves && gained > unstable_gap * g.first_exchanged && gained > unstable_part * exchanged)
    return unstable(model, data, time);
  if (g.gap_reported != 0.0 || error <= reported_gap * exchanged + passing) return {};
  g.gap_reported = 1.0;
  g.gap_time = time, g.gap_error = g.energy_error, g.gap_exchanged = exchanged;
  return {};
}

}  // namespace contactlib::monitor

// The end of a step of a snare: wrenches on its bodies, and its state after their motion.
#include <algorithm>
#include <cmath>

#include "element/cable/ends.hpp"
#include "scratch.hpp"

namespace contactlib::element {

using model::the_world;
using solve::SolveCode;

namespace {

constexpr int per_node = BlockCholesky::size;
using Map3 = Eigen::Map<Vec3>;
using ConstMap3 = Eigen::Map<const Vec3>;

// Adds an impulse at a contact of a cable to the loads that its ends must hold.
void apply_impulse(SnareScratch& s, const CablePlace& at, const Vec3& impulse) noexcept {
  double* const to = s.cables[at.cable].step.impulse.data() + per_node * at.element;
  for (int k = 0; k < 4; ++k) Map3(to + 3 * k) += at.S[k] * impulse;
}

Vec3 place_of(const SnareScratch& s, const CablePlace& at) noexcept {
  const double* const q = s.cables[at.cable].q.data() + per_node * at.element;
  Vec3 p = Vec3::Zero();
  for (int k = 0; k < 4; ++k) p += at.S[k] * ConstMap3(q + 3 * k);
  return p;
}

void add(SnareScratch& s, std::size_t body, const Vec3& p_O, const Vec3& force) noexcept {
  s.wrenches[body].force += force;
  s.wrenches[body].torque += (p_O - s.motion.bodies[body].p_OB).cross(force);
}

// q <- R^T (q + h v - shift),  v <- R^T (v - dv - w x q): in the axes of body 0 after its motion.
void keep_nodes(const ElementNow& now, const SnareScratch& s, const SnareCableScratch& cable, double* q_B,
                double* v_B) noexcept {
  const BodyState base = now.body(0);
  const Mat3 R_BW = now.rotation(0).transpose();
  const Vec3 shift = (base.r_WB - s.motion.r_WO) - now.h * s.motion.v_WO, dv = base.v_WB - s.motion.v_WO;
  for (std::size_t i = 0; i < cable.q.size(); i += 3) {
    const bool position = i % per_node == 0;
    const ConstMap3 v(cable.step.velocity.data() + i);
    Vec3 q = ConstMap3(cable.q.data() + i) + now.h * v;
    if (position) q -= shift;
    Vec3 rate = v - base.w_WB.cross(q);
    if (position) rate -= dv;
    Map3(q_B + i) = R_BW * q;
    Map3(v_B + i) = R_BW * rate;
  }
}

double rotor_energy(const SnareDesign& design, const SnareHead& head) noexcept {
  return 0.5 * (design.ring.inertia * head.ring_rate * head.ring_rate +
                design.carriage.inertia * head.carriage_rate * head.carriage_rate);
}

// The load of the cables on a coordinate.
double load_on(const SnareDesign& design, const SnareScratch& s, bool ring) noexcept {
  double load = 0.0;
  for (std::size_t k = 0; k < design.cables.size(); ++k)
    for (const int side : {0, 1}) {
      const SnareAttachment& attachment = design.cables[k].attachments[side];
      const SnareCableScratch& cable = s.cables[k];
      if (ring && attachment.turns)
        load += s.motion.axis_W.cross(cable.p_OE[side] - s.motion.p_OR).dot(cable.held[side]);
      if (!ring && attachment.slides) load += s.motion.axis_W.dot(cable.held[side]);
    }
  return load;
}

// Advances a coordinate, and computes current and supply of its drive.
struct Coordinate {
  double &at, &rate, &current, &load;
};
double apply_drive(const Drive& drive, const SnareScratch& s, double h, int column, int motor, double rate, bool ring,
                   const SnareDesign& design, const Coordinate& out) noexcept {
  const double before = out.rate;
  out.rate = column >= 0 ? rate + s.dV[column] : rate;
  out.at += h * out.rate;
  out.load = load_on(design, s, ring);
  const double force = motor >= 0 ? s.z[motor] / h : drive.mode == DriveMode::rate ? -out.load : 0.0;
  out.current = motor >= 0 ? force / (drive.efficiency * drive.constant()) : 0.0;
  return force * 0.5 * (before + out.rate);  // power of the rotor, exact
}

void remember_impulses(const SnareScratch& s, SnareBlock<double> next) noexcept {
  next.head().remembered = s.count;
  for (int i = 0; i < s.count; ++i) {
    const double* const z = s.z.data() + s.contacts[i].row;
    next.memory()[i] = {static_cast<double>(s.touches[i].key), {z[0], z[1], z[2]}};
  }
}

// For users, who read them at the end of the step.
void report_contacts(const ElementNow& now, const SnareDesign& design, SnareBlock<double> next,
                     SnareScratch& s) noexcept {
  s.found.count = s.count;
  for (int i = 0; i < s.count; ++i) {
    const CableTouch& touch = s.touches[i];
    const bool cables = touch.obstacle < 0;
    const SnareMemory& memory = next.memory()[i];
    CableContact contact{touch.a.cable, touch.b.cable, -1, -1, touch.p_OC, touch.n_W, Vec3::Zero(), -touch.gap};
    for (int k = 0; k < 3; ++k) contact.f_W += memory.impulse[k] / now.h * s.axes[3 * i + k];
    if (!cables) {
      const Shape* const shape = design.obstacles[touch.obstacle].shape;
      contact.shape = static_cast<std::int32_t>(shape - now.model.shapes.data());
      contact.body = shape->body;
      contact.p_WC -= s.motion.bodies[design.obstacle_body[touch.obstacle]].p_OB;
    }
    s.found.rows[i] = {contact, touch.a, memory};
  }
}

void report(const SnareDesign& design, const SnareScratch& s, double break_load, SnareBlock<double> next) noexcept {
  SnareHead& head = next.head();
  head.touches = s.count;
  head.iterations = s.report.iterations;
  head.iteration_limit_reached += s.report.code == SolveCode::iteration_limit_reached;
  head.overlap = 0.0;
  for (int i = 0; i < s.count; ++i) head.overlap = std::max(head.overlap, -s.touches[i].gap);
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    SnareCableHead& cable = next.cable(k);
    const std::vector<double>& tension = s.cables[k].tension;
    cable.tension = *std::max_element(tension.begin(), tension.end());
    cable.mean_tension = 0.0;
    for (const double t : tension) cable.mean_tension += t / static_cast<double>(tension.size());
    if (break_load > 0.0 && cable.tension > break_load) cable.broken = 1.0;
    for (const int side : {0, 1}) std::copy_n(s.cables[k].held[side].data(), 3, cable.force[side]);
  }
}

ControlSense sense(const SnareDesign& design, SnareBlock<double> next) noexcept {
  const SnareHead& head = next.head();
  ControlSense out{};
  out.ring_angle = head.ring, out.ring_rate = head.ring_rate, out.ring_current = head.ring_current;
  out.carriage_position = head.carriage, out.carriage_rate = head.carriage_rate;
  out.carriage_current = head.carriage_current, out.load = head.carriage_load;
  double whole = 0.0;
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    const SnareCableHead& cable = next.cable(k);
    if (cable.broken != 0.0) {
      out.broken_cables += 1.0;
      continue;
    }
    out.max_tension = std::max(out.max_tension, cable.tension);
    out.min_tension = whole > 0.0 ? std::min(out.min_tension, cable.mean_tension) : cable.mean_tension;
    out.mean_tension += cable.mean_tension;
    whole += 1.0;
  }
  if (whole > 0.0) out.mean_tension /= whole;
  return out;
}

// Runs the control: from the sensors of this step to the drives of the next one.
void command(const ElementNow& now, const SnareDesign& design, SnareBlock<double> next) noexcept {
  SnareHead& head = next.head();
  const double U_ring = snare_command(now, SnareCommand::ring_voltage);
  const double U_carriage = snare_command(now, SnareCommand::carriage_voltage);
  ControlDrive drive{U_ring, U_carriage, true, true, false, false};
  if (design.controlled) {
    ControlFlags flags;
    const ControlInput input{snare_command(now, SnareCommand::command), U_ring, U_carriage};
    drive = control_step(design.control, input, sense(design, next), now.h, head.control, flags);
  }
  head.ring_voltage = drive.ring_voltage;
  head.carriage_voltage = drive.carriage_voltage;
  head.ring_on = drive.ring_on;
  head.carriage_on = drive.carriage_on;
  head.ring_brake = drive.ring_brake;
  head.carriage_brake = drive.carriage_brake;
}

// W, the power of the element into the bodies over the step: its wrenches times the mean velocities.
double power_on_bodies(const ElementNow& now, const SnareScratch& s) noexcept {
  double power = 0.0;
  for (std::size_t k = 0; k < s.wrenches.size(); ++k) {
    const std::int32_t i = now.element.bodies[k];
    if (i == the_world) continue;
    const BodyState &before = now.data.before[i], &after = now.data.bodies()[i];
    power += s.wrenches[k].force.dot(0.5 * (before.v_WB + after.v_WB));
    power += s.wrenches[k].torque.dot(0.5 * (before.w_WB + after.w_WB));
  }
  return power;
}

}  // namespace

void sum_wrenches(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  for (Wrench& wrench : s.wrenches) wrench = {Vec3::Zero(), Vec3::Zero()};
  for (int i = 0; i < s.count; ++i) {
    const CableTouch& touch = s.touches[i];
    const double* const z = s.z.data() + s.contacts[i].row;
    Vec3 impulse = Vec3::Zero();
    for (int k = 0; k < 3; ++k) impulse += z[k] * s.axes[3 * i + k];
    apply_impulse(s, touch.a, impulse);
    if (touch.obstacle < 0)
      apply_impulse(s, touch.b, -impulse);
    else
      add(s, s.obstacles[touch.obstacle].body - s.bodies.data(), place_of(s, touch.a), -impulse / now.h);
  }
  for (std::size_t k = 0; k < design.cables.size(); ++k)
    for (const int side : {0, 1}) {
      SnareCableScratch& cable = s.cables[k];
      cable.held[side] = -reaction(cable.inputs, cable.step, side).force;
      if (cable.inputs.ends[side].hold == CableHold::free) continue;
      add(s, design.cables[k].attachments[side].body, cable.p_OE[side], cable.held[side]);
    }
}

double mass_of(const CableDesign& cable) noexcept {
  double mass = 0.0;
  for (const CableElement& element : cable.elements) mass += cable.material.line_density * element.length;
  return mass;
}

// Strain energies plus the kinetic energy in the world: T + v_O . P + m v_O^2/2.
double stored_energy(const ElementNow& now, const SnareDesign& design, SnareBlock<double> state,
                     SnareScratch& s) noexcept {
  const BodyState base = now.body(0);
  const Mat3 R = now.rotation(0);
  double sum = rotor_energy(design, state.head());
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    SnareCableScratch& cable = s.cables[k];
    const double *const q_B = state.q(k), *const v_B = state.v(k);
    for (std::size_t i = 0; i < cable.q.size(); i += 3) {
      Map3 q(cable.q.data() + i), v(cable.v.data() + i);
      q = R * ConstMap3(q_B + i);
      v = R * ConstMap3(v_B + i) + base.w_WB.cross(q);
    }
    const CableDesign& own = design.cables[k].cable;
    const CableEnergy e = measure_cable(own, {cable.q.data(), cable.v.data()}, cable.tension.data());
    const double mass = mass_of(own);
    sum += e.axial + e.bending + e.kinetic + base.v_WB.dot(e.momentum) + 0.5 * mass * base.v_WB.squaredNorm();
    cable.momentum = e.momentum + mass * base.v_WB;
    cable.strain = e.axial + e.bending;
  }
  return sum;
}

// Before the first step: the energy stored at the start is no gain of that step.
void begin_energy(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  const SnareBlock<double> next{now.next, design, now.element.bodies.size()};
  if (next.head().time == 0.0) next.head().stored = stored_energy(now, design, next, s);
}

namespace {

void balance_first_order(const ElementNow& now, const SnareScratch& s, double power, double before,
                         SnareHead& head) noexcept {
  for (const SnareCableScratch& cable : s.cables) head.supply += now.model.options.gravity_W.dot(cable.momentum);
  head.heat = head.supply - power - (head.stored - before) / now.h;
}

// The kinetic energy is that of the middle of the step, so the strain energy is the mean of both its ends, and loads have
// acted on the mean momentum since the middle of the step before. All cables of an element have one design of step.
void balance_second_order(const ElementNow& now, const SnareScratch& s, double power, double before,
                          SnareHead& head) noexcept {
  const double kick = s.cables[0].inputs.kick;
  for (const SnareCableScratch& cable : s.cables) {
    head.stored += 0.5 * (cable.strain_before - cable.strain);
    head.supply += 0.5 * kick * now.model.options.gravity_W.dot(cable.momentum_before + cable.momentum);
  }
  head.heat = head.supply - kick * power - (head.stored - before) / now.h;
}

}  // namespace

void finish_step(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept {
  const SnareBlock<double> next{now.next, design, now.element.bodies.size()};
  SnareHead& head = next.head();
  for (std::size_t k = 0; k < design.cables.size(); ++k) keep_nodes(now, s, s.cables[k], next.q(k), next.v(k));
  const double carriage_before = head.carriage_rate;
  const double ring = apply_drive(design.ring, s, now.h, s.motion.ring, s.ring_motor, s.motion.ring_rate, true, design,
                                  {head.ring, head.ring_rate, head.ring_current, head.ring_load});
  const double carriage =
      apply_drive(design.carriage, s, now.h, s.motion.carriage, s.carriage_motor, s.motion.carriage_rate, false, design,
                  {head.carriage, head.carriage_rate, head.carriage_current, head.carriage_load});
  const double before = head.stored;
  head.stored = stored_energy(now, design, next, s);
  head.supply = ring + carriage;
  const double power = power_on_bodies(now, s);
  if (is_second_order(design.cables[0].cable))
    balance_second_order(now, s, power, before, head);
  else
    balance_first_order(now, s, power, before, head);
  head.heat += s.carriage_push * 0.5 * (carriage_before + head.carriage_rate);
  head.time += now.h;
  std::copy_n(reinterpret_cast<const double*>(s.wrenches.data()), s.wrenches.size() * wrench_width, next.wrenches());
  report(design, s, now.parameters[static_cast<int>(SnareParameter::break_load)], next);
  remember_impulses(s, next);
  report_contacts(now, design, next, s);
  command(now, design, next);
}

}  // namespace contactlib::element

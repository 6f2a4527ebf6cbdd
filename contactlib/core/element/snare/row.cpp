// The elements `cables` (anchored to bodies) and `snare` (cables with ring, carriage and control).
#include <algorithm>
#include <cmath>

#include "math/ranges.hpp"
#include "math/rotation.hpp"
#include "nodes.hpp"
#include "scratch.hpp"

namespace contactlib::element {

using math::flag, math::matrix;
using model::Motion, model::the_world;

namespace {

// Larger elements are refused: each contact has three rows in a dense matrix.
constexpr std::int32_t max_elements = 4096, max_touches = 512, max_obstacles = 4096;

constexpr double last_key = 18446744073709551616.0;  // of a place that cables remember

// Outputs: `cables` has those of the cables, `snare` those of the mechanism and then those of the cables.
enum MechanismOutput : int {
  ring_angle,
  ring_rate_now,
  ring_current,
  ring_torque,
  carriage_position,
  carriage_rate_now,
  carriage_current,
  load,
  phase,
  captured,
  rigidized,
  missed,
  snagged,
  stalled,
  lost,
  bad_command,
  mechanism_output_count
};
enum CableOutput : int {
  touching,
  iterations,
  iteration_limit_reached,
  overlap,
  tension,
  first_force,
  last_force,
  broken,
  cable_output_count
};

bool has_mechanism(const Element& element) noexcept { return row_of(element).commands.count > 0; }

bool read_flag(ElementRecord& record, bool& out) {
  std::int32_t flag;
  if (!record.integer(0, 1, flag)) return false;
  out = flag != 0;
  return true;
}

bool read_attachment(ElementRecord& record, const Element& element, SnareAttachment& out) {
  const auto bodies = static_cast<std::int32_t>(element.bodies.size());
  if (!record.integer(0, bodies - 1, out.body)) return false;
  if (!read_flag(record, out.turns) || !read_flag(record, out.slides) || !read_flag(record, out.free)) return false;
  if ((out.turns || out.slides) && (out.body != 0 || !has_mechanism(element))) return false;
  return record.numbers(out.p_BE.data(), 3);
}

bool read_cable(ElementRecord& record, const Element& element, SnareCable& out, std::vector<double>& nodes) {
  CableDesign& cable = out.cable;
  std::int32_t measure, quadrature, step, elements;
  if (!record.integer(0, 1, measure) || !record.integer(0, 1, quadrature)) return false;
  if (!record.integer(0, 2, step) || !read_flag(record, out.touches_itself)) return false;
  if (!record.integer(2, max_elements, elements)) return false;
  if (!record.integer(1, max_cable_capsules, out.skin.capsules)) return false;
  for (SnareAttachment& attachment : out.attachments)
    if (!read_attachment(record, element, attachment)) return false;
  CableMaterial& m = cable.material;
  for (double* const number : {&m.axial_stiffness, &m.bending_stiffness, &m.line_density, &m.axial_damping,
                               &m.bending_damping, &m.mass_damping, &out.skin.radius})
    if (!record.numbers(number, 1)) return false;
  cable.measure = static_cast<StrainMeasure>(measure);
  cable.quadrature = static_cast<CableQuadrature>(quadrature);
  cable.tension_stiffness = step > 0;
  cable.integrator = step == 2 ? CableIntegrator::second_order : CableIntegrator::first_order;
  for (std::int32_t e = 0; e < elements; ++e) {
    CableElement element_at_rest;
    for (double* const number : {&element_at_rest.length, &element_at_rest.strain, &element_at_rest.curvature})
      if (!record.numbers(number, 1)) return false;
    cable.elements.push_back(element_at_rest);
  }
  const std::size_t count = BlockCholesky::size * cable.nodes();
  return out.skin.radius > 0.0 && check_cable(cable) && record.numbers(count, nodes);
}

bool read_mechanism(ElementRecord& record, const Model& model, const Element& element, SnareDesign& out) {
  if (!record.numbers(out.p_BC.data(), 3) || !record.numbers(out.axis_B.data(), 3)) return false;
  if (!(std::abs(out.axis_B.squaredNorm() - 1.0) < 1e-12)) return false;
  if (!read_drive(record, out.ring) || !read_drive(record, out.carriage)) return false;
  const auto bodies = static_cast<std::int32_t>(element.bodies.size());
  if (!record.integer(-1, bodies - 1, out.carriage_body) || out.carriage_body == 0) return false;
  if (out.carriage_body > 0) {
    const std::int32_t body = element.bodies[out.carriage_body];
    if (body == the_world || model.bodies[body].motion != Motion::driven) return false;
  }
  if (!read_flag(record, out.controlled) || !out.controlled) return !out.controlled;
  double* const numbers = reinterpret_cast<double*>(&out.control);
  static_assert(sizeof(ControlDesign) == control_row_count * sizeof(double));
  return record.numbers(numbers, control_row_count) && check_control(out.control) < 0;
}

bool read_obstacles(ElementRecord& record, const Model& model, const Element& element, SnareDesign& out) {
  std::int32_t count;
  if (!record.integer(1, max_touches, out.touches) || !record.integer(0, max_obstacles, count)) return false;
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t shape;
    if (!record.integer(0, static_cast<std::int32_t>(model.shapes.size()) - 1, shape)) return false;
    const auto body = std::find(element.bodies.begin(), element.bodies.end(), model.shapes[shape].body);
    if (body == element.bodies.end()) return false;
    out.obstacles.push_back({&model.shapes[shape], nullptr});
    out.obstacle_body.push_back(static_cast<std::int32_t>(body - element.bodies.begin()));
  }
  return true;
}

// The initial state: start values of the coordinates, brakes on, cables as given and at rest on body 0.
void begin(const Element& element, const SnareDesign& design, const std::vector<std::vector<double>>& nodes,
           std::vector<double>& state) {
  SnareBlock<double> block{nullptr, design, element.bodies.size()};
  state.assign(block.size(), 0.0);
  block.at = state.data();
  block.head().ring = design.ring.start;
  block.head().carriage = design.carriage.start;
  block.head().ring_brake = block.head().carriage_brake = 1.0;
  for (std::size_t k = 0; k < nodes.size(); ++k) std::copy(nodes[k].begin(), nodes[k].end(), block.q(k));
}

constexpr int max_tries = 4;  // the fourth reaches thrice as far as the cables went at first

// Rolls back to the velocities without contacts.
void forget_contacts(SnareScratch& s) noexcept {
  std::copy(s.dV_free.begin(), s.dV_free.end(), s.dV.begin());
  for (SnareCableScratch& cable : s.cables)
    std::copy(cable.free.begin(), cable.free.end(), cable.step.velocity.begin());
}

SnareScratch& scratch_of(const ElementNow& now) noexcept { return static_cast<SnareScratch&>(*now.scratch); }
const SnareDesign& design_of(const ElementNow& now) noexcept {
  return static_cast<const SnareDesign&>(*now.element.design);
}

void write_mechanism(const ElementNow& now, const SnareDesign& design, const SnareHead& head) noexcept {
  ControlFlags flags;
  if (design.controlled) {
    ControlState state = head.control;
    control_step(design.control, {snare_command(now, SnareCommand::command)}, {}, 0.0, state, flags);
  }
  double* const out = now.outputs;
  out[ring_angle] = head.ring;
  out[ring_rate_now] = head.ring_rate;
  out[ring_current] = head.ring_current;
  out[ring_torque] = head.ring_load;
  out[carriage_position] = head.carriage;
  out[carriage_rate_now] = head.carriage_rate;
  out[carriage_current] = head.carriage_current;
  out[load] = head.carriage_load;
  out[phase] = head.control.phase;
  out[captured] = flags.captured;
  out[rigidized] = flags.rigidized;
  out[missed] = flags.missed;
  out[snagged] = flags.snagged;
  out[stalled] = flags.stalled;
  out[lost] = flags.lost;
  out[bad_command] = flags.bad_command;
}

void write_outputs(const ElementNow& now, const SnareDesign& design, SnareBlock<const double> state) noexcept {
  const SnareHead& head = state.head();
  const bool mechanism = has_mechanism(now.element);
  if (mechanism) write_mechanism(now, design, head);
  const auto out = [&](CableOutput which) { return now.output(which + (mechanism ? mechanism_output_count : 0)); };
  *out(touching) = head.touches;
  *out(iterations) = head.iterations;
  *out(iteration_limit_reached) = head.iteration_limit_reached;
  *out(overlap) = head.overlap;
  for (std::size_t k = 0; k < design.cables.size(); ++k) {
    const SnareCableHead& cable = state.cable(k);
    out(tension)[k] = cable.tension;
    out(first_force)[k] = Eigen::Map<const Vec3>(cable.force[0]).norm();
    out(last_force)[k] = Eigen::Map<const Vec3>(cable.force[1]).norm();
    out(broken)[k] = cable.broken;
  }
}

bool read(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<SnareDesign>();
  if (out.ports < 1 || out.bodies.empty() || model.shapes.size() > 0x7fffffff) return false;
  if (!read_obstacles(record, model, out, *design)) return false;
  if (has_mechanism(out) && !read_mechanism(record, model, out, *design)) return false;
  std::vector<std::vector<double>> nodes(out.ports);
  for (std::vector<double>& of_cable : nodes) {
    SnareCable cable;
    if (!read_cable(record, out, cable, of_cable)) return false;
    design->cables.push_back(std::move(cable));
  }
  begin(out, *design, nodes, out.state);
  out.design = std::move(design);
  return true;
}

std::unique_ptr<ElementScratch> make_scratch(const Element& element) {
  auto scratch = std::make_unique<SnareScratch>();
  scratch->make(static_cast<const SnareDesign&>(*element.design), element.bodies.size());
  return scratch;
}

// The carriage has its initial pose on body 0, moved along the axis.
void place(const ElementNow& now) noexcept {
  const SnareDesign& design = design_of(now);
  if (design.carriage_body < 0) return;
  const SnareScratch& s = scratch_of(now);
  const SnareHead& head = SnareBlock<const double>{now.state, design, now.element.bodies.size()}.head();
  double at = head.carriage, rate = head.carriage_rate;
  if (now.h > 0.0) {  // after the solved step
    rate = s.motion.carriage_rate + (s.motion.carriage >= 0 ? s.dV[s.motion.carriage] : 0.0);
    at += now.h * rate;
  }
  const BodyState base = now.body(0);
  const Mat3 R = matrix(base.q_WB);
  const Vec3 axis_W = R * design.axis_B, p_W = at * axis_W;
  now.put(design.carriage_body,
          {base.r_WB + p_W, base.q_WB, base.v_WB + base.w_WB.cross(p_W) + rate * axis_W, base.w_WB});
}

Status solve(const ElementNow& now) noexcept {
  const SnareDesign& design = design_of(now);
  SnareScratch& s = scratch_of(now);
  take_carriage_load(now, design, s);
  if (const Status status = prepare_cables(now, design, s); !status) return status;
  if (const Status status = join_ends(design, s); !status) return status;
  s.reach = 0.0;
  s.work = 0;
  for (int tries = 0; tries < max_tries; ++tries) {
    if (tries > 0) forget_contacts(s);
    if (const Status status = find_rows(now, design, s); !status) return status;
    if (const Status status = solve_rows(now, design, s); !status) return status;
    if (const Status status = move_cables(design, s); !status) return status;
    if (reached_far_enough(now, s)) break;
  }
  sum_wrenches(now, design, s);
  for (std::size_t k = 0; k < s.wrenches.size(); ++k) now.add(static_cast<int>(k), s.wrenches[k]);
  return {};
}

Status step(const ElementNow& now) noexcept {
  const SnareDesign& design = design_of(now);
  const std::size_t bodies = now.element.bodies.size();
  if (now.h > 0.0)
    finish_step(now, design, scratch_of(now));
  else
    begin_energy(now, design, scratch_of(now));
  const SnareBlock<const double> state{now.next, design, bodies};
  for (std::size_t k = 0; k < bodies; ++k) {
    const double* const w = state.wrenches() + k * wrench_width;
    now.add(static_cast<int>(k), {Eigen::Map<const Vec3>(w), Eigen::Map<const Vec3>(w + 3)});
  }
  now.energy.stored = state.head().stored;
  now.energy.heat = state.head().heat;
  now.energy.supply = state.head().supply;
  write_outputs(now, design, state);
  return {std::isfinite(state.head().stored) ? Code::ok : Code::not_finite};
}

// Counters and flags must be valid; forces, positions and speeds may have any value.
bool admits(const Element& element, const double* state) noexcept {
  const SnareDesign& design = static_cast<const SnareDesign&>(*element.design);
  const SnareBlock<const double> block{state, design, element.bodies.size()};
  const SnareHead& head = block.head();
  for (const double on : {head.ring_on, head.carriage_on, head.ring_brake, head.carriage_brake})
    if (!math::flag(on)) return false;
  if (!math::clock(head.time) || !(head.overlap >= 0.0) || !sound(head.control)) return false;
  if (!math::integer_up_to(head.iterations, math::last_integer) ||
      !math::integer_up_to(head.iteration_limit_reached, math::last_integer))
    return false;
  if (!math::integer_up_to(head.touches, design.touches) || !math::integer_up_to(head.remembered, design.touches))
    return false;
  for (std::size_t k = 0; k < design.cables.size(); ++k)
    if (!math::flag(block.cable(k).broken)) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(head.remembered); ++i)
    if (!math::integer_up_to(block.memory()[i].key, last_key)) return false;
  return true;
}

// clang-format off
constexpr int id(SnareParameter parameter) { return static_cast<int>(parameter); }
constexpr int id(SnareCommand command) { return static_cast<int>(command); }
constexpr ElementVariable parameters[] = {
  {id(SnareParameter::friction),       {"friction",       "1", 0, false, "friction coefficient of the cables on shapes of bodies"}},
  {id(SnareParameter::cable_friction), {"cable_friction", "1", 0, false, "friction coefficient between cables"}},
  {id(SnareParameter::break_load),     {"break_load",     "N", 0, false, "tension at which a cable breaks off its last end; 0 for never"}},
};
constexpr ElementVariable commands[] = {
  {id(SnareCommand::command),          {"command",          "1",     0, false, "command to the control: 0 hold, 1 close, 2 rigidize, 3 open, 4 manual"}, !per_port, integer},
  {id(SnareCommand::ring_voltage),     {"ring_voltage",     "V",     unbounded, false, "voltage of the ring's motor in the phase manual"}},
  {id(SnareCommand::carriage_voltage), {"carriage_voltage", "V",     unbounded, false, "voltage of the carriage's motor in the phase manual"}},
  {id(SnareCommand::ring_rate),        {"ring_rate",        "rad/s", unbounded, false, "angular rate of a ring without a motor"}},
  {id(SnareCommand::carriage_rate),    {"carriage_rate",    "m/s",   unbounded, false, "speed of a carriage without a motor"}},
};
#define CABLE_OUTPUTS(first) \
  {first + touching,    {"touching",    "1", 0, false, "number of contacts of the cables at the end of the step"}, !per_port, integer}, \
  {first + iterations,  {"iterations",  "1", 0, false, "number of iterations of the cable solver in the last step"}, !per_port, integer}, \
  {first + iteration_limit_reached, {"iteration_limit_reached", "1", 0, false, "number of steps so far in which the cable solver reached its iteration limit"}, !per_port, integer}, \
  {first + overlap,     {"overlap",     "m", 0, false, "largest penetration depth of the cables at the end of the step"}}, \
  {first + tension,     {"tension",     "N", 0, false, "largest tension along a cable at the end of the step"}, per_port}, \
  {first + first_force, {"first_force", "N", 0, false, "magnitude of a cable's force on the attachment of its first end, mean over the step"}, per_port}, \
  {first + last_force,  {"last_force",  "N", 0, false, "magnitude of a cable's force on the attachment of its last end, mean over the step"}, per_port}, \
  {first + broken,      {"broken",      "1", 0, false, "flag: 1 after the cable broke off its last end"}, per_port, integer}
constexpr ElementVariable cable_outputs[] = {CABLE_OUTPUTS(0)};
constexpr ElementVariable snare_outputs[] = {
  {ring_angle,        {"ring_angle",        "rad",   0, false, "angle of the ring at the end of the step"}},
  {ring_rate_now,     {"ring_rate_now",     "rad/s", 0, false, "angular rate of the ring at the end of the step"}},
  {ring_current,      {"ring_current",      "A",     0, false, "current of the ring's motor, mean over the step"}},
  {ring_torque,       {"ring_torque",       "N.m",   0, false, "torque of the cables on the ring, mean over the step"}},
  {carriage_position, {"carriage_position", "m",     0, false, "position of the carriage at the end of the step"}},
  {carriage_rate_now, {"carriage_rate_now", "m/s",   0, false, "speed of the carriage at the end of the step"}},
  {carriage_current,  {"carriage_current",  "A",     0, false, "current of the carriage's motor, mean over the step"}},
  {load,              {"load",              "N",     0, false, "force of the cables on the carriage out of the effector, mean over the step"}},
  {phase,             {"phase",             "1",     0, false, "phase of the control at the end of the step: 0 idle, 1 closing, 2 captured, 3 retracting, 4 rigidizing, 5 rigidized, 6 extending, 7 opening, 8 manual, 9 fault"}, !per_port, integer},
  {captured,          {"captured",          "1",     0, false, "flag: 1 while taut cables hold the pin"}, !per_port, integer},
  {rigidized,         {"rigidized",         "1",     0, false, "flag: 1 while the full load is on the pin"}, !per_port, integer},
  {missed,            {"missed",            "1",     0, false, "flag: 1 after the ring closed without a pin"}, !per_port, integer},
  {snagged,           {"snagged",           "1",     0, false, "flag: 1 after tension came too early or in one cable alone"}, !per_port, integer},
  {stalled,           {"stalled",           "1",     0, false, "flag: 1 after a motor at its current limit did not move, or moved too slowly"}, !per_port, integer},
  {lost,              {"lost",              "1",     0, false, "flag: 1 after the tension or the load of a held pin was lost"}, !per_port, integer},
  {bad_command,       {"bad_command",       "1",     0, false, "flag: 1 after a command that is invalid in its phase was rejected"}, !per_port, integer},
  CABLE_OUTPUTS(mechanism_output_count)
};
#undef CABLE_OUTPUTS
// clang-format on

constexpr ElementRow make_row(const char* name) {
  ElementRow row;
  row.name = name;
  row.failure =
      "a cable, a force or a parameter is not finite, or cables touch at more places than it has capacity for";
  row.port = "cable";
  row.parameters = list(parameters, id(SnareParameter::count));
  row.read = read;
  row.scratch = make_scratch;
  row.step = step;
  row.solve = solve;
  row.admits = admits;
  return row;
}
constexpr ElementRow cables = [] {
  ElementRow row = make_row("cables");
  row.outputs = list(cable_outputs, cable_output_count);
  row.limit_output = iteration_limit_reached;
  return row;
}();
constexpr ElementRow snare = [] {
  ElementRow row = make_row("snare");
  row.commands = list(commands, id(SnareCommand::count));
  row.outputs = list(snare_outputs, mechanism_output_count + cable_output_count);
  row.limit_output = mechanism_output_count + iteration_limit_reached;
  row.place = place;
  return row;
}();
const RegisteredElement registered_cables(cables), registered_snare(snare);

}  // namespace

bool has_cables(const Element& element) noexcept { return element.row == &cables || element.row == &snare; }

}  // namespace contactlib::element

#include "indicator.hpp"

#include <algorithm>
#include <cmath>

#include "math/ranges.hpp"
#include "math/rotation.hpp"

namespace contactlib::element {

using math::matrix, math::product, math::turned;
using model::ElementDesign, model::Motion, model::the_world;

namespace {

// an element's bodies
enum : int { base, body };
enum State : int { at_travel, at_rate, at_load, at_switch, at_heat, state_count };
enum Parameter : int { stiffness, preload, damping, mass, switch_on, switch_off, parameter_count };
enum Output : int { travel, travel_rate, load, switched, output_count };

struct Design : ElementDesign {
  bool turns = false;  // a paddle turns, a plunger slides
  Vec3 p_BP, axis_B;   // m, the pivot; unit
  Vec3 p_BS;           // m, origin of the driven body at rest
  Quat q_BS;           // attitude of the driven body at rest
  double high = 0.0;   // rad, m: the travel at the stop
};

const Design& design_of(const ElementNow& now) noexcept { return static_cast<const Design&>(*now.element.design); }

double energy(const double* p, double s, double rate) noexcept {
  return 0.5 * p[mass] * rate * rate + (0.5 * p[stiffness] * s + p[preload]) * s;
}

// Implicit in spring and damper, so that every step size is stable:
//   m (s'+ - s')/h = load - k (s + h s'+) - f0 - c s'+,   then limited to the stops
void advance(const ElementNow& now, const Design& design) noexcept {
  if (!(now.h > 0.0)) return;
  const double* const p = now.parameters;
  const double s = now.state[at_travel], rate = now.state[at_rate], h = now.h;
  const double force = now.state[at_load] - p[stiffness] * s - p[preload];
  const double loose = (p[mass] * rate + h * force) / (p[mass] + h * (p[damping] + h * p[stiffness]));
  const double next = std::clamp(loose, -s / h, (design.high - s) / h), mean = 0.5 * (rate + next);
  now.next[at_travel] = std::clamp(s + h * next, 0.0, design.high);
  now.next[at_rate] = next;
  // heat of the damper, and of the stop: its force times the mean rate
  const double stop = p[mass] * (next - rate) / h - force + (p[damping] + h * p[stiffness]) * next;
  now.next[at_heat] = p[damping] * next * next + (next == loose ? 0.0 : std::max(0.0, -stop * mean));
  if (now.next[at_travel] >= p[switch_on]) now.next[at_switch] = 1.0;
  if (now.next[at_travel] <= p[switch_off]) now.next[at_switch] = 0.0;
}

bool read(ElementRecord& record, const Model& model, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 2 || out.bodies[body] == the_world) return false;
  if (out.bodies[base] == out.bodies[body] || model.bodies[out.bodies[body]].motion != Motion::driven) return false;
  std::int32_t turns;
  if (!record.integer(0, 1, turns)) return false;
  for (Vec3* const vector : {&design->p_BP, &design->axis_B, &design->p_BS})
    if (!record.numbers(vector->data(), 3)) return false;
  if (!record.numbers(design->q_BS.data(), 4) || !record.numbers(&design->high, 1)) return false;
  if (!(std::abs(design->axis_B.squaredNorm() - 1.0) < 1e-12 && std::abs(design->q_BS.squaredNorm() - 1.0) < 1e-12))
    return false;
  if (!(design->high > 0.0)) return false;
  design->turns = turns != 0;
  out.state.assign(state_count, 0.0);
  out.design = std::move(design);
  return true;
}

// The parameter that breaks switch_off <= switch_on <= travel, or -1.
std::int32_t fault(const Element& indicator, const double* parameters) noexcept {
  if (parameters[switch_off] > parameters[switch_on]) return switch_off;
  return parameters[switch_on] > static_cast<const Design&>(*indicator.design).high ? switch_on : -1;
}

void place(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  advance(now, design);
  const BodyState B = now.body(base);
  const Mat3 R = matrix(B.q_WB);
  const Vec3 axis_W = R * design.axis_B;
  const double s = now.next[at_travel], rate = now.next[at_rate];
  Vec3 p_W = R * design.p_BS, v_W = Vec3::Zero(), w_W = B.w_WB;
  Quat q = product(B.q_WB, design.q_BS);
  if (design.turns) {
    const Vec3 arm = matrix(turned(Quat(1, 0, 0, 0), s * axis_W)) * (p_W - R * design.p_BP);
    p_W = R * design.p_BP + arm;
    v_W = rate * axis_W.cross(arm);
    w_W += rate * axis_W;
    q = turned(q, s * axis_W);
  } else {
    p_W += s * axis_W;
    v_W = rate * axis_W;
  }
  now.put(body, {B.r_WB + p_W, q.normalized(), B.v_WB + B.w_WB.cross(p_W) + v_W, w_W});
}

// The component of the contact wrench along the travel moves the body. The base bears the whole contact wrench.
Status step(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  const Wrench& contact = now.data.contact_wrenches_W()[now.element.bodies[body]];
  const Mat3 R = now.rotation(base);
  const Vec3 axis_W = R * design.axis_B, p_W = now.body(body).r_WB - now.body(base).r_WB;
  const double along = design.turns ? axis_W.dot(contact.torque + (p_W - R * design.p_BP).cross(contact.force))
                                    : axis_W.dot(contact.force);
  now.add(base, {contact.force, contact.torque + p_W.cross(contact.force)});
  now.next[at_load] = along;
  const double s = now.next[at_travel], rate = now.next[at_rate];
  now.energy.stored = energy(now.parameters, s, rate);
  now.energy.heat = now.next[at_heat];
  now.energy.supply = 0.0;
  now.outputs[travel] = s;
  now.outputs[travel_rate] = rate;
  now.outputs[load] = along;
  now.outputs[switched] = now.next[at_switch];
  return {std::isfinite(along + s + rate) ? Code::ok : Code::not_finite};
}

// `advance` limits the travel to the stops.
bool admits(const Element& element, const double* state) noexcept {
  const double high = static_cast<const Design&>(*element.design).high;
  return state[at_travel] >= 0.0 && state[at_travel] <= high && math::flag(state[at_switch]);
}

// clang-format off
constexpr ElementVariable paddle_parameters[] = {
  {stiffness,  {"stiffness",  "N.m/rad",   0, false, "stiffness of the paddle's spring"}},
  {preload,    {"preload",    "N.m",       0, false, "torque of the paddle's spring at rest"}},
  {damping,    {"damping",    "N.m.s/rad", 0, false, "damping of the paddle's motion"}},
  {mass,       {"inertia",    "kg.m^2",    0, true,  "moment of inertia of the paddle about its pivot"}},
  {switch_on,  {"switch_on",  "rad",       0, false, "travel above which the switch closes"}},
  {switch_off, {"switch_off", "rad", unbounded, false, "travel below which the switch opens"}},
};
constexpr ElementVariable plunger_parameters[] = {
  {stiffness,  {"stiffness",  "N/m",   0, false, "stiffness of the plunger's spring"}},
  {preload,    {"preload",    "N",     0, false, "force of the plunger's spring at rest"}},
  {damping,    {"damping",    "N.s/m", 0, false, "damping of the plunger's motion"}},
  {mass,       {"inertia",    "kg",    0, true,  "mass of the plunger"}},
  {switch_on,  {"switch_on",  "m",     0, false, "travel above which the switch closes"}},
  {switch_off, {"switch_off", "m", unbounded, false, "travel below which the switch opens"}},
};
constexpr ElementVariable paddle_outputs[] = {
  {travel,      {"travel",   "rad",   0, false, "angle of the paddle from its rest position at the end of the step"}},
  {travel_rate, {"rate",     "rad/s", 0, false, "angular rate of the paddle at the end of the step"}},
  {load,        {"load",     "N.m",   0, false, "contact torque on the paddle about its axis at the end of the step"}},
  {switched,    {"switched", "1",     0, false, "state of the switch at the end of the step: 1 closed, 0 open"}, !per_port, integer},
};
constexpr ElementVariable plunger_outputs[] = {
  {travel,      {"travel",   "m",   0, false, "distance of the plunger from its rest position at the end of the step"}},
  {travel_rate, {"rate",     "m/s", 0, false, "speed of the plunger at the end of the step"}},
  {load,        {"load",     "N",   0, false, "contact force on the plunger along its axis at the end of the step"}},
  {switched,    {"switched", "1",   0, false, "state of the switch at the end of the step: 1 closed, 0 open"}, !per_port, integer},
};
// clang-format on

constexpr ElementRow make_row(const char* name, ElementVariables parameters, ElementVariables outputs) {
  ElementRow row;
  row.name = name;
  row.failure = "a load or a parameter is not finite";
  row.parameters = parameters;
  row.outputs = outputs;
  row.read = read;
  row.place = place;
  row.step = step;
  row.reads_loads = false;
  row.power = ElementPower::mean;
  row.admits = admits;
  row.fault = fault;
  row.rule = "switch_off must not exceed switch_on, and switch_on must not exceed the travel";
  return row;
}
constexpr ElementRow paddle =
    make_row("paddle", list(paddle_parameters, parameter_count), list(paddle_outputs, output_count));
constexpr ElementRow plunger =
    make_row("plunger", list(plunger_parameters, parameter_count), list(plunger_outputs, output_count));
const RegisteredElement registered_paddle(paddle), registered_plunger(plunger);

}  // namespace

bool is_indicator(const Element& element) noexcept { return element.row == &paddle || element.row == &plunger; }

bool is_switched(const ElementNow& indicator) noexcept { return indicator.outputs[switched] != 0.0; }

}  // namespace contactlib::element

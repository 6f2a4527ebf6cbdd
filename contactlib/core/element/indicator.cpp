#include "indicator.hpp"

#include <algorithm>
#include <cmath>

#include "math/ranges.hpp"
#include "math/rotation.hpp"

namespace contactlib {

namespace {

// an element's bodies
enum : int { base, body };
enum : int { at_travel, at_rate, at_load, at_switch, at_heat, state_count };
enum : int { show_travel, show_rate, show_load, show_switched };
enum : int { stiffness, preload, damping, mass, switch_on, switch_off };

struct Design : ElementDesign {
  bool turns = false;  // else it slides
  Vec3 p_BP, axis_B;   // m, its pivot; unit
  Vec3 p_BS;           // m, where its body's origin is at rest
  Quat q_BS;           // and how its axes stand there
  double high = 0.0;   // rad, m
};

const Design& design_of(const ElementNow& now) noexcept { return static_cast<const Design&>(*now.element.design); }

double energy(const double* p, double s, double rate) noexcept {
  return 0.5 * p[mass] * rate * rate + (0.5 * p[stiffness] * s + p[preload]) * s;
}

// implicit in spring and damper: stable at any step.
//   m (s'+ - s')/h = load - k (s + h s'+) - f0 - c s'+,   then held within the stops
void advance(const ElementNow& now, const Design& design) noexcept {
  if (!(now.h > 0.0)) return;
  const double* const p = now.parameters;
  const double s = now.state[at_travel], rate = now.state[at_rate], h = now.h;
  const double force = now.state[at_load] - p[stiffness] * s - p[preload];
  const double loose = (p[mass] * rate + h * force) / (p[mass] + h * (p[damping] + h * p[stiffness]));
  const double next = std::clamp(loose, -s / h, (design.high - s) / h), mean = 0.5 * (rate + next);
  now.next[at_travel] = std::clamp(s + h * next, 0.0, design.high);
  now.next[at_rate] = next;
  // damper, and the stop's push times the mean rate
  const double stop = p[mass] * (next - rate) / h - force + (p[damping] + h * p[stiffness]) * next;
  now.next[at_heat] = p[damping] * next * next + (next == loose ? 0.0 : std::max(0.0, -stop * mean));
  if (now.next[at_travel] >= p[switch_on]) now.next[at_switch] = 1.0;
  if (now.next[at_travel] <= p[switch_off]) now.next[at_switch] = 0.0;
}

}  // namespace

bool read_indicator(ElementRecord& record, const Model& model, Element& out) {
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

std::int32_t indicator_fault(const Element& indicator, const double* parameters) noexcept {
  if (parameters[switch_off] > parameters[switch_on]) return switch_off;
  return parameters[switch_on] > static_cast<const Design&>(*indicator.design).high ? switch_on : -1;
}

void place_indicator(const ElementNow& now) noexcept {
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

// what touches it moves it by its part along the travel, and goes on to the base as it is.
Status step_indicator(const ElementNow& now) noexcept {
  const Design& design = design_of(now);
  const Wrench& push = now.data.contact_wrenches_W()[now.element.bodies[body]];
  const Mat3 R = now.rotation(base);
  const Vec3 axis_W = R * design.axis_B, p_W = now.body(body).r_WB - now.body(base).r_WB;
  const double load =
      design.turns ? axis_W.dot(push.torque + (p_W - R * design.p_BP).cross(push.force)) : axis_W.dot(push.force);
  now.add(base, {push.force, push.torque + p_W.cross(push.force)});
  now.next[at_load] = load;
  const double s = now.next[at_travel], rate = now.next[at_rate];
  now.energy.stored = energy(now.parameters, s, rate);
  now.energy.heat = now.next[at_heat];
  now.energy.supply = 0.0;
  const double outputs[] = {s, rate, load, now.next[at_switch]};
  std::copy(std::begin(outputs), std::end(outputs), now.outputs);
  return {std::isfinite(load + s + rate) ? Code::ok : Code::not_finite};
}

bool indicator_shows(const ElementNow& indicator) noexcept { return indicator.outputs[show_switched] != 0.0; }

// its travel is clamped to the stops.
bool admits_indicator(const Element& element, const double* state) noexcept {
  const double high = static_cast<const Design&>(*element.design).high;
  return state[at_travel] >= 0.0 && state[at_travel] <= high && ranges::flag(state[at_switch]);
}

}  // namespace contactlib

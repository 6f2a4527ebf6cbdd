// The element `thruster`: a force with a fixed point and direction in its body.
#include <cmath>

#include "elements.hpp"
#include "math/ranges.hpp"

namespace contactlib::element {

using model::ElementDesign, model::the_world;

namespace {

struct Design : ElementDesign {
  Vec3 p_BT, d_B;  // m, point of attack; unit, direction of the force on the body
};

enum State : int { clock, state_count };
enum Parameter : int { force, start, parameter_count };
enum Command : int { throttle, command_count };
enum Output : int { thrust, output_count };

constexpr double rounding = 1e-9;  // s: a step that begins this much before `start` counts as beginning at it

bool read(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 1 || out.bodies[0] == the_world) return false;
  if (!record.numbers(design->p_BT.data(), 3) || !record.numbers(design->d_B.data(), 3)) return false;
  if (!(std::abs(design->d_B.squaredNorm() - 1.0) < 1e-12)) return false;
  out.state.assign(state_count, 0.0);
  out.design = std::move(design);
  return true;
}

// F = force throttle d  in steps that begin at `start` or later. The power into the body is F . v of the point of
// attack.
Status step(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  const double first = now.parameters[start] - rounding, begin = now.state[clock], end = begin + now.h;
  const bool on = begin > first;
  const double F = on ? now.parameters[force] * now.commands[throttle] : 0.0;
  const Mat3 R = now.rotation(0);
  const BodyState s = now.body(0);
  const Vec3 p_W = R * design.p_BT, f_W = F * (R * design.d_B);
  now.add(0, {f_W, p_W.cross(f_W)});
  now.next[clock] = end;
  now.energy.turns = !on && end > first;
  now.energy.stored = now.energy.heat = 0.0;
  now.energy.supply = f_W.dot(s.v_WB + s.w_WB.cross(p_W));
  now.outputs[thrust] = F;
  return {std::isfinite(F) ? Code::ok : Code::not_finite};
}

bool admits(const Element&, const double* state) noexcept { return math::clock(state[clock]); }

// clang-format off
constexpr ElementVariable parameters[] = {
  {force, {"force", "N", unbounded, false, "force of the thruster at throttle 1; a negative force pulls"}},
  {start, {"start", "s", unbounded, false, "time from which the thruster may fire"}},
};
constexpr ElementVariable commands[] = {
  {throttle, {"throttle", "1", 0, false, "ratio of the thrust to the parameter force"}},
};
constexpr ElementVariable outputs[] = {
  {thrust, {"thrust", "N", 0, false, "thrust of the thruster at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "thruster";
  row.failure = "its motion, a parameter or a force is not finite";
  row.parameters = list(parameters, parameter_count);
  row.commands = list(commands, command_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  row.reads_loads = false;
  row.admits = admits;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element

#include "thruster.hpp"

#include <cmath>

#include "math/ranges.hpp"

namespace contactlib {

namespace {

struct Design : ElementDesign {
  Vec3 p_BT, d_B;  // m, where it pushes; unit, which way it pushes the body
};

constexpr double little = 1e-9;  // s: a start that steps of a core meet but for rounding is met

}  // namespace

// its memory is the time that it has run.
bool read_thruster(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || out.bodies.size() != 1 || out.bodies[0] == the_world) return false;
  if (!record.numbers(design->p_BT.data(), 3) || !record.numbers(design->d_B.data(), 3)) return false;
  if (!(std::abs(design->d_B.squaredNorm() - 1.0) < 1e-12)) return false;
  out.state = {0.0};
  out.design = std::move(design);
  return true;
}

// f = force throttle d  in steps that begin at `start` or later; what it gives the body is f . v of the point where it
// pushes.
Status step_thruster(const ElementNow& now) noexcept {
  const Design& design = static_cast<const Design&>(*now.element.design);
  const double force = now.parameters[0], start = now.parameters[1], begun = now.state[0], time = begun + now.h;
  const bool on = begun > start - little;
  const double thrust = on ? force * now.commands[0] : 0.0;
  const Mat3 R = now.rotation(0);
  const BodyState s = now.body(0);
  const Vec3 p_W = R * design.p_BT, f_W = thrust * (R * design.d_B);
  now.add(0, {f_W, p_W.cross(f_W)});
  now.next[0] = time;
  now.energy.turns = !on && time > start - little;
  now.energy.stored = now.energy.heat = 0.0;
  now.energy.supply = f_W.dot(s.v_WB + s.w_WB.cross(p_W));
  now.outputs[0] = thrust;
  return {std::isfinite(thrust) ? Code::ok : Code::not_finite};
}

bool admits_thruster(const Element&, const double* state) noexcept { return ranges::clock(state[0]); }

}  // namespace contactlib

// The element `latch_drive`: the drive of a latch whose links another program moves. Angle and rate of the crank are
// inputs and the torque on the crank is an output. Gear friction and brake act as a stiff spring that slips:
//   z' = rate, |k z| <= friction + brake,   torque = motor - k z
#include "latch_drive.hpp"

#include <algorithm>
#include <cmath>

#include "drive.hpp"

namespace contactlib::element {

using model::ElementDesign;

namespace {

enum State : int { at_wound = drive_order_width, state_count };
enum Parameter : int { stiffness, parameter_count };
enum Command : int { crank_angle = drive_command_count, crank_rate, command_count };
enum Output : int { torque, current, held, output_count };

struct Design : ElementDesign {
  Drive drive;
};

bool read(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || !out.bodies.empty()) return false;
  if (!read_drive(record, design->drive) || design->drive.mode != DriveMode::motor) return false;
  out.state.assign(state_count, 0.0);
  out.design = std::move(design);
  return true;
}

// The crank receives torque * rate. The spring of gear and brake stores or dissipates the rest of the motor's power.
Status step(const ElementNow& now) noexcept {
  const Drive& drive = static_cast<const Design&>(*now.element.design).drive;
  const DriveInput input = drive_input(now);
  const double rate = now.commands[crank_rate], k = now.parameters[stiffness], before = now.state[at_wound];
  const double most = (drive.friction + (input.brake ? drive.brake : 0.0)) / k;
  const double wound = std::clamp(before + now.h * rate, -most, most);
  const double idle = input.voltage / drive.constant();
  const double motor = input.on ? std::clamp(drive.damping() * (idle - rate), -drive.most(), drive.most()) : 0.0;
  const double hold = -k * wound;
  now.next[at_wound] = wound;
  now.energy.stored = 0.5 * k * wound * wound;
  now.energy.heat = now.h > 0.0 ? -hold * (before + now.h * rate - wound) / now.h : 0.0;  // of the slipping gear
  now.energy.supply = -hold * rate;
  now.outputs[torque] = motor + hold;
  now.outputs[current] = motor / (drive.efficiency * drive.constant());
  now.outputs[held] = hold;
  return {std::isfinite(motor + hold) ? Code::ok : Code::not_finite};
}

// The deflection of the spring has no bound here: its stiffness may have been changed since.
bool admits(const Element&, const double* state) noexcept { return admits_order(state); }

// clang-format off
constexpr ElementVariable parameters[] = {
  {stiffness, {"stiffness", "N.m/rad", 0, true, "stiffness of gear and brake before slip"}},
};
constexpr ElementVariable commands[] = {
  CONTACTLIB_DRIVE_COMMANDS,
  {crank_angle, {"angle", "rad",   unbounded, false, "angle of the crank"}},
  {crank_rate,  {"rate",  "rad/s", unbounded, false, "angular rate of the crank"}},
};
constexpr ElementVariable outputs[] = {
  {torque,  {"torque",  "N.m", 0, false, "torque of motor, gear and brake on the crank at the end of the step"}},
  {current, {"current", "A",   0, false, "current of the motor at the end of the step"}},
  {held,    {"held",    "N.m", 0, false, "torque of gear and brake alone on the crank at the end of the step"}},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "latch_drive";
  row.failure = "its motion, a parameter or a force is not finite";
  row.parameters = list(parameters, parameter_count);
  row.commands = list(commands, command_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  row.reads_loads = false;
  row.power = ElementPower::mean;
  row.jump = ElementJump::waits;
  row.admits = admits;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

bool is_latch_drive(const Element& element) noexcept { return element.row == &row; }

LatchReading read_latch_drive(const ElementNow& latch) noexcept {
  return {latch.commands[crank_angle], latch.commands[crank_rate], latch.outputs[current]};
}

}  // namespace contactlib::element

#include "latch_drive.hpp"

#include <algorithm>
#include <cmath>

#include "drive.hpp"

namespace contactlib {

namespace {

enum : int { at_wound = drive_order_width, state_count };
enum : int { stiffness };
enum : int { command_angle = drive_command_count, command_rate };
enum : int { show_torque, show_current };

struct Design : ElementDesign {
  Drive drive;
};

}  // namespace

bool read_latch_drive(ElementRecord& record, const Model&, Element& out) {
  auto design = std::make_unique<Design>();
  if (out.ports != 0 || !out.bodies.empty()) return false;
  if (!read_drive(record, design->drive) || design->drive.mode != DriveMode::motor) return false;
  out.state.assign(state_count, 0.0);
  out.design = std::move(design);
  return true;
}

// the crank takes torque * rate, out of what the motor gives: the rest is wound up or rubbed away.
Status step_latch_drive(const ElementNow& now) noexcept {
  const Drive& drive = static_cast<const Design&>(*now.element.design).drive;
  const DriveInput input = drive_input(now);
  const double rate = now.commands[command_rate], k = now.parameters[stiffness], before = now.state[at_wound];
  const double most = (drive.friction + (input.brake ? drive.brake : 0.0)) / k;
  const double wound = std::clamp(before + now.h * rate, -most, most);
  const double idle = input.voltage / drive.constant();
  const double motor = input.on ? std::clamp(drive.damping() * (idle - rate), -drive.most(), drive.most()) : 0.0;
  const double held = -k * wound;
  now.next[at_wound] = wound;
  now.energy.stored = 0.5 * k * wound * wound;
  now.energy.heat = now.h > 0.0 ? -held * (before + now.h * rate - wound) / now.h : 0.0;  // where the gear slips
  now.energy.supply = -held * rate;
  const double outputs[] = {motor + held, motor / (drive.efficiency * drive.constant()), held};
  std::copy(std::begin(outputs), std::end(outputs), now.outputs);
  return {std::isfinite(motor + held) ? Code::ok : Code::not_finite};
}

LatchReading read_latch_drive_outputs(const ElementNow& latch) noexcept {
  return {latch.commands[command_angle], latch.commands[command_rate], latch.outputs[show_current]};
}

// how far gear and brake are wound up depends on a stiffness that may have been tuned since.
bool admits_latch_drive(const Element&, const double* state) noexcept { return admits_order(state); }

}  // namespace contactlib

#include "drive.hpp"

#include <algorithm>
#include <cmath>

#include "math/ranges.hpp"

namespace contactlib::element {

bool read_drive(ElementRecord& record, Drive& out) {
  std::int32_t mode;
  if (!record.integer(0, static_cast<std::int32_t>(DriveMode::rate), mode)) return false;
  out.mode = static_cast<DriveMode>(mode);
  for (double* const number : {&out.start, &out.low, &out.high, &out.inertia, &out.gear, &out.torque_constant,
                               &out.resistance, &out.current_limit, &out.efficiency, &out.friction, &out.brake})
    if (!record.numbers(number, 1)) return false;
  if (!(out.low <= out.start && out.start <= out.high)) return false;
  if (out.mode != DriveMode::motor) return true;
  const bool positive = out.inertia > 0.0 && out.gear != 0.0 && out.torque_constant > 0.0 && out.resistance > 0.0 &&
                        out.current_limit > 0.0 && out.efficiency > 0.0;
  return positive && out.friction >= 0.0 && out.brake >= 0.0;
}

bool admits_order(const double* state) noexcept {
  const DriveOrder& order = *reinterpret_cast<const DriveOrder*>(state);
  return math::flag(order.own) && math::flag(order.on) && math::flag(order.brake_off);
}

DriveInput drive_input(const ElementNow& now) noexcept {
  const DriveOrder& order = *reinterpret_cast<const DriveOrder*>(now.state);
  if (now.element.led && order.own == 0.0) return {order.voltage, order.on != 0.0, order.brake_off == 0.0};
  const double* const own = now.commands;
  return {own[drive_voltage], own[drive_power] != 0.0, own[drive_brake] != 0.0};
}

namespace {

// Solves I s'+ = P + h motor(s'+), with the motor on its torque-speed line or at its current limit.
double with_motor(const Drive& drive, const DriveInput& input, double P, double h) noexcept {
  if (!input.on) return P / drive.inertia;
  const double B = drive.damping(), idle = input.voltage / drive.constant();
  const double rate = (P + h * B * idle) / (drive.inertia + h * B);
  const double motor = std::clamp(B * (idle - rate), -drive.most(), drive.most());
  return std::abs(motor) < drive.most() ? rate : (P + h * motor) / drive.inertia;
}

}  // namespace

// Gear and brake resist with at most `hold`: against the motion, or as much as stops it.
DriveStep step_drive(const Drive& drive, const DriveInput& input, double at, double rate, double load,
                     double h) noexcept {
  if (drive.mode != DriveMode::motor) return {0.0, 0.0, 0.0};
  const double P = drive.inertia * rate + h * load;
  const double hold = h * (drive.friction + (input.brake ? drive.brake : 0.0));
  const double forward = with_motor(drive, input, P - hold, h), backward = with_motor(drive, input, P + hold, h);
  double next = forward > 0.0 ? forward : backward < 0.0 ? backward : 0.0;
  next = std::clamp(next, (drive.low - at) / h, (drive.high - at) / h);
  const double idle = input.voltage / drive.constant();
  const double motor = input.on ? std::clamp(drive.damping() * (idle - next), -drive.most(), drive.most()) : 0.0;
  return {next, motor, drive.inertia * (next - rate) / h - load - motor};
}

}  // namespace contactlib::element

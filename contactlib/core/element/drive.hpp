// a coordinate with its motor: an angle (rad, N m) or a way (m, N), moved by a dc motor through a gear,
//   force = N eta Kt i,   i = (U - N Kt s')/R,   |i| <= i_max
// with friction in the gear, a brake and stops; or prescribed.
#pragma once

#include <cmath>

#include "elements.hpp"

namespace contactlib::element {

enum class DriveMode : std::int32_t { none, motor, rate };

struct Drive {
  DriveMode mode = DriveMode::none;
  double start = 0.0;            // rad, m
  double low = 0.0, high = 0.0;  // stops
  double inertia = 0.0;          // kg m2, kg: of what moves, and of the motor through its gear
  double gear = 0.0;             // N: angle of the motor for each rad or m
  double torque_constant = 0.0;  // Kt, N m/A
  double resistance = 0.0;       // R, ohm
  double current_limit = 0.0;    // i_max, A
  double efficiency = 0.0;       // eta
  double friction = 0.0;         // N m, N, of the gear
  double brake = 0.0;            // what the brake holds besides

  double constant() const noexcept { return gear * torque_constant; }  // K = N Kt, V s/rad
  double damping() const noexcept { return efficiency * constant() * constant() / resistance; }  // B = eta K^2/R
  double most() const noexcept { return efficiency * std::abs(constant()) * current_limit; }
};

// mode, then the numbers above; false where a motor has none that could be.
bool read_drive(ElementRecord& record, Drive& out);

// what a drive is told, and what a step of a coordinate without anything else on it gives.
struct DriveInput {
  double voltage;  // V
  bool on;         // else an open circuit
  bool brake;
};

// what an element that leads others tells a drive: the first numbers of the state of one that may be led. at the start,
// all 0, it is an open circuit with its brake on.
struct DriveOrder {
  double own = 0.0;  // 1: obey the element's own commands
  double on = 0.0;
  double brake_off = 0.0;
  double voltage = 0.0;  // V
};
inline constexpr int drive_order_width = sizeof(DriveOrder) / sizeof(double);
bool admits_order(const double* state) noexcept;  // of finite numbers

// the first commands of an element that may be led.
enum : int { drive_voltage, drive_power, drive_brake, drive_command_count };

// what it does now: as it was told, or as its own commands say.
DriveInput drive_input(const ElementNow& now) noexcept;

struct DriveStep {
  double rate;   // at the end of the step
  double motor;  // N m, N, of the motor
  double held;   // of gear, brake and stops
};

// implicit in the motor's speed, its gear, brake and stops: stable at any step.
//   I (s'+ - s') = h (load + motor + held)
DriveStep step_drive(const Drive& drive, const DriveInput& input, double at, double rate, double load,
                     double h) noexcept;

}  // namespace contactlib::element

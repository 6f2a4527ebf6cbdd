// A coordinate with its motor: an angle (rad, N m) or a position (m, N), moved by a DC motor through a gear,
//   force = N eta Kt i,   i = (U - N Kt s')/R,   |i| <= i_max
// with friction in the gear, a brake and stops; or a prescribed coordinate.
#pragma once

#include <cmath>

#include "elements.hpp"

namespace contactlib::element {

enum class DriveMode : std::int32_t { none, motor, rate };

struct Drive {
  DriveMode mode = DriveMode::none;
  double start = 0.0;            // rad, m
  double low = 0.0, high = 0.0;  // stops
  double inertia = 0.0;          // kg m2, kg: of the moving parts and of the motor through its gear
  double gear = 0.0;             // N: motor angle per rad or m
  double torque_constant = 0.0;  // Kt, N m/A
  double resistance = 0.0;       // R, ohm
  double current_limit = 0.0;    // i_max, A
  double efficiency = 0.0;       // eta
  double friction = 0.0;         // N m, N, of the gear
  double brake = 0.0;            // largest force of the brake

  double constant() const noexcept { return gear * torque_constant; }  // K = N Kt, V s/rad
  double damping() const noexcept { return efficiency * constant() * constant() / resistance; }  // B = eta K^2/R
  double most() const noexcept { return efficiency * std::abs(constant()) * current_limit; }
};

// Reads the mode, then the numbers above; returns false for impossible numbers of a motor.
bool read_drive(ElementRecord& record, Drive& out);

// Commands of a drive.
struct DriveInput {
  double voltage;  // V
  bool on;         // false: the motor is an open circuit
  bool brake;      // true: the brake holds
};

// Orders of a leading element to a drive: the first numbers of the state of an element that may be led. Initially they
// are 0: an open circuit with the brake on.
struct DriveOrder {
  double own = 0.0;  // 1: the element obeys its own commands
  double on = 0.0;
  double brake_off = 0.0;
  double voltage = 0.0;  // V
};
inline constexpr int drive_order_width = sizeof(DriveOrder) / sizeof(double);
bool admits_order(const double* state) noexcept;  // the numbers are finite

// The first commands of an element that may be led, and their rows.
enum DriveCommand : int { drive_voltage, drive_power, drive_brake, drive_command_count };
// clang-format off
#define CONTACTLIB_DRIVE_COMMANDS \
  {drive_voltage, {"voltage", "V", unbounded, false, "voltage of the motor"}}, \
  {drive_power,   {"power",   "1", 0, false, "state of the motor's circuit: 1 closed, 0 open"}, !per_port, integer}, \
  {drive_brake,   {"brake",   "1", 0, false, "state of the brake: 1 on, 0 off"}, !per_port, integer}
// clang-format on

// Commands of the drive at this instant: the leader's orders, or the element's own commands.
DriveInput drive_input(const ElementNow& now) noexcept;

struct DriveStep {
  double rate;   // rad/s, m/s, at the end of the step
  double motor;  // N m, N, of the motor
  double held;   // N m, N, of gear, brake and stops
};

// Implicit in the motor's speed, the gear, the brake and the stops, so that every step size is stable:
//   I (s'+ - s') = h (load + motor + held)
DriveStep step_drive(const Drive& drive, const DriveInput& input, double at, double rate, double load,
                     double h) noexcept;

}  // namespace contactlib::element

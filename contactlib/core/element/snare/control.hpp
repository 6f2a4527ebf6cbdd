// The control logic of a latching end effector. It decides which motor runs and which brake holds while three cables
// close on a pin, retract it, hold it and release it. It contains no model of the cables: it reads sensors and returns
// voltages. The tables of phases are in control.cpp; docs/lee.md describes them.
//
// Angles and positions have the signs of their sensors, voltages those of their motors. The directions follow from the
// two end values of each coordinate.
#pragma once

#include <cstdint>

#include "base/layout.hpp"
#include "element/sequence.hpp"

namespace contactlib::element {

// Command of the operator. It acts once, when it changes. `manual` gives the motors the voltages of the input.
enum class LeeCommand : std::int32_t { hold, close, rigidize, open, manual };
inline constexpr int lee_command_count = 5;
static_assert(static_cast<int>(LeeCommand::manual) + 1 == lee_command_count);

enum class LeePhase : std::int32_t {
  idle,  // at rest, nothing captured
  closing,  // the ring turns its cables onto the pin
  captured,  // at rest, the pin in taut cables
  retracting,  // the carriage retracts fast until the load of the pin rises
  rigidizing,  // the carriage retracts slowly, up to the full load
  rigidized,  // at rest under load
  extending,  // the carriage extends to its end and pushes the pin off
  opening,  // the ring turns back
  manual,
  fault,  // at rest after a fault; only `open` and `manual` leave it
};
inline constexpr int lee_phase_count = 10;
static_assert(static_cast<int>(LeePhase::fault) + 1 == lee_phase_count);

// All doubles, in the order of `control_rows`, which has their conditions.
struct ControlDesign {
  double supply_voltage, close_voltage, open_voltage, fast_voltage, slow_voltage, extend_voltage;  // V
  double open_angle, closed_angle, snag_angle, angle_tolerance;  // rad
  double extended_position, retracted_position, position_tolerance;  // m
  double slack_tension, capture_tension, snag_tension;  // N
  double snag_ratio;  // 1
  double contact_load, rigidize_load, lost_load;  // N
  double ring_stall_current, carriage_stall_current;  // A
  double ring_stall_rate;  // rad/s
  double carriage_stall_rate;  // m/s
  double capture_time, snag_time, stall_time, lost_time, close_time, retract_time, rigidize_time, extend_time,
      open_time;  // s
};

using ControlRow = DesignRow<ControlDesign>;
inline constexpr int control_row_count = 33;
const ControlRow* control_rows() noexcept;

// The first row whose number is not finite, else the first row whose condition fails, else -1.
int check_control(const ControlDesign& design) noexcept;

struct ControlInput {
  double command = 0.0;  // a LeeCommand; any other number acts as hold and raises `bad_command`
  double ring_voltage = 0.0, carriage_voltage = 0.0;  // V, for `manual`; limited to the supply voltage
};

struct ControlSense {
  double ring_angle, ring_rate, ring_current;  // rad, rad/s, A
  double carriage_position, carriage_rate, carriage_current;  // m, m/s, A
  double max_tension, mean_tension, min_tension;  // N, over the cables that are whole: the most along any, and of the
  // means along each their mean and the least
  double load;  // N, the pin's pull on the carriage, out of the effector
  double broken_cables;
};

// The state of the control: numbers only, to be copied, saved and restored.
struct ControlState {
  double phase = 0.0;  // a LeePhase
  double command = 0.0;  // the last LeeCommand
  double flags = 0.0;  // bits of the flags that stay raised, in the order of ControlFlags
  double age = 0.0;  // s, in this phase
  double taut = 0.0;  // s, uninterrupted time of taut cables
  double snag = 0.0;  // s, of the condition of a snag
  double stall = 0.0;  // s, of the condition of a stall
  double lost = 0.0;  // s, of the condition of a lost load
};

bool sound(const ControlState& state) noexcept;

// A motor that is off is an open circuit with its brake on: `brake` equals `!on`.
struct ControlDrive {
  double ring_voltage = 0.0, carriage_voltage = 0.0;  // V
  bool ring_on = false, carriage_on = false;
  bool ring_brake = true, carriage_brake = true;
};

// `captured` and `rigidized` describe the present state. The others stay raised until a command starts another phase;
// `broken` stays raised while a cable is broken.
struct ControlFlags {
  bool captured = false, rigidized = false;
  bool missed = false;  // the ring closed without tension
  bool snagged = false;  // tension too early, in one cable alone, or for too long
  bool stalled = false;  // a motor at its limit did not move, or a motion exceeded its time or found no load
  bool broken = false;  // a cable is
  bool lost = false;  // tension or load was lost
  bool bad_command = false;  // invalid in its phase, or not a command
  bool bad_sense = false;  // a sensor value is not finite
};
inline constexpr int lee_flag_count = 9;

// One step of h with the sensors at its end. h = 0 returns drive and flags and changes nothing.
ControlDrive control_step(const ControlDesign& design, const ControlInput& input, const ControlSense& sense, double h,
                          ControlState& state, ControlFlags& flags) noexcept;

}  // namespace contactlib::element

namespace contactlib {

CONTACTLIB_LAYOUT(element::ControlFlags, CONTACTLIB_FIELD(captured), CONTACTLIB_FIELD(rigidized),
                  CONTACTLIB_FIELD(missed), CONTACTLIB_FIELD(snagged), CONTACTLIB_FIELD(stalled),
                  CONTACTLIB_FIELD(broken), CONTACTLIB_FIELD(lost), CONTACTLIB_FIELD(bad_command),
                  CONTACTLIB_FIELD(bad_sense))
CONTACTLIB_LAYOUT(element::ControlSense, CONTACTLIB_FIELD(ring_angle), CONTACTLIB_FIELD(ring_rate),
                  CONTACTLIB_FIELD(ring_current), CONTACTLIB_FIELD(carriage_position), CONTACTLIB_FIELD(carriage_rate),
                  CONTACTLIB_FIELD(carriage_current), CONTACTLIB_FIELD(max_tension), CONTACTLIB_FIELD(mean_tension),
                  CONTACTLIB_FIELD(min_tension), CONTACTLIB_FIELD(load), CONTACTLIB_FIELD(broken_cables))

}  // namespace contactlib

// the control logic of a latching end effector: which motor runs, and which brake holds, while three cables close on a
// pin, draw it in, hold it and let it go. it knows no cables: it reads sensors and gives voltages. what leads from
// which phase to which is the table in control.cpp; docs/lee.md tells it in words.
//
// angles and positions have the signs of their sensors, voltages those of their motors: which way is closing, and which
// way the carriage draws in, follows from the two ends of each.
#pragma once

#include <cstdint>

#include "element/sequence.hpp"

namespace contactlib {

// what the operator asks for. a command acts when it changes, once; `manual` gives the motors the voltages of the
// input.
enum class LeeCommand : std::int32_t { hold, close, rigidize, open, manual };
inline constexpr int lee_command_count = 5;

enum class LeePhase : std::int32_t {
  idle,  // at rest, nothing caught
  closing,  // the ring turns its cables onto the pin
  captured,  // at rest, the pin in taut cables
  retracting,  // the carriage draws in fast, until the pin's load rises
  rigidizing,  // and on slowly, up to the full load
  rigidized,  // at rest under load
  extending,  // the carriage goes out to its end and pushes the pin off
  opening,  // the ring turns back
  manual,
  fault,  // at rest after something went wrong; `open` and `manual` lead out
};
inline constexpr int lee_phase_count = 10;

// all doubles, in the order of `control_rows`, which says what each may be.
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

// the first row whose number is not finite, else the first whose is not allowed, else -1.
int check_control(const ControlDesign& design) noexcept;

struct ControlInput {
  double command = 0.0;  // a LeeCommand; others hold and raise `bad_command`
  double ring_voltage = 0.0, carriage_voltage = 0.0;  // V, for `manual`; held within the supply's
};

struct ControlSense {
  double ring_angle, ring_rate, ring_current;  // rad, rad/s, A
  double carriage_position, carriage_rate, carriage_current;  // m, m/s, A
  double max_tension, mean_tension, min_tension;  // N, over the cables that are whole: the most along any, and of the
                                                  // means along each their mean and the least
  double load;  // N, the pin's pull on the carriage, out of the effector
  double broken_cables;
};

// what is remembered: numbers alone, to be copied, saved and restored.
struct ControlState {
  double phase = 0.0;  // a LeePhase
  double command = 0.0;  // the last LeeCommand
  double flags = 0.0;  // bits of those that stay up, in the order of ControlFlags
  double age = 0.0;  // s, in this phase
  double taut = 0.0;  // s, for how long all cables have been taut,
  double snag = 0.0;  // and it has looked like a snag,
  double stall = 0.0;  // like a stall of the motor that runs,
  double lost = 0.0;  // and like a load that is gone, without a break
};

bool sound(const ControlState& state) noexcept;

// a motor that is off is an open circuit, and its brake is on: `brake` is never but `!on`.
struct ControlDrive {
  double ring_voltage = 0.0, carriage_voltage = 0.0;  // V
  bool ring_on = false, carriage_on = false;
  bool ring_brake = true, carriage_brake = true;
};

// `captured` and `rigidized` say how things are. the others stay up until a command sets out for another phase,
// `broken` for as long as a cable is.
struct ControlFlags {
  bool captured = false, rigidized = false;
  bool missed = false;  // the ring is closed, and there was no tension
  bool snagged = false;  // tension before the ring has turned far, in one cable alone, or for too long
  bool stalled = false;  // a motor at its limit did not move, a motion took too long or found no load
  bool broken = false;  // a cable is
  bool lost = false;  // tension or load went away
  bool bad_command = false;  // out of order, or none at all
  bool bad_sense = false;  // a sensor gives no finite number
};
inline constexpr int lee_flag_count = 9;

// one step of h; sensors as they are at its end. h = 0 tells drive and flags as they stand and changes nothing.
ControlDrive control_step(const ControlDesign& design, const ControlInput& input, const ControlSense& sense, double h,
                          ControlState& state, ControlFlags& flags) noexcept;

}  // namespace contactlib

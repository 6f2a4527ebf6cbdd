// The control logic of a berthing mechanism. It decides which latch runs while indicators show the passive ring, and
// while latches close on it, hold it, pull it to its seat and release it. It contains no model of the linkages: it
// reads sensors and gives orders. The tables of phases are in control.cpp; docs/berthing_control.md describes them.
//
// Angles have the signs of their sensors, voltages those of their motors. The directions follow from the end angles.
#pragma once

#include <cstdint>

#include "base/layout.hpp"
#include "element/sequence.hpp"

namespace contactlib::element {

inline constexpr int max_latches = 8;

// Command of the operator. It acts once, when it changes. `automatic` runs from `idle` to `berthed`. With `manual`
// latches obey their own inputs.
enum class BerthingCommand : std::int32_t { hold, capture, berth, open, manual, automatic };
inline constexpr int berthing_command_count = 6;
static_assert(static_cast<int>(BerthingCommand::automatic) + 1 == berthing_command_count);

enum class BerthingPhase : std::int32_t {
  idle,  // at rest, nothing held
  waiting,  // at rest, until enough indicators show
  capturing,  // latches close up to their capture angle: the passive ring is captured
  captured,  // at rest, held loosely
  berthing,  // latches pull it to its seat, up to their berthed angle
  berthed,  // at rest under load
  opening,  // latches go back
  manual,
  fault,  // at rest after a fault; only `open` and `manual` leave it
};
inline constexpr int berthing_phase_count = 9;
static_assert(static_cast<int>(BerthingPhase::fault) + 1 == berthing_phase_count);

// All doubles, in the order of `berthing_rows`, which has their conditions.
struct BerthingDesign {
  double capture_voltage, berth_voltage, open_voltage;  // V
  double open_angle, capture_angle, berthed_angle, angle_tolerance;  // rad
  double indicators_needed, seats_needed, latches_needed;
  double stall_current;  // A
  double stall_rate;  // rad/s
  double ready_time, settle_time, lost_time, stall_time, wait_time, capture_time, berth_time, open_time;  // s
};

// Numbers of elements of a design.
struct BerthingSize {
  int latches, indicators, seats;
};

using BerthingRow = DesignRow<BerthingDesign, BerthingSize>;
inline constexpr int berthing_row_count = 20;
const BerthingRow* berthing_rows() noexcept;

// The first row whose number is not finite, else the first row whose condition fails, else -1.
int check_berthing(const BerthingDesign& design, const BerthingSize& size) noexcept;

struct LatchSense {
  double angle, rate, current;  // rad, rad/s, A
};
struct BerthingSense {
  int latches;
  LatchSense latch[max_latches];
  double ready;  // number of closed indicator switches
  double seated;  // number of closed seat switches
};

// The state of the control: numbers only, to be copied, saved and restored.
struct BerthingState {
  double phase = 0.0;  // a BerthingPhase
  double command = 0.0;  // the last BerthingCommand
  double flags = 0.0;  // bits of the flags that stay raised, in the order of BerthingFlags
  double failed = 0.0;  // bits of the excluded latches
  double age = 0.0;  // s, in this phase
  double ready = 0.0;  // s, uninterrupted time of enough closed indicator switches
  double lost = 0.0;  // s, uninterrupted time of too few closed switches of a held ring
  double stall[max_latches] = {};  // s, uninterrupted time of the condition of a stall
};

bool sound(const BerthingState& state) noexcept;

// The orders to a latch. A latch that is off is an open circuit with its brake on.
struct LatchOrder {
  bool own = false;  // true: the latch obeys its own inputs
  bool on = false;
  double voltage = 0.0;  // V
};

// `captured`, `berthed` and `failed` describe the present state. The others stay raised until a command starts another
// phase.
struct BerthingFlags {
  bool captured = false, berthed = false;
  bool missed = false;  // latches closed with too few closed switches
  bool stalled = false;  // a latch at its limit did not move
  bool late = false;  // a motion exceeded its time limit
  bool lost = false;  // too few switches of a held ring are closed
  bool not_ready = false;  // too few indicator switches were closed during the waiting time
  bool bad_command = false;  // invalid in its phase, or not a command
  bool bad_sense = false;  // a sensor value is not finite
};
inline constexpr int berthing_flag_count = 9;

struct BerthingOutput {
  BerthingFlags flags;
  LatchOrder latch[max_latches];
};

// One step of h with the sensors at its end. h = 0 returns orders and flags and changes nothing.
BerthingOutput berthing_step(const BerthingDesign& design, double command, const BerthingSense& sense, double h,
                             BerthingState& state) noexcept;

inline bool failed(const BerthingState& state, int latch) noexcept {
  return static_cast<std::uint32_t>(state.failed) >> latch & 1u;
}

}  // namespace contactlib::element

namespace contactlib {

CONTACTLIB_LAYOUT(element::BerthingFlags, CONTACTLIB_FIELD(captured), CONTACTLIB_FIELD(berthed),
                  CONTACTLIB_FIELD(missed), CONTACTLIB_FIELD(stalled), CONTACTLIB_FIELD(late), CONTACTLIB_FIELD(lost),
                  CONTACTLIB_FIELD(not_ready), CONTACTLIB_FIELD(bad_command), CONTACTLIB_FIELD(bad_sense))

}  // namespace contactlib

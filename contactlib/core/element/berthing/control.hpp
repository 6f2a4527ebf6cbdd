// the control logic of a berthing mechanism: which latch runs while indicators say that the other ring is near, latches
// close on it, hold it, draw it in, and let it go. it knows no linkages: it reads sensors and gives orders. what leads
// from which phase to which is the tables in control.cpp; docs/berthing_control.md tells it in words.
//
// angles have the signs of their sensors, voltages those of their motors: which way is closing follows from both ends.
#pragma once

#include <cstdint>

#include "element/sequence.hpp"

namespace contactlib {

inline constexpr int most_latches = 8;

// what the operator asks for. a command acts when it changes, once; `automatic` goes from `idle` to `berthed` alone,
// and with `manual` latches obey their own inputs.
enum class BerthingCommand : std::int32_t { hold, capture, berth, open, manual, automatic };
inline constexpr int berthing_command_count = 6;

enum class BerthingPhase : std::int32_t {
  idle,  // at rest, nothing held
  waiting,  // at rest, until enough indicators show
  capturing,  // latches close up to their capture angle: the other ring cannot leave
  captured,  // at rest, held loosely
  berthing,  // latches draw it in, up to their berthed angle
  berthed,  // at rest under load
  opening,  // latches go back
  manual,
  fault,  // at rest after something went wrong; `open` and `manual` lead out
};
inline constexpr int berthing_phase_count = 9;

// all doubles, in the order of `berthing_rows`, which says what each may be.
struct BerthingDesign {
  double capture_voltage, berth_voltage, open_voltage;  // V
  double open_angle, capture_angle, berthed_angle, angle_tolerance;  // rad
  double indicators_needed, seats_needed, latches_needed;
  double stall_current;  // A
  double stall_rate;  // rad/s
  double ready_time, settle_time, lost_time, stall_time, wait_time, capture_time, berth_time, open_time;  // s
};

// what a design is for.
struct BerthingSize {
  int latches, indicators, seats;
};

using BerthingRow = DesignRow<BerthingDesign, BerthingSize>;
inline constexpr int berthing_row_count = 20;
const BerthingRow* berthing_rows() noexcept;

// the first row whose number is not finite, else the first whose is not allowed, else -1.
int check_berthing(const BerthingDesign& design, const BerthingSize& size) noexcept;

struct LatchSense {
  double angle, rate, current;  // rad, rad/s, A
};
struct BerthingSense {
  int latches;
  LatchSense latch[most_latches];
  double ready;  // indicators that show
  double seated;  // seats that show
};

// what is remembered: numbers alone, to be copied, saved and restored.
struct BerthingState {
  double phase = 0.0;  // a BerthingPhase
  double command = 0.0;  // the last BerthingCommand
  double flags = 0.0;  // bits of those that stay up, in the order of BerthingFlags
  double failed = 0.0;  // bits of the latches that were given up
  double age = 0.0;  // s, in this phase
  double ready = 0.0;  // s, for how long enough indicators have shown,
  double lost = 0.0;  // s, and too few, or too few seats of what is berthed, without a break
  double stall[most_latches] = {};  // s, for how long it has looked like a stall
};

bool sound(const BerthingState& state) noexcept;

// what a latch is told. one that is off is an open circuit, and its brake is on.
struct LatchOrder {
  bool own = false;  // obey the latch's own inputs instead
  bool on = false;
  double voltage = 0.0;  // V
};

// `captured`, `berthed` and `failed` say how things are. the others stay up until a command sets out for another phase.
struct BerthingFlags {
  bool captured = false, berthed = false;
  bool missed = false;  // latches closed, and too few indicators or seats showed
  bool stalled = false;  // a latch at its limit did not move
  bool late = false;  // a motion took too long
  bool lost = false;  // of what was held too few indicators or seats show
  bool not_ready = false;  // too few indicators showed for all of the time to wait
  bool bad_command = false;  // out of order, or none at all
  bool bad_sense = false;  // a sensor gives no finite number
};
inline constexpr int berthing_flag_count = 9;

struct BerthingOutput {
  BerthingFlags flags;
  LatchOrder latch[most_latches];
};

// one step of h; sensors as they are at its end. h = 0 tells orders and flags as they stand and changes nothing.
BerthingOutput berthing_step(const BerthingDesign& design, double command, const BerthingSense& sense, double h,
                             BerthingState& state) noexcept;

inline bool failed(const BerthingState& state, int latch) noexcept {
  return static_cast<std::uint32_t>(state.failed) >> latch & 1u;
}

}  // namespace contactlib

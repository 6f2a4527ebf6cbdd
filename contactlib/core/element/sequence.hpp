// The common part of control logics: a table of commands and a table of events determine the next phase. A state begins
// with the numbers phase, command and flags, and may come from anywhere. A `Sequence` of a logic has `state`,
// `enter(phase)`, and `clear_flags()`, which clears the flags when a command starts another phase.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/elementary.hpp"
#include "math/ranges.hpp"

namespace contactlib::element {

namespace sequence {

// The next phase. If it is the present phase, the phase stays and the event raises its flag.
using Transition = std::int8_t;
inline constexpr Transition stays = -1;  // nothing happens
inline constexpr Transition rejected = 16;  // added to the phase to which an invalid command leads

// The first event that changes the phase counts.
template <class Reading, int phases>
struct SequenceEvent {
  bool (*when)(const Reading&) noexcept;
  std::uint32_t flag;
  Transition next[phases];
};

inline std::uint32_t bits(double flags) noexcept { return static_cast<std::uint32_t>(flags); }
inline void raise(double& flags, std::uint32_t flag) noexcept { flags = bits(flags) | flag; }

using math::integer_up_to;
inline void repair_clock(double& clock) noexcept {
  if (!(clock >= 0.0)) clock = 0.0;
}

// Counts the time while `on`, else resets to 0; it stays finite.
inline void count(double& clock, bool on, double h) noexcept {
  clock = on ? std::min(clock + h, std::numeric_limits<double>::max()) : 0.0;
}

// Whether the numbers are the beginning of a valid state; clocks follow.
template <int phases, int commands, class State>
bool sound(const Transition (&)[phases][commands], double all_flags, const State& state) noexcept {
  return integer_up_to(state.phase, phases - 1) && integer_up_to(state.command, commands - 1) &&
         integer_up_to(state.flags, all_flags);
}

// An invalid state stops all motors.
template <int phases, int commands, class State>
void repair(const Transition (&)[phases][commands], Transition stopped, double all_flags, State& state) noexcept {
  if (!integer_up_to(state.phase, phases - 1)) state.phase = stopped;
  if (!integer_up_to(state.command, commands - 1)) state.command = 0.0;
  if (!integer_up_to(state.flags, all_flags)) state.flags = 0.0;
}

// A command acts once, when it changes; a number that is no command acts as the first one, hold.
template <int phases, int commands, class Sequence>
void apply_command(double given, const Transition (&command_table)[phases][commands], std::uint32_t bad_command,
                   Sequence sequence) noexcept {
  auto& state = sequence.state;
  const double rounded = math::floor(given + 0.5);
  const bool known = rounded >= 0.0 && rounded < commands;
  const std::int32_t command = known ? static_cast<std::int32_t>(rounded) : 0;
  if (command != state.command) {
    state.command = command;
    const Transition next = command_table[static_cast<std::int32_t>(state.phase)][command];
    if (next >= rejected) {
      sequence.enter(static_cast<Transition>(next - rejected));
      raise(state.flags, bad_command);
    } else if (next != stays) {
      sequence.clear_flags();
      sequence.enter(next);
    }
  }
  if (!known) raise(state.flags, bad_command);
}

// Raises the flags of events; returns whether the phase has changed.
template <class Reading, int phases, int count, class Sequence>
bool apply_event(const Reading& reading, const SequenceEvent<Reading, phases> (&events)[count],
                 Sequence sequence) noexcept {
  const std::int32_t phase = static_cast<std::int32_t>(sequence.state.phase);
  for (const auto& event : events) {
    const Transition next = event.next[phase];
    if (next == stays || !event.when(reading)) continue;
    raise(sequence.state.flags, event.flag);
    if (next == phase) continue;
    sequence.enter(next);
    return true;
  }
  return false;
}

// Passes through phases that end at once, so that no motor starts without a task.
template <class Reading, int phases, int count, class Sequence>
void apply_events(const Reading& reading, const SequenceEvent<Reading, phases> (&events)[count],
                  Sequence sequence) noexcept {
  for (int i = 0; i < phases && apply_event(reading, events, sequence); ++i) {
  }
}

}  // namespace sequence

// One number of a design. It must be finite, and `allowed` is printed after "must be ".
template <class Design, class... Context>
struct DesignRow {
  const char* name;
  const char* unit;
  const char* meaning;
  double Design::* number;
  bool (*ok)(const Design& design, const Context&... context) noexcept;
  const char* allowed;
};

// The first row whose number is not finite, else the first row whose condition fails, else -1.
template <class Design, int count, class... Context>
int first_wrong(const DesignRow<Design, Context...> (&rows)[count], const Design& design,
                const Context&... context) noexcept {
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(design.*rows[i].number)) return i;
  for (int i = 0; i < count; ++i)
    if (!rows[i].ok(design, context...)) return i;
  return -1;
}

}  // namespace contactlib::element

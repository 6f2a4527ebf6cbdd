// The common part of control logics: a table of commands and a table of events determine the next phase. A state begins
// with the numbers phase, command and flags, and may come from anywhere. A `Sequence` of a logic has `state`,
// `enter(phase)`, and `set_out()`, which clears the flags when a command starts another phase.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/ranges.hpp"

namespace contactlib::element {

namespace sequence {

// The next phase. If it is the present phase, the phase stays and the event raises its flag.
using Cell = std::int8_t;
inline constexpr Cell stays = -1;  // nothing happens
inline constexpr Cell out_of_order = 16;  // added to the phase to which an invalid command leads

// The first event that changes the phase counts.
template <class Reading, int phases>
struct SequenceEvent {
  bool (*when)(const Reading&) noexcept;
  std::uint32_t flag;
  Cell next[phases];
};

inline std::uint32_t bits(double flags) noexcept { return static_cast<std::uint32_t>(flags); }
inline void raise(double& flags, std::uint32_t flag) noexcept { flags = bits(flags) | flag; }

using math::whole;
inline void mend_clock(double& clock) noexcept {
  if (!(clock >= 0.0)) clock = 0.0;
}

// Counts the time while `on`, else resets to 0; it stays finite.
inline void count(double& clock, bool on, double h) noexcept {
  clock = on ? std::min(clock + h, std::numeric_limits<double>::max()) : 0.0;
}

// Whether the numbers are the beginning of a valid state; clocks follow.
template <int commands, int phases, class State>
bool sound(const Cell (&)[commands][phases], double all_flags, const State& state) noexcept {
  return whole(state.phase, phases - 1) && whole(state.command, commands - 1) && whole(state.flags, all_flags);
}

// An invalid state stops all motors.
template <int commands, int phases, class State>
void mend(const Cell (&)[commands][phases], Cell stopped, double all_flags, State& state) noexcept {
  if (!whole(state.phase, phases - 1)) state.phase = stopped;
  if (!whole(state.command, commands - 1)) state.command = 0.0;
  if (!whole(state.flags, all_flags)) state.flags = 0.0;
}

// A command acts once, when it changes; a number that is no command acts as the first one, hold.
template <int commands, int phases, class Sequence>
void hear(double given, const Cell (&obey)[commands][phases], std::uint32_t bad_command, Sequence sequence) noexcept {
  auto& state = sequence.state;
  const double rounded = std::floor(given + 0.5);
  const bool known = rounded >= 0.0 && rounded < commands;
  const std::int32_t command = known ? static_cast<std::int32_t>(rounded) : 0;
  if (command != state.command) {
    state.command = command;
    const Cell next = obey[command][static_cast<std::int32_t>(state.phase)];
    if (next >= out_of_order) {
      sequence.enter(static_cast<Cell>(next - out_of_order));
      raise(state.flags, bad_command);
    } else if (next != stays) {
      sequence.set_out();
      sequence.enter(next);
    }
  }
  if (!known) raise(state.flags, bad_command);
}

// Raises the flags of events; returns whether the phase has changed.
template <class Reading, int phases, int count, class Sequence>
bool see(const Reading& reading, const SequenceEvent<Reading, phases> (&events)[count], Sequence sequence) noexcept {
  const std::int32_t phase = static_cast<std::int32_t>(sequence.state.phase);
  for (const auto& event : events) {
    const Cell next = event.next[phase];
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
void see_all(const Reading& reading, const SequenceEvent<Reading, phases> (&events)[count],
             Sequence sequence) noexcept {
  for (int i = 0; i < phases && see(reading, events, sequence); ++i) {
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

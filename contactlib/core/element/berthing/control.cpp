#include "control.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace contactlib::element {

namespace {

using namespace sequence;

using Design = BerthingDesign;
using Phase = BerthingPhase;

// The flags as bits of BerthingState::flags
enum Flag : std::uint32_t {
  none = 0,
  is_captured = 1,
  is_berthed = 2,
  missed = 4,
  stalled = 8,
  late = 16,
  lost = 32,
  not_ready = 64,
  bad_command = 128,
  bad_sense = 256,
};
constexpr double all_flags = 511.0;
static_assert(all_flags == (1 << berthing_flag_count) - 1 && bad_sense == 1 << (berthing_flag_count - 1));

// The angle to which latches run in a phase, their voltage and their time limit. Without one, all brakes are on.
struct Motion {
  double Design::* voltage;
  double Design::* angle;
  double Design::* limit;
};
constexpr Motion motions[berthing_phase_count] = {
    /* idle      */ {nullptr, nullptr, nullptr},
    /* waiting   */ {nullptr, nullptr, &Design::wait_time},
    /* capturing */ {&Design::capture_voltage, &Design::capture_angle, &Design::capture_time},
    /* captured  */ {nullptr, nullptr, nullptr},
    /* berthing  */ {&Design::berth_voltage, &Design::berthed_angle, &Design::berth_time},
    /* berthed   */ {nullptr, nullptr, nullptr},
    /* opening   */ {&Design::open_voltage, &Design::open_angle, &Design::open_time},
    /* manual    */ {nullptr, nullptr, nullptr},  // by the latches' own inputs, below
    /* fault     */ {nullptr, nullptr, nullptr},
};

struct Reading {
  const Design& design;
  const BerthingSense& sense;
  const BerthingState& state;

  Phase phase() const noexcept { return static_cast<Phase>(static_cast<std::int32_t>(state.phase)); }
  const Motion& motion() const noexcept { return motions[static_cast<std::int32_t>(state.phase)]; }
  bool moving() const noexcept { return motion().voltage != nullptr; }
};

// A latch has arrived if it is within the tolerance of the phase's angle, or past it.
bool arrived(const Reading& l, int k) noexcept {
  const Design& d = l.design;
  const double sign = d.berthed_angle > d.open_angle ? 1.0 : -1.0;
  const double past = sign * (l.sense.latch[k].angle - d.*l.motion().angle);
  return l.phase() == Phase::opening ? past <= d.angle_tolerance : past >= -d.angle_tolerance;
}
bool runs(const Reading& l, int k) noexcept { return l.moving() && !arrived(l, k) && !failed(l.state, k); }
bool motor_blocked(const Reading& l, int k) noexcept {
  const LatchSense& s = l.sense.latch[k];
  return runs(l, k) && std::abs(s.current) >= l.design.stall_current && std::abs(s.rate) <= l.design.stall_rate;
}
bool indicated(const Reading& l) noexcept { return l.sense.ready >= l.design.indicators_needed; }
bool seated(const Reading& l) noexcept { return l.sense.seated >= l.design.seats_needed; }
bool timeout(const Reading& l) noexcept { return l.motion().limit && l.state.age >= l.design.*l.motion().limit; }
bool automatic(const Reading& l) noexcept { return l.state.command == static_cast<double>(BerthingCommand::automatic); }
bool is_raised(const Reading& l, Flag flag) noexcept { return bits(l.state.flags) & flag; }

// The conditions of the events.
bool not_finite(const Reading& l) noexcept {
  for (int k = 0; k < l.sense.latches; ++k)
    for (const double x : {l.sense.latch[k].angle, l.sense.latch[k].rate, l.sense.latch[k].current})
      if (!std::isfinite(x)) return true;
  return !std::isfinite(l.sense.ready) || !std::isfinite(l.sense.seated);
}
bool all_stopped(const Reading& l) noexcept {
  for (int k = 0; k < l.sense.latches; ++k)
    if (runs(l, k)) return false;
  return l.moving();
}
// Enough latches for a capture; opening needs all of them.
bool enough_arrived(const Reading& l) noexcept {
  if (!all_stopped(l)) return false;
  int count = 0;
  for (int k = 0; k < l.sense.latches; ++k) count += arrived(l, k);
  return count >= (l.phase() == Phase::opening ? l.sense.latches : l.design.latches_needed);
}
bool closed_empty(const Reading& l) noexcept { return enough_arrived(l) && !indicated(l); }
bool arrived_seated(const Reading& l) noexcept {
  return enough_arrived(l) && (l.phase() != Phase::berthing || seated(l));
}
// Crank angles do not prove that a ring was captured: the seats have until the end of the time to berth.
bool unseated(const Reading& l) noexcept { return enough_arrived(l) && !arrived_seated(l) && timeout(l); }
bool too_few(const Reading& l) noexcept { return all_stopped(l) && !enough_arrived(l); }
bool ready_lasts(const Reading& l) noexcept { return indicated(l) && l.state.ready >= l.design.ready_time; }
bool wait_ended(const Reading& l) noexcept { return timeout(l) && !automatic(l); }
bool settle_ended(const Reading& l) noexcept {
  return automatic(l) && !is_raised(l, lost) && l.state.age >= l.design.settle_time;
}
bool loss_lasts(const Reading& l) noexcept { return l.state.lost >= l.design.lost_time; }

static_assert(berthing_phase_count <= rejected, "a phase and the mark of a rejected command go into one number");
constexpr Transition to(Phase phase) noexcept { return static_cast<Transition>(phase); }
constexpr Transition idle = to(Phase::idle), waiting = to(Phase::waiting), capturing = to(Phase::capturing),
                     captured = to(Phase::captured), berthing = to(Phase::berthing), berthed = to(Phase::berthed),
                     opening = to(Phase::opening), manual = to(Phase::manual), fault = to(Phase::fault), _ = stays,
                     x = rejected;

// clang-format off
// Next phase by present phase and command. x: the command is invalid in the present phase, no latch starts.
constexpr Transition command_table[berthing_phase_count][berthing_command_count] = {
    //               hold      capture    berth     open     manual  automatic
    /* idle      */ {_,        waiting,   x+idle,   opening, manual, waiting},
    /* waiting   */ {idle,     _,         x+idle,   opening, manual, _},
    /* capturing */ {idle,     _,         x+idle,   opening, manual, _},
    /* captured  */ {_,        _,         berthing, opening, manual, _},
    /* berthing  */ {captured, captured,  _,        opening, manual, _},
    /* berthed   */ {_,        x+berthed, _,        opening, manual, _},
    /* opening   */ {idle,     x+idle,    x+idle,   _,       manual, x+idle},
    /* manual    */ {idle,     x+idle,    x+idle,   opening, _,      x+idle},
    /* fault     */ {_,        x+fault,   x+fault,  opening, manual, x+fault},
};

// Next phase by event and present phase. The first event that changes the phase counts.
constexpr SequenceEvent<Reading, berthing_phase_count> events[] = {
    //                           idle  waiting    capturing captured  berthing berthed   opening manual  fault
    {not_finite,     bad_sense, {idle, idle,      fault,    captured, fault,   berthed,  fault,  manual, fault}},
    {ready_lasts,    none,      {_,    capturing, _,        _,        _,       _,        _,      _,      _}},
    {wait_ended,     not_ready, {_,    idle,      _,        _,        _,       _,        _,      _,      _}},
    {closed_empty,   missed,    {_,    _,         fault,    _,        fault,   _,        _,      _,      _}},
    {arrived_seated, none,      {_,    _,         captured, _,        berthed, _,        idle,   _,      _}},
    {unseated,       missed,    {_,    _,         _,        _,        fault,   _,        _,      _,      _}},
    {too_few,        none,      {_,    _,         fault,    _,        fault,   _,        fault,  _,      _}},
    {loss_lasts,     lost,      {_,    _,         _,        captured, _,       captured, _,      _,      _}},
    {settle_ended,   none,      {_,    _,         _,        berthing, _,       _,        _,      _,      _}},
};
// clang-format on

struct Sequence {
  BerthingState& state;

  void clear_flags() noexcept {
    state.flags = bits(state.flags) & is_captured;
    state.failed = 0.0;
  }

  void enter(Transition phase) noexcept {
    if (phase == state.phase) return;
    state.phase = phase;
    state.age = state.ready = state.lost = 0.0;
    std::fill(std::begin(state.stall), std::end(state.stall), 0.0);
    if (phase == captured) raise(state.flags, is_captured);
    if (phase == opening || phase == manual) state.flags = bits(state.flags) & ~is_captured;
  }
};

void repair(BerthingState& state) noexcept {
  sequence::repair(command_table, fault, all_flags, state);
  if (!integer_up_to(state.failed, (1u << max_latches) - 1.0)) state.failed = 0.0;
  for (double* time : {&state.age, &state.ready, &state.lost}) repair_clock(*time);
  for (double& time : state.stall) repair_clock(time);
}

// Excludes latches that stall, and those that have not arrived in time.
void exclude_latches(const Reading& l, double h, BerthingState& state) noexcept {
  for (int k = 0; k < l.sense.latches; ++k) {
    if (!runs(l, k)) continue;
    count(state.stall[k], motor_blocked(l, k), h);
    const bool stall = state.stall[k] >= l.design.stall_time;
    if (stall) raise(state.flags, stalled);
    if (timeout(l)) raise(state.flags, late);
    if (stall || timeout(l)) state.failed = static_cast<std::uint32_t>(state.failed) | 1u << k;
  }
}

BerthingFlags flags_of(const BerthingState& state) noexcept {
  const std::uint32_t raised = bits(state.flags);
  BerthingFlags out;
  out.captured = raised & is_captured;
  out.berthed = state.phase == berthed;
  out.missed = raised & missed;
  out.stalled = raised & stalled;
  out.late = raised & late;
  out.lost = raised & lost;
  out.not_ready = raised & not_ready;
  out.bad_command = raised & bad_command;
  out.bad_sense = raised & bad_sense;
  return out;
}

}  // namespace

bool sound(const BerthingState& state) noexcept {
  return sequence::sound(command_table, all_flags, state) && integer_up_to(state.failed, (1u << max_latches) - 1.0) &&
         math::clock(state.age) && math::clock(state.ready) && math::clock(state.lost) &&
         std::all_of(std::begin(state.stall), std::end(state.stall), math::clock);
}

BerthingOutput berthing_step(const BerthingDesign& design, double command, const BerthingSense& sense, double h,
                             BerthingState& state) noexcept {
  repair(state);
  const Reading reading{design, sense, state};
  if (h > 0.0) {
    const bool at_seat = reading.phase() == Phase::berthed, holds = reading.phase() == Phase::captured || at_seat;
    count(state.age, true, h);
    count(state.ready, reading.phase() == Phase::waiting && indicated(reading), h);
    count(state.lost, (holds && !indicated(reading)) || (at_seat && !seated(reading)), h);
    exclude_latches(reading, h, state);
    apply_command(command, command_table, bad_command, Sequence{state});
    apply_events(reading, events, Sequence{state});
  }
  BerthingOutput out;
  out.flags = flags_of(state);
  for (int k = 0; k < sense.latches; ++k) {
    out.latch[k].own = reading.phase() == Phase::manual;
    out.latch[k].on = runs(reading, k);
    out.latch[k].voltage = out.latch[k].on ? design.*reading.motion().voltage : 0.0;
  }
  return out;
}

}  // namespace contactlib::element

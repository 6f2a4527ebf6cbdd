#include "control.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::element {

using math::clock;

namespace {

using namespace sequence;

using Design = ControlDesign;
using Phase = LeePhase;

// The flags as bits of ControlState::flags
enum Flag : std::uint32_t {
  none = 0,
  is_captured = 1,
  is_rigidized = 2,
  missed = 4,
  snagged = 8,
  stalled = 16,
  broken = 32,
  lost = 64,
  bad_command = 128,
  bad_sense = 256,
};
constexpr double all_flags = 511.0;
static_assert(all_flags == (1 << lee_flag_count) - 1 && bad_sense == 1 << (lee_flag_count - 1));

// The motor that runs in a phase, its voltage and its time limit. Where no motor runs, both brakes are on.
struct Motion {
  double Design::* ring;
  double Design::* carriage;
  double Design::* limit;
};
constexpr Motion motions[lee_phase_count] = {
    /* idle       */ {nullptr, nullptr, nullptr},
    /* closing    */ {&Design::close_voltage, nullptr, &Design::close_time},
    /* captured   */ {nullptr, nullptr, nullptr},
    /* retracting */ {nullptr, &Design::fast_voltage, &Design::retract_time},
    /* rigidizing */ {nullptr, &Design::slow_voltage, &Design::rigidize_time},
    /* rigidized  */ {nullptr, nullptr, nullptr},
    /* extending  */ {nullptr, &Design::extend_voltage, &Design::extend_time},
    /* opening    */ {&Design::open_voltage, nullptr, &Design::open_time},
    /* manual     */ {nullptr, nullptr, nullptr},  // by the input, below
    /* fault      */ {nullptr, nullptr, nullptr},
};

struct Reading {
  const Design& design;
  const ControlSense& sense;
  const ControlState& state;

  Phase phase() const noexcept { return static_cast<Phase>(static_cast<std::int32_t>(state.phase)); }
  const Motion& motion() const noexcept { return motions[static_cast<std::int32_t>(state.phase)]; }
};

// The signed distance of `at` from `from`, positive towards `to`.
double travel(double from, double to, double at) noexcept { return to > from ? at - from : from - at; }

bool ring_past(const Reading& l, double angle) noexcept {
  const Design& d = l.design;
  return travel(d.open_angle, d.closed_angle, l.sense.ring_angle) >= travel(d.open_angle, d.closed_angle, angle);
}
bool snag_tension_reached(const Reading& l) noexcept { return l.sense.max_tension >= l.design.snag_tension; }
bool cables_taut(const Reading& l) noexcept { return l.sense.min_tension >= l.design.capture_tension; }
bool early_or_uneven(const Reading& l) noexcept {
  return !ring_past(l, l.design.snag_angle) || l.sense.max_tension > l.design.snag_ratio * l.sense.mean_tension;
}
bool motor_blocked(const Reading& l) noexcept {
  const Design& d = l.design;
  const ControlSense& s = l.sense;
  if (l.motion().ring) {
    return std::abs(s.ring_current) >= d.ring_stall_current && std::abs(s.ring_rate) <= d.ring_stall_rate;
  }
  return l.motion().carriage && std::abs(s.carriage_current) >= d.carriage_stall_current &&
         std::abs(s.carriage_rate) <= d.carriage_stall_rate;
}
bool unloaded(const Reading& l) noexcept {
  if (l.phase() == Phase::captured) return l.sense.max_tension < l.design.slack_tension;
  return l.phase() == Phase::rigidized && l.sense.load < l.design.lost_load;
}

// The conditions of the events.
bool not_finite(const Reading& l) noexcept {
  const ControlSense& s = l.sense;
  for (const double x : {s.ring_angle, s.ring_rate, s.ring_current, s.carriage_position, s.carriage_rate,
                         s.carriage_current, s.max_tension, s.mean_tension, s.min_tension, s.load, s.broken_cables}) {
    if (!std::isfinite(x)) return true;
  }
  return false;
}
bool cable_broken(const Reading& l) noexcept { return l.sense.broken_cables > 0.0; }
bool ring_closed(const Reading& l) noexcept {
  const Design& d = l.design;
  return travel(d.closed_angle, d.open_angle, l.sense.ring_angle) <= d.angle_tolerance;
}
bool closed_empty(const Reading& l) noexcept { return ring_closed(l) && !cables_taut(l); }
bool snag_lasts(const Reading& l) noexcept {
  return snag_tension_reached(l) && early_or_uneven(l) && (l.state.snag >= l.design.snag_time || ring_closed(l));
}
bool taut_lasts(const Reading& l) noexcept {
  return ring_past(l, l.design.snag_angle) && !(snag_tension_reached(l) && early_or_uneven(l)) && cables_taut(l) &&
         l.state.taut >= l.design.capture_time;
}
bool ring_open(const Reading& l) noexcept {
  const Design& d = l.design;
  return travel(d.open_angle, d.closed_angle, l.sense.ring_angle) <= d.angle_tolerance;
}
bool retracted(const Reading& l) noexcept {
  const Design& d = l.design;
  return travel(d.retracted_position, d.extended_position, l.sense.carriage_position) <= d.position_tolerance;
}
bool extended(const Reading& l) noexcept {
  const Design& d = l.design;
  return travel(d.extended_position, d.retracted_position, l.sense.carriage_position) <= d.position_tolerance;
}
bool load_begins(const Reading& l) noexcept { return l.sense.load >= l.design.contact_load; }
bool load_reached(const Reading& l) noexcept { return l.sense.load >= l.design.rigidize_load; }
bool load_lost(const Reading& l) noexcept { return l.state.lost >= l.design.lost_time; }
bool stall_lasts(const Reading& l) noexcept { return l.state.stall >= l.design.stall_time; }
bool timeout(const Reading& l) noexcept { return l.motion().limit && l.state.age >= l.design.*l.motion().limit; }
bool timeout_taut(const Reading& l) noexcept { return timeout(l) && l.sense.max_tension >= l.design.slack_tension; }

static_assert(lee_phase_count <= rejected, "a phase and the mark of a rejected command go into one number");
constexpr Transition to(Phase phase) noexcept { return static_cast<Transition>(phase); }
constexpr Transition idle = to(Phase::idle), closing = to(Phase::closing), captured = to(Phase::captured),
                     retracting = to(Phase::retracting), rigidizing = to(Phase::rigidizing),
                     rigidized = to(Phase::rigidized), extending = to(Phase::extending), opening = to(Phase::opening),
                     manual = to(Phase::manual), fault = to(Phase::fault), _ = stays, x = rejected;

// clang-format off
// Next phase by present phase and command. x: the command is invalid in the present phase, no motor starts.
constexpr Transition command_table[lee_phase_count][lee_command_count] = {
    //                hold      close        rigidize    open       manual
    /* idle       */ {_,        closing,     x+idle,     extending, manual},
    /* closing    */ {idle,     _,           x+idle,     extending, manual},
    /* captured   */ {_,        x+captured,  retracting, extending, manual},
    /* retracting */ {captured, x+captured,  _,          extending, manual},
    /* rigidizing */ {captured, x+captured,  _,          extending, manual},
    /* rigidized  */ {_,        x+rigidized, _,          extending, manual},
    /* extending  */ {fault,    x+fault,     x+fault,    _,         manual},
    /* opening    */ {fault,    x+fault,     x+fault,    _,         manual},
    /* manual     */ {fault,    x+fault,     x+fault,    extending, _},
    /* fault      */ {_,        x+fault,     x+fault,    extending, manual},
};

// Next phase by event and present phase. The first event that changes the phase counts.
constexpr SequenceEvent<Reading, lee_phase_count> events[] = {
    //                           idle  closing   captured  retracting  rigidizing rigidized  extending  opening  manual  fault
    {not_finite,   bad_sense,   {idle, fault,    captured, fault,      fault,     captured,  fault,     fault,   manual, fault}},
    {cable_broken, broken,      {idle, fault,    captured, fault,      fault,     rigidized, extending, opening, manual, fault}},
    {snag_lasts,   snagged,     {_,    fault,    _,        _,          _,         _,         _,         _,       _,      _}},
    {taut_lasts,   is_captured, {_,    captured, _,        _,          _,         _,         _,         _,       _,      _}},
    {closed_empty, missed,      {_,    fault,    _,        _,          _,         _,         _,         _,       _,      _}},
    {load_reached, none,        {_,    _,        _,        rigidized,  rigidized, _,         _,         _,       _,      _}},
    {load_begins,  none,        {_,    _,        _,        rigidizing, _,         _,         _,         _,       _,      _}},
    {load_lost,    lost,        {_,    _,        captured, _,          _,         captured,  _,         _,       _,      _}},
    {retracted,    stalled,     {_,    _,        _,        fault,      fault,     _,         _,         _,       _,      _}},
    {extended,     none,        {_,    _,        _,        _,          _,         _,         opening,   _,       _,      _}},
    {ring_open,    none,        {_,    _,        _,        _,          _,         _,         _,         idle,    _,      _}},
    {stall_lasts,  stalled,     {_,    fault,    _,        fault,      fault,     _,         fault,     fault,   _,      _}},
    {timeout_taut, snagged,     {_,    fault,    _,        _,          _,         _,         _,         _,       _,      _}},
    {timeout,      stalled,     {_,    fault,    _,        fault,      fault,     _,         fault,     fault,   _,      _}},
};
// clang-format on

struct Sequence {
  ControlState& state;

  void clear_flags() noexcept { state.flags = bits(state.flags) & is_captured; }

  void enter(Transition phase) noexcept {
    if (phase == state.phase) return;
    state.phase = phase;
    state.age = state.taut = state.snag = state.stall = state.lost = 0.0;
    if (phase == closing || phase == opening || phase == manual) state.flags = bits(state.flags) & ~is_captured;
  }
};

void repair(ControlState& state) noexcept {
  sequence::repair(command_table, fault, all_flags, state);
  for (double* clock : {&state.age, &state.taut, &state.snag, &state.stall, &state.lost}) repair_clock(*clock);
}

double limited(double voltage, double most) noexcept {
  return std::isfinite(voltage) ? std::min(std::max(voltage, -most), most) : 0.0;
}

ControlDrive drive_of(const Reading& reading, const ControlInput& input) noexcept {
  const Design& d = reading.design;
  ControlDrive out;
  if (reading.phase() == Phase::manual) {
    out.ring_on = out.carriage_on = true;
    out.ring_voltage = limited(input.ring_voltage, d.supply_voltage);
    out.carriage_voltage = limited(input.carriage_voltage, d.supply_voltage);
  } else {
    const Motion& motion = reading.motion();
    out.ring_on = motion.ring != nullptr;
    out.carriage_on = motion.carriage != nullptr;
    if (motion.ring) out.ring_voltage = d.*motion.ring;
    if (motion.carriage) out.carriage_voltage = d.*motion.carriage;
  }
  out.ring_brake = !out.ring_on;
  out.carriage_brake = !out.carriage_on;
  return out;
}

ControlFlags flags_of(const ControlState& state) noexcept {
  const std::uint32_t raised = bits(state.flags);
  ControlFlags out;
  out.captured = raised & is_captured;
  out.rigidized = state.phase == rigidized;
  out.missed = raised & missed;
  out.snagged = raised & snagged;
  out.stalled = raised & stalled;
  out.broken = raised & broken;
  out.lost = raised & lost;
  out.bad_command = raised & bad_command;
  out.bad_sense = raised & bad_sense;
  return out;
}

}  // namespace

bool sound(const ControlState& state) noexcept {
  return sequence::sound(command_table, all_flags, state) && math::clock(state.age) && math::clock(state.taut) &&
         math::clock(state.snag) && math::clock(state.stall) && math::clock(state.lost);
}

ControlDrive control_step(const ControlDesign& design, const ControlInput& input, const ControlSense& sense, double h,
                          ControlState& state, ControlFlags& flags) noexcept {
  repair(state);
  const Reading reading{design, sense, state};
  if (h > 0.0) {
    count(state.age, true, h);
    count(state.taut, reading.phase() == Phase::closing && cables_taut(reading), h);
    count(state.snag, reading.phase() == Phase::closing && snag_tension_reached(reading) && early_or_uneven(reading),
          h);
    count(state.stall, motor_blocked(reading), h);
    count(state.lost, unloaded(reading), h);
    state.flags = bits(state.flags) & ~broken;
    apply_command(input.command, command_table, bad_command, Sequence{state});
    if (reading.phase() == Phase::manual &&
        !(std::isfinite(input.ring_voltage) && std::isfinite(input.carriage_voltage))) {
      raise(state.flags, bad_command);
    }
    apply_events(reading, events, Sequence{state});
  }
  flags = flags_of(state);
  return drive_of(reading, input);
}

}  // namespace contactlib::element

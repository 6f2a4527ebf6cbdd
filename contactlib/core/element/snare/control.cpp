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
  captured = 1,
  rigidized = 2,
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

// Distances of an angle or a position, and of its last end, from its first end.
double way(double from, double to, double at) noexcept { return to > from ? at - from : from - at; }

bool turned(const Reading& l, double angle) noexcept {
  const Design& d = l.design;
  return way(d.open_angle, d.closed_angle, l.sense.ring_angle) >= way(d.open_angle, d.closed_angle, angle);
}
bool tight(const Reading& l) noexcept { return l.sense.max_tension >= l.design.snag_tension; }
bool taut(const Reading& l) noexcept { return l.sense.min_tension >= l.design.capture_tension; }
bool uneven(const Reading& l) noexcept {
  return !turned(l, l.design.snag_angle) || l.sense.max_tension > l.design.snag_ratio * l.sense.mean_tension;
}
bool stands(const Reading& l) noexcept {
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
bool blind(const Reading& l) noexcept {
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
  return way(d.closed_angle, d.open_angle, l.sense.ring_angle) <= d.angle_tolerance;
}
bool closed_empty(const Reading& l) noexcept { return ring_closed(l) && !taut(l); }
bool snag(const Reading& l) noexcept {
  return tight(l) && uneven(l) && (l.state.snag >= l.design.snag_time || ring_closed(l));
}
bool tension(const Reading& l) noexcept {
  return turned(l, l.design.snag_angle) && !(tight(l) && uneven(l)) && taut(l) && l.state.taut >= l.design.capture_time;
}
bool ring_open(const Reading& l) noexcept {
  const Design& d = l.design;
  return way(d.open_angle, d.closed_angle, l.sense.ring_angle) <= d.angle_tolerance;
}
bool drawn_in(const Reading& l) noexcept {
  const Design& d = l.design;
  return way(d.retracted_position, d.extended_position, l.sense.carriage_position) <= d.position_tolerance;
}
bool pushed_off(const Reading& l) noexcept {
  const Design& d = l.design;
  return way(d.extended_position, d.retracted_position, l.sense.carriage_position) <= d.position_tolerance;
}
bool load_rises(const Reading& l) noexcept { return l.sense.load >= l.design.contact_load; }
bool load_full(const Reading& l) noexcept { return l.sense.load >= l.design.rigidize_load; }
bool load_gone(const Reading& l) noexcept { return l.state.lost >= l.design.lost_time; }
bool stall(const Reading& l) noexcept { return l.state.stall >= l.design.stall_time; }
bool late(const Reading& l) noexcept { return l.motion().limit && l.state.age >= l.design.*l.motion().limit; }
bool late_taut(const Reading& l) noexcept { return late(l) && l.sense.max_tension >= l.design.slack_tension; }

static_assert(lee_phase_count <= out_of_order, "a phase and the mark of a command out of order go into one cell");
constexpr Cell cell(Phase phase) noexcept { return static_cast<Cell>(phase); }
constexpr Cell idle = cell(Phase::idle), closes = cell(Phase::closing), caught = cell(Phase::captured),
               draws = cell(Phase::retracting), pulls = cell(Phase::rigidizing), rigid = cell(Phase::rigidized),
               pushes = cell(Phase::extending), opens = cell(Phase::opening), manual = cell(Phase::manual),
               fault = cell(Phase::fault), _ = stays, x = out_of_order;

// clang-format off
// THE TABLE OF COMMANDS: command x phase -> phase. A command that is invalid in its phase moves nothing.
constexpr Cell obey[lee_command_count][lee_phase_count] = {
    //              idle    closing captured  retracting rigidizing rigidized extending opening  manual   fault
    /* hold     */ {_,      idle,   _,        caught,    caught,    _,        fault,    fault,   fault,   _},
    /* close    */ {closes, _,      x+caught, x+caught,  x+caught,  x+rigid,  x+fault,  x+fault, x+fault, x+fault},
    /* rigidize */ {x+idle, x+idle, draws,    _,         _,         _,        x+fault,  x+fault, x+fault, x+fault},
    /* open     */ {pushes, pushes, pushes,   pushes,    pushes,    pushes,   _,        _,       pushes,  pushes},
    /* manual   */ {manual, manual, manual,   manual,    manual,    manual,   manual,   manual,  _,       manual},
};

// THE TABLE OF EVENTS: event x phase -> phase. The first row that changes the phase counts.
constexpr SequenceEvent<Reading, lee_phase_count> events[] = {
    //                         idle  closing captured retracting rigidizing rigidized extending opening manual  fault
    {blind,        bad_sense, {idle, fault,  caught,  fault,     fault,     caught,   fault,    fault,  manual, fault}},
    {cable_broken, broken,    {idle, fault,  caught,  fault,     fault,     rigid,    pushes,   opens,  manual, fault}},
    {snag,         snagged,   {_,    fault,  _,       _,         _,         _,        _,        _,      _,      _}},
    {tension,      captured,  {_,    caught, _,       _,         _,         _,        _,        _,      _,      _}},
    {closed_empty, missed,    {_,    fault,  _,       _,         _,         _,        _,        _,      _,      _}},
    {load_full,    none,      {_,    _,      _,       rigid,     rigid,     _,        _,        _,      _,      _}},
    {load_rises,   none,      {_,    _,      _,       pulls,     _,         _,        _,        _,      _,      _}},
    {load_gone,    lost,      {_,    _,      caught,  _,         _,         caught,   _,        _,      _,      _}},
    {drawn_in,     stalled,   {_,    _,      _,       fault,     fault,     _,        _,        _,      _,      _}},
    {pushed_off,   none,      {_,    _,      _,       _,         _,         _,        opens,    _,      _,      _}},
    {ring_open,    none,      {_,    _,      _,       _,         _,         _,        _,        idle,   _,      _}},
    {stall,        stalled,   {_,    fault,  _,       fault,     fault,     _,        fault,    fault,  _,      _}},
    {late_taut,    snagged,   {_,    fault,  _,       _,         _,         _,        _,        _,      _,      _}},
    {late,         stalled,   {_,    fault,  _,       fault,     fault,     _,        fault,    fault,  _,      _}},
};
// clang-format on

struct Sequence {
  ControlState& state;

  void set_out() noexcept { state.flags = bits(state.flags) & captured; }

  void enter(Cell phase) noexcept {
    if (phase == state.phase) return;
    state.phase = phase;
    state.age = state.taut = state.snag = state.stall = state.lost = 0.0;
    if (phase == closes || phase == opens || phase == manual) state.flags = bits(state.flags) & ~captured;
  }
};

void mend(ControlState& state) noexcept {
  sequence::mend(obey, fault, all_flags, state);
  for (double* clock : {&state.age, &state.taut, &state.snag, &state.stall, &state.lost}) mend_clock(*clock);
}

double within(double voltage, double most) noexcept {
  return std::isfinite(voltage) ? std::min(std::max(voltage, -most), most) : 0.0;
}

ControlDrive drive_of(const Reading& reading, const ControlInput& input) noexcept {
  const Design& d = reading.design;
  ControlDrive out;
  if (reading.phase() == Phase::manual) {
    out.ring_on = out.carriage_on = true;
    out.ring_voltage = within(input.ring_voltage, d.supply_voltage);
    out.carriage_voltage = within(input.carriage_voltage, d.supply_voltage);
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
  const std::uint32_t up = bits(state.flags);
  ControlFlags out;
  out.captured = up & captured;
  out.rigidized = state.phase == rigid;
  out.missed = up & missed;
  out.snagged = up & snagged;
  out.stalled = up & stalled;
  out.broken = up & broken;
  out.lost = up & lost;
  out.bad_command = up & bad_command;
  out.bad_sense = up & bad_sense;
  return out;
}

}  // namespace

bool sound(const ControlState& state) noexcept {
  return sequence::sound(obey, all_flags, state) && math::clock(state.age) && math::clock(state.taut) &&
         math::clock(state.snag) && math::clock(state.stall) && math::clock(state.lost);
}

ControlDrive control_step(const ControlDesign& design, const ControlInput& input, const ControlSense& sense, double h,
                          ControlState& state, ControlFlags& flags) noexcept {
  mend(state);
  const Reading reading{design, sense, state};
  if (h > 0.0) {
    count(state.age, true, h);
    count(state.taut, reading.phase() == Phase::closing && taut(reading), h);
    count(state.snag, reading.phase() == Phase::closing && tight(reading) && uneven(reading), h);
    count(state.stall, stands(reading), h);
    count(state.lost, unloaded(reading), h);
    state.flags = bits(state.flags) & ~broken;
    hear(input.command, obey, bad_command, Sequence{state});
    if (reading.phase() == Phase::manual &&
        !(std::isfinite(input.ring_voltage) && std::isfinite(input.carriage_voltage))) {
      raise(state.flags, bad_command);
    }
    see_all(reading, events, Sequence{state});
  }
  flags = flags_of(state);
  return drive_of(reading, input);
}

}  // namespace contactlib::element

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
  captured = 1,
  berthed = 2,
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
  const double way = d.berthed_angle > d.open_angle ? 1.0 : -1.0;
  const double past = way * (l.sense.latch[k].angle - d.*l.motion().angle);
  return l.phase() == Phase::opening ? past <= d.angle_tolerance : past >= -d.angle_tolerance;
}
bool runs(const Reading& l, int k) noexcept { return l.moving() && !arrived(l, k) && !failed(l.state, k); }
bool stands(const Reading& l, int k) noexcept {
  const LatchSense& s = l.sense.latch[k];
  return runs(l, k) && std::abs(s.current) >= l.design.stall_current && std::abs(s.rate) <= l.design.stall_rate;
}
bool shown(const Reading& l) noexcept { return l.sense.ready >= l.design.indicators_needed; }
bool seated(const Reading& l) noexcept { return l.sense.seated >= l.design.seats_needed; }
bool out_of_time(const Reading& l) noexcept { return l.motion().limit && l.state.age >= l.design.*l.motion().limit; }
bool alone(const Reading& l) noexcept { return l.state.command == static_cast<double>(BerthingCommand::automatic); }
bool is_up(const Reading& l, Flag flag) noexcept { return bits(l.state.flags) & flag; }

// The conditions of the events.
bool blind(const Reading& l) noexcept {
  for (int k = 0; k < l.sense.latches; ++k)
    for (const double x : {l.sense.latch[k].angle, l.sense.latch[k].rate, l.sense.latch[k].current})
      if (!std::isfinite(x)) return true;
  return !std::isfinite(l.sense.ready) || !std::isfinite(l.sense.seated);
}
bool over(const Reading& l) noexcept {
  for (int k = 0; k < l.sense.latches; ++k)
    if (runs(l, k)) return false;
  return l.moving();
}
// Enough latches for a capture; opening needs all of them.
bool enough(const Reading& l) noexcept {
  if (!over(l)) return false;
  int count = 0;
  for (int k = 0; k < l.sense.latches; ++k) count += arrived(l, k);
  return count >= (l.phase() == Phase::opening ? l.sense.latches : l.design.latches_needed);
}
bool closed_empty(const Reading& l) noexcept { return enough(l) && !shown(l); }
bool done(const Reading& l) noexcept { return enough(l) && (l.phase() != Phase::berthing || seated(l)); }
// Crank angles do not prove that a ring was captured: the seats have until the end of the time to berth.
bool unseated(const Reading& l) noexcept { return enough(l) && !done(l) && out_of_time(l); }
bool too_few(const Reading& l) noexcept { return over(l) && !enough(l); }
bool ready(const Reading& l) noexcept { return shown(l) && l.state.ready >= l.design.ready_time; }
bool waited(const Reading& l) noexcept { return out_of_time(l) && !alone(l); }
bool settled(const Reading& l) noexcept { return alone(l) && !is_up(l, lost) && l.state.age >= l.design.settle_time; }
bool gone(const Reading& l) noexcept { return l.state.lost >= l.design.lost_time; }

static_assert(berthing_phase_count <= out_of_order, "a phase and the mark of a command out of order go into one cell");
constexpr Cell cell(Phase phase) noexcept { return static_cast<Cell>(phase); }
constexpr Cell idle = cell(Phase::idle), waits = cell(Phase::waiting), closes = cell(Phase::capturing),
               caught = cell(Phase::captured), draws = cell(Phase::berthing), firm = cell(Phase::berthed),
               opens = cell(Phase::opening), manual = cell(Phase::manual), fault = cell(Phase::fault), _ = stays,
               x = out_of_order;

// clang-format off
// THE TABLE OF COMMANDS: command x phase -> phase. A command that is invalid in its phase moves nothing.
constexpr Cell obey[berthing_command_count][berthing_phase_count] = {
    //               idle    waiting capturing captured  berthing  berthed opening manual  fault
    /* hold      */ {_,      idle,   idle,     _,        caught,   _,      idle,   idle,   _},
    /* capture   */ {waits,  _,      _,        _,        caught,   x+firm, x+idle, x+idle, x+fault},
    /* berth     */ {x+idle, x+idle, x+idle,   draws,    _,        _,      x+idle, x+idle, x+fault},
    /* open      */ {opens,  opens,  opens,    opens,    opens,    opens,  _,      opens,  opens},
    /* manual    */ {manual, manual, manual,   manual,   manual,   manual, manual, _,      manual},
    /* automatic */ {waits,  _,      _,        _,        _,        _,      x+idle, x+idle, x+fault},
};

// THE TABLE OF EVENTS: event x phase -> phase. The first row that changes the phase counts.
constexpr SequenceEvent<Reading, berthing_phase_count> events[] = {
    //                         idle  waiting capturing captured berthing berthed opening manual  fault
    {blind,        bad_sense, {idle, idle,   fault,    caught,  fault,   firm,   fault,  manual, fault}},
    {ready,        none,      {_,    closes, _,        _,       _,       _,      _,      _,      _}},
    {waited,       not_ready, {_,    idle,   _,        _,       _,       _,      _,      _,      _}},
    {closed_empty, missed,    {_,    _,      fault,    _,       fault,   _,      _,      _,      _}},
    {done,         none,      {_,    _,      caught,   _,       firm,    _,      idle,   _,      _}},
    {unseated,     missed,    {_,    _,      _,        _,       fault,   _,      _,      _,      _}},
    {too_few,      none,      {_,    _,      fault,    _,       fault,   _,      fault,  _,      _}},
    {gone,         lost,      {_,    _,      _,        caught,  _,       caught, _,      _,      _}},
    {settled,      none,      {_,    _,      _,        draws,   _,       _,      _,      _,      _}},
};
// clang-format on

struct Sequence {
  BerthingState& state;

  void set_out() noexcept {
    state.flags = bits(state.flags) & captured;
    state.failed = 0.0;
  }

  void enter(Cell phase) noexcept {
    if (phase == state.phase) return;
    state.phase = phase;
    state.age = state.ready = state.lost = 0.0;
    std::fill(std::begin(state.stall), std::end(state.stall), 0.0);
    if (phase == caught) raise(state.flags, captured);
    if (phase == opens || phase == manual) state.flags = bits(state.flags) & ~captured;
  }
};

void mend(BerthingState& state) noexcept {
  sequence::mend(obey, fault, all_flags, state);
  if (!whole(state.failed, (1u << max_latches) - 1.0)) state.failed = 0.0;
  for (double* time : {&state.age, &state.ready, &state.lost}) mend_clock(*time);
  for (double& time : state.stall) mend_clock(time);
}

// Excludes latches that stall, and those that have not arrived in time.
void exclude_latches(const Reading& l, double h, BerthingState& state) noexcept {
  for (int k = 0; k < l.sense.latches; ++k) {
    if (!runs(l, k)) continue;
    count(state.stall[k], stands(l, k), h);
    const bool stall = state.stall[k] >= l.design.stall_time;
    if (stall) raise(state.flags, stalled);
    if (out_of_time(l)) raise(state.flags, late);
    if (stall || out_of_time(l)) state.failed = static_cast<std::uint32_t>(state.failed) | 1u << k;
  }
}

BerthingFlags flags_of(const BerthingState& state) noexcept {
  const std::uint32_t up = bits(state.flags);
  BerthingFlags out;
  out.captured = up & captured;
  out.berthed = state.phase == firm;
  out.missed = up & missed;
  out.stalled = up & stalled;
  out.late = up & late;
  out.lost = up & lost;
  out.not_ready = up & not_ready;
  out.bad_command = up & bad_command;
  out.bad_sense = up & bad_sense;
  return out;
}

}  // namespace

bool sound(const BerthingState& state) noexcept {
  return sequence::sound(obey, all_flags, state) && whole(state.failed, (1u << max_latches) - 1.0) &&
         math::clock(state.age) && math::clock(state.ready) && math::clock(state.lost) &&
         std::all_of(std::begin(state.stall), std::end(state.stall), math::clock);
}

BerthingOutput berthing_step(const BerthingDesign& design, double command, const BerthingSense& sense, double h,
                             BerthingState& state) noexcept {
  mend(state);
  const Reading reading{design, sense, state};
  if (h > 0.0) {
    const bool firmly = reading.phase() == Phase::berthed, holds = reading.phase() == Phase::captured || firmly;
    count(state.age, true, h);
    count(state.ready, reading.phase() == Phase::waiting && shown(reading), h);
    count(state.lost, (holds && !shown(reading)) || (firmly && !seated(reading)), h);
    exclude_latches(reading, h, state);
    hear(command, obey, bad_command, Sequence{state});
    see_all(reading, events, Sequence{state});
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

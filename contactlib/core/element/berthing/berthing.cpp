// The element `berthing`: a control logic that leads latches and watches indicators.
#include <algorithm>

#include "control.hpp"
#include "element/drive.hpp"
#include "element/elements.hpp"
#include "element/indicator.hpp"
#include "element/latch_drive.hpp"

namespace contactlib::element {

using model::ElementDesign;

namespace {

struct Design : ElementDesign {
  BerthingDesign control;
  std::size_t indicators;  // number of watched elements before the seats
};

constexpr int state_count = sizeof(BerthingState) / sizeof(double);

enum Command : int { command, command_count };
enum Output : int {
  phase,
  ready,
  seated,
  captured,
  berthed,
  missed,
  stalled,
  late,
  lost,
  not_ready,
  bad_command,
  failed_latch,
  output_count
};

bool any_latch(const Element& element) noexcept { return is_latch(element) || is_latch_drive(element); }

// Numbers of different elements before this one, of the given kind.
bool read_others(ElementRecord& record, const Model& model, bool (*kind)(const Element&) noexcept, std::int32_t least,
                 std::int32_t most, std::vector<std::int32_t>& out) {
  std::int32_t count;
  if (!record.integer(least, most, count) || !record.integers(count, out)) return false;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const bool there = out[k] >= 0 && static_cast<std::size_t>(out[k]) < model.elements.size();
    if (!there || !kind(model.elements[out[k]])) return false;
    if (std::find(out.begin(), out.begin() + k, out[k]) != out.begin() + k) return false;
  }
  return true;
}

BerthingSense sense(const ElementNow& now) noexcept {
  BerthingSense out{};
  out.latches = static_cast<int>(now.element.leads.size());
  for (int k = 0; k < out.latches; ++k) {
    const ElementNow latch = now.other(now.element.leads[k]);
    const LatchReading reading = is_latch(latch.element) ? read_latch(latch) : read_latch_drive(latch);
    out.latch[k] = {reading.angle, reading.rate, reading.current};
  }
  const std::size_t indicators = static_cast<const Design&>(*now.element.design).indicators;
  for (std::size_t k = 0; k < now.element.watches.size(); ++k)
    (k < indicators ? out.ready : out.seated) += is_switched(now.other(now.element.watches[k])) ? 1.0 : 0.0;
  return out;
}

bool read(ElementRecord& record, const Model& model, Element& out) {
  constexpr std::int32_t max_indicators = 64;
  auto design = std::make_unique<Design>();
  if (!out.bodies.empty() || !record.numbers(reinterpret_cast<double*>(&design->control), berthing_row_count))
    return false;
  if (!read_others(record, model, any_latch, 1, max_latches, out.leads)) return false;
  std::vector<std::int32_t> seats;
  if (!read_others(record, model, is_indicator, 1, max_indicators, out.watches)) return false;
  if (!read_others(record, model, is_indicator, 0, max_indicators, seats)) return false;
  design->indicators = out.watches.size();
  out.watches.insert(out.watches.end(), seats.begin(), seats.end());
  if (out.ports != static_cast<std::int32_t>(out.leads.size())) return false;
  const BerthingSize size{static_cast<int>(out.leads.size()), static_cast<int>(design->indicators),
                          static_cast<int>(seats.size())};
  if (check_berthing(design->control, size) >= 0) return false;
  out.state.assign(state_count, 0.0);
  out.design = std::move(design);
  return true;
}

// Reads the sensors at the end of the step and writes the orders for the next one.
Status step(const ElementNow& now) noexcept {
  const BerthingDesign& design = static_cast<const Design&>(*now.element.design).control;
  BerthingState& state = *reinterpret_cast<BerthingState*>(now.next);
  const BerthingSense seen = sense(now);
  const BerthingOutput out = berthing_step(design, now.commands[command], seen, now.h, state);
  for (int k = 0; now.h > 0.0 && k < seen.latches; ++k) {
    const LatchOrder& order = out.latch[k];
    *reinterpret_cast<DriveOrder*>(now.other(now.element.leads[k]).next) = {order.own ? 1.0 : 0.0, order.on ? 1.0 : 0.0,
                                                                            order.on ? 1.0 : 0.0, order.voltage};
  }
  const BerthingFlags& f = out.flags;
  double* const show = now.outputs;
  show[phase] = state.phase;
  show[ready] = seen.ready;
  show[seated] = seen.seated;
  show[captured] = f.captured;
  show[berthed] = f.berthed;
  show[missed] = f.missed;
  show[stalled] = f.stalled;
  show[late] = f.late;
  show[lost] = f.lost;
  show[not_ready] = f.not_ready;
  show[bad_command] = f.bad_command;
  for (int k = 0; k < seen.latches; ++k) now.output(failed_latch)[k] = failed(state, k) ? 1.0 : 0.0;
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  return {};
}

bool admits(const Element&, const double* state) noexcept {
  return sound(*reinterpret_cast<const BerthingState*>(state));
}

// clang-format off
constexpr ElementVariable commands[] = {
  {command, {"command", "1", 0, false, "command to the berthing control: 0 hold, 1 capture, 2 berth, 3 open, 4 manual, 5 automatic"}, !per_port, integer},
};
constexpr ElementVariable outputs[] = {
  {phase,        {"phase",       "1", 0, false, "phase of the control at the end of the step: 0 idle, 1 waiting, 2 capturing, 3 captured, 4 berthing, 5 berthed, 6 opening, 7 manual, 8 fault"}, !per_port, integer},
  {ready,        {"ready",       "1", 0, false, "number of closed indicator switches at the end of the step"}, !per_port, integer},
  {seated,       {"seated",      "1", 0, false, "number of closed seat switches at the end of the step"}, !per_port, integer},
  {captured,     {"captured",    "1", 0, false, "flag: 1 while latches are closed around the passive ring"}, !per_port, integer},
  {berthed,      {"berthed",     "1", 0, false, "flag: 1 while latches hold the passive ring on its seat"}, !per_port, integer},
  {missed,       {"missed",      "1", 0, false, "flag: 1 after latches closed with too few closed indicator or seat switches"}, !per_port, integer},
  {stalled,      {"stalled",     "1", 0, false, "flag: 1 after a latch at its current limit did not move"}, !per_port, integer},
  {late,         {"late",        "1", 0, false, "flag: 1 after a motion exceeded its time limit"}, !per_port, integer},
  {lost,         {"lost",        "1", 0, false, "flag: 1 after too few indicator or seat switches of a held ring were closed"}, !per_port, integer},
  {not_ready,    {"not_ready",   "1", 0, false, "flag: 1 after the waiting time passed with too few closed indicator switches"}, !per_port, integer},
  {bad_command,  {"bad_command", "1", 0, false, "flag: 1 after a command that is invalid in its phase was rejected"}, !per_port, integer},
  {failed_latch, {"failed",      "1", 0, false, "flag: 1 after the control excluded the latch"}, per_port, integer},
};
// clang-format on

constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "berthing";
  row.failure = "its motion, a parameter or a force is not finite";
  row.port = "latch";
  row.commands = list(commands, command_count);
  row.outputs = list(outputs, output_count);
  row.read = read;
  row.step = step;
  row.reads_loads = false;
  row.power = ElementPower::mean;
  row.jump = ElementJump::waits;
  row.admits = admits;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element

#include "berthing.hpp"

#include <algorithm>

#include "control.hpp"
#include "element/drive.hpp"
#include "element/indicator.hpp"
#include "element/latch_drive.hpp"

namespace contactlib {

namespace {

struct Design : ElementDesign {
  BerthingDesign control;
  std::size_t indicators;  // of those that are watched; the others are seats
};

constexpr int state_count = sizeof(BerthingState) / sizeof(double);

bool any_latch(const Element& element) noexcept {
  return row_of(element).read == read_latch || row_of(element).read == read_latch_drive;
}

bool any_indicator(const Element& element) noexcept { return row_of(element).read == read_indicator; }

// numbers of elements before this one, each of a kind and only once.
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
    const bool whole = row_of(latch.element).read == read_latch;
    const LatchReading reading = whole ? read_latch_outputs(latch) : read_latch_drive_outputs(latch);
    out.latch[k] = {reading.angle, reading.rate, reading.current};
  }
  const std::size_t indicators = static_cast<const Design&>(*now.element.design).indicators;
  for (std::size_t k = 0; k < now.element.watches.size(); ++k)
    (k < indicators ? out.ready : out.seated) += indicator_shows(now.other(now.element.watches[k])) ? 1.0 : 0.0;
  return out;
}

}  // namespace

bool read_berthing(ElementRecord& record, const Model& model, Element& out) {
  constexpr std::int32_t most_indicators = 64;
  auto design = std::make_unique<Design>();
  if (!out.bodies.empty() || !record.numbers(reinterpret_cast<double*>(&design->control), berthing_row_count))
    return false;
  if (!read_others(record, model, any_latch, 1, most_latches, out.leads)) return false;
  std::vector<std::int32_t> seats;
  if (!read_others(record, model, any_indicator, 1, most_indicators, out.watches)) return false;
  if (!read_others(record, model, any_indicator, 0, most_indicators, seats)) return false;
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

// from the step that is over to the orders of the next one.
Status step_berthing(const ElementNow& now) noexcept {
  const BerthingDesign& design = static_cast<const Design&>(*now.element.design).control;
  BerthingState& state = *reinterpret_cast<BerthingState*>(now.next);
  const BerthingSense seen = sense(now);
  const BerthingOutput out = berthing_step(design, now.commands[0], seen, now.h, state);
  for (int k = 0; now.h > 0.0 && k < seen.latches; ++k) {
    const LatchOrder& order = out.latch[k];
    *reinterpret_cast<DriveOrder*>(now.other(now.element.leads[k]).next) = {order.own ? 1.0 : 0.0, order.on ? 1.0 : 0.0,
                                                                            order.on ? 1.0 : 0.0, order.voltage};
  }
  const BerthingFlags& f = out.flags;
  const double outputs[] = {state.phase,     seen.ready,        seen.seated,        f.captured * 1.0,
                            f.berthed * 1.0, f.missed * 1.0,    f.stalled * 1.0,    f.late * 1.0,
                            f.lost * 1.0,    f.not_ready * 1.0, f.bad_command * 1.0};
  double* const each = std::copy(std::begin(outputs), std::end(outputs), now.outputs);
  for (int k = 0; k < seen.latches; ++k) each[k] = failed(state, k) ? 1.0 : 0.0;
  now.energy.stored = now.energy.heat = now.energy.supply = 0.0;
  return {};
}

bool admits_berthing(const Element&, const double* state) noexcept {
  return sound(*reinterpret_cast<const BerthingState*>(state));
}

}  // namespace contactlib

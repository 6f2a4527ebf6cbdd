// The values of variables: which are allowed, and what setting one changes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "interface.hpp"
#include "math/elementary.hpp"
#include "math/ranges.hpp"

namespace contactlib::boundary {

namespace {

enum class Refusal { none, output, not_finite, not_whole, no_choice, below, above };

Refusal refusal_of(const Variable& variable, double value) noexcept {
  if (variable.causality == Causality::output) return Refusal::output;
  if (!std::isfinite(value)) return Refusal::not_finite;
  const bool whole = value == math::floor(value);
  if (variable.choices > 0)
    return whole && value >= 1.0 && value <= variable.choices ? Refusal::none : Refusal::no_choice;
  if (value < variable.minimum) return Refusal::below;
  if (variable.type != Type::integer) return Refusal::none;
  if (!whole) return Refusal::not_whole;
  return std::abs(value) > math::last_integer ? Refusal::above : Refusal::none;
}

// A parameter of a law or of an element: it changes what they store.
bool tunes(const Data& data, std::size_t at) noexcept {
  const std::size_t laws_end = data.elements.empty() ? data.memory_at : data.elements[0].energy;
  if (at >= data.laws_at && at < laws_end) return true;
  return std::any_of(data.elements.begin(), data.elements.end(),
                     [&](const state::ElementSlots& slots) { return at >= slots.parameters && at < slots.commands; });
}

}  // namespace

std::string said(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

Status set_variable(const Variable& variable, Data& data, double value) noexcept {
  if (refusal_of(variable, value) != Refusal::none) return {Code::bad_argument, variable.offset};
  if (variable.choices > 0) value -= 1.0;
  data.state[variable.offset] = value;
  if (variable.rate_offset >= 0) data.state[variable.rate_offset] = 0.0;
  // Loads and masses move a body from here on, and the next step is ahead: they do not change the present contacts.
  const auto at = static_cast<std::size_t>(variable.offset);
  const bool load = at >= data.loads_at && at < data.starts_at;
  const bool mass = at >= data.mass_properties_at && at < data.laws_at;
  if (!load && !mass && &data.state[at] != &data.globals().next_step) data.globals().fresh = 0.0;
  if (tunes(data, at)) data.globals().tuned = 1.0;
  return {};
}

std::string why_not(const Variable& variable, double value) {
  switch (refusal_of(variable, value)) {
    case Refusal::none: break;
    case Refusal::output: return "is an output and cannot be set";
    case Refusal::not_finite: return "must be finite";
    case Refusal::not_whole: return "must be an integer";
    case Refusal::no_choice: return "must be an integer from 1 to " + std::to_string(variable.choices);
    case Refusal::above: return "must be at most " + std::to_string(static_cast<std::int32_t>(math::last_integer));
    case Refusal::below:
      return std::string("must be ") + (variable.above ? "greater than " : "at least ") + said(variable.bound) +
             (variable.unit == "1" ? "" : " " + variable.unit);
  }
  return {};
}

double get_variable(const Variable& variable, const Data& data) noexcept {
  return data.state[variable.offset] + (variable.choices > 0 ? 1.0 : 0.0);
}

}  // namespace contactlib::boundary

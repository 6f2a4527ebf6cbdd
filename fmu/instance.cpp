#include "instance.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "boundary/capacity.hpp"
#include "boundary/describe.hpp"
#include "model/reader/model.hpp"
#include "model/reader/parameters.hpp"
#include "monitor/warnings.hpp"
#include "resources.hpp"
#include "step/communication/step.hpp"

namespace contactlib::fmi {

using boundary::Causality, boundary::Type, boundary::advance_and_grow, boundary::describe, boundary::evaluate_and_grow,
    boundary::said, boundary::variables;
using reader::read_model;
using step::accept_inputs, step::accept_starts;

namespace {

// The hash as a GUID: any difference of the scene changes it, and caches of masters rely on that.
std::string guid_of(const Model& model) {
  std::string guid = model.hash.substr(0, 32);
  for (const std::size_t at : {20, 16, 12, 8})
    if (at <= guid.size()) guid.insert(at, 1, '-');
  return "{" + guid + "}";
}

// Masters sum their times in different ways: equal means within rounding and a thousandth of the step.
bool continues(double expected, double t, double h) { return std::abs(t - expected) <= 1e-3 * h + 1e-9 * std::abs(t); }

struct NamedCategory {
  const char* name;
  std::uint32_t bits;
};
constexpr NamedCategory named_categories[] = {{"logEvents", events},
                                              {"logStatusWarning", warnings},
                                              {"logStatusDiscard", discards},
                                              {"logStatusError", errors},
                                              {"logAll", every_category}};

const NamedCategory& category(fmi2Status status) {
  if (status == fmi2OK) return named_categories[0];
  if (status == fmi2Warning) return named_categories[1];
  return named_categories[status == fmi2Discard ? 2 : 3];
}

// Why this variable must not be set now, or null.
const char* locked(const Variable& variable, std::uint32_t mode) {
  if (variable.causality == Causality::output) return " is an output and cannot be set.";
  if (variable.causality == Causality::parameter && mode == stepping && !variable.tunable)
    return " is a fixed parameter: it can be set until initialization ends.";
  return nullptr;
}

}  // namespace

bool Log::choose(std::size_t n, const fmi2String names[], std::string& unknown) {
  std::uint32_t chosen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = names != nullptr && names[i] != nullptr ? names[i] : "";
    const auto known = std::find_if(std::begin(named_categories), std::end(named_categories),
                                    [&](const NamedCategory& c) { return name == c.name; });
    if (known == std::end(named_categories)) return unknown = name, false;
    chosen |= known->bits;
  }
  categories = chosen;
  return true;
}

bool Log::writes(fmi2Status status) const { return deliver && (categories & category(status).bits) != 0; }

fmi2Status Log::write(fmi2Status status, const std::string& sentence) const {
  if (writes(status)) deliver(status, category(status).name, sentence);
  return status;
}

fmi2Status Instance::refuse(fmi2Status how, const char* function, const Status& status) const {
  return log.write(how, function + (": " + describe(status, model, data) + "."));
}

std::string Instance::load(fmi2String guid, fmi2String resource_location) {
  if (guid == nullptr) return "The GUID is null.";
  const std::string folder = resource_folder(resource_location);
  if (folder.empty()) return "The resource location is neither a file URI nor a path.";
  const std::string path = "\"" + folder + "/model.bin\"";
  std::vector<unsigned char> bytes;
  if (!read_file(folder + "/model.bin", bytes)) return "The scene " + path + " cannot be read.";
  if (const std::string problem = read_scene(bytes.data(), bytes.size(), path); !problem.empty()) return problem;
  if (guid != guid_of(model))
    return std::string("The GUID is ") + guid + ", but the scene's is " + guid_of(model) +
           ": modelDescription.xml and resources/model.bin do not belong together.";
  return allocate();
}

std::string Instance::read_scene(const unsigned char* bytes, std::size_t size, const std::string& name) {
  if (const Status status = read_model(bytes, size, model); !status)
    return "The scene " + name + " is not valid: " + describe(status, model) + ".";
  return {};
}

std::string Instance::allocate() {
  if (const Status status = data.make(model); !status) return describe(status, model) + ".";
  table = variables(model);
  before.reserve(data.memory_at);
  return {};
}

void Instance::reset() {
  data.reset(model);
  life = Life{};
  warned = 0;
}

fmi2Status Instance::begin_at(const char* function, double time) {
  if (!std::isfinite(time)) return error(function, "the start time is not finite.");
  data.globals().time = life.time = time;
  return fmi2OK;
}

fmi2Status Instance::initialize(const char* function) {
  Status status = accept_starts(model, data);
  if (status) status = accept_inputs(model, data);
  if (status) status = evaluate_and_grow(model, data);
  if (!status) return refuse(fmi2Error, function, status);
  life.stale = 0;
  return fmi2OK;
}

fmi2Status Instance::step(const char* function, double t, double h) {
  if (!std::isfinite(t) || !std::isfinite(h) || !(h > 0))
    return error(function, "cannot step from " + said(t) + " s by " + said(h) +
                               " s; the time must be finite and the step positive.");
  fmi2Status result = fmi2OK;
  before.save(data.state, data.memory_at);
  // Nothing in a scene depends on the time itself, so a jump is accepted with a warning.
  if (!continues(life.time, t, h)) {
    result = log.write(fmi2Warning, std::string(function) + ": the step begins at " + said(t) + " s, but " +
                                        said(life.time) + " s was expected.");
    data.globals().time = t;
  }
  Status status = accept_inputs(model, data);
  if (status) status = advance_and_grow(model, data, h);
  if (!status) {
    before.restore(data.state);
    return refuse(fmi2Discard, function, status);
  }
  life.time = t + h;
  warn(function);
  return result;
}

// Each cause once; the step is completed all the same. The sentence, which allocates, is only built if it is written.
void Instance::warn(const char* function) {
  if (!log.writes(fmi2Warning)) return;
  for (int cause = 0; cause < monitor::warning_causes; ++cause) {
    if ((warned & 1u << cause) != 0) continue;
    const std::string sentence = monitor::warning(cause, model, data, true);
    if (sentence.empty()) continue;
    warned |= 1u << cause;
    log.write(fmi2Warning, function + (": " + sentence) + ".");
  }
}

// ------------------------------------------------------------------------------------------------------- variables

std::string Instance::named(fmi2ValueReference reference) const {
  return "\"" + table[reference].name + "\" (value reference " + std::to_string(reference) + ")";
}

// The variable of this type behind a value reference; null, with a sentence in the log, if there is none.
template <class Value>
const Variable* Instance::find(const char* function, fmi2ValueReference reference) const {
  if (reference >= table.size()) {
    error(function, "there is no value reference " + std::to_string(reference) + "; they go from 0 to " +
                        std::to_string(table.size() - 1) + ".");
    return nullptr;
  }
  constexpr bool wants_real = std::is_same_v<Value, fmi2Real>;
  const Variable& variable = table[reference];
  if ((variable.type == Type::real) == wants_real) return &variable;
  error(function, named(reference) + (wants_real ? " is an Integer, not a Real." : " is a Real, not an Integer."));
  return nullptr;
}

template <class Value>
fmi2Status Instance::get(const char* function, References vr, std::size_t n, Value value[]) {
  if (n > 0 && (vr == nullptr || value == nullptr)) return null_array(function);
  for (std::size_t i = 0; i < n; ++i) {
    const Variable* variable = find<Value>(function, vr[i]);
    if (variable == nullptr) return fmi2Error;
    if (life.stale && variable->causality == Causality::output)
      if (const fmi2Status status = initialize(function); status != fmi2OK) return status;
    const double present = get_variable(*variable, data);
    if (!std::isfinite(present)) return error(function, named(vr[i]) + " is not finite.");
    value[i] = static_cast<Value>(present);
  }
  return fmi2OK;
}

// All values or none.
template <class Value>
fmi2Status Instance::set(const char* function, References vr, std::size_t n, const Value value[]) {
  if (n > 0 && (vr == nullptr || value == nullptr)) return null_array(function);
  for (std::size_t i = 0; i < n; ++i) {
    const Variable* variable = find<Value>(function, vr[i]);
    if (variable == nullptr) return fmi2Error;
    if (const char* reason = locked(*variable, life.mode)) return error(function, named(vr[i]) + reason);
  }
  if (n > 1) before.save(data.state, data.memory_at);  // a single value that is refused changes nothing
  for (std::size_t i = 0; i < n; ++i) {
    const auto wanted = static_cast<double>(value[i]);
    if (set_variable(table[vr[i]], data, wanted)) continue;  // which also ends the slope it had
    if (n > 1) before.restore(data.state);
    return log.write(fmi2Discard, function + (": " + named(vr[i])) + " cannot be " + said(wanted) + "; it " +
                                      why_not(table[vr[i]], wanted) + ".");
  }
  if (life.mode != stepping) life.stale = 1;
  return fmi2OK;
}

template fmi2Status Instance::get(const char*, References, std::size_t, fmi2Real[]);
template fmi2Status Instance::get(const char*, References, std::size_t, fmi2Integer[]);
template fmi2Status Instance::set(const char*, References, std::size_t, const fmi2Real[]);
template fmi2Status Instance::set(const char*, References, std::size_t, const fmi2Integer[]);

fmi2Status Instance::set_rates(References vr, std::size_t n, const fmi2Integer order[], const fmi2Real value[]) {
  constexpr auto function = "fmi2SetRealInputDerivatives";
  if (n > 0 && (vr == nullptr || order == nullptr || value == nullptr)) return null_array(function);
  for (std::size_t i = 0; i < n; ++i) {
    const Variable* variable = find<fmi2Real>(function, vr[i]);
    if (variable == nullptr) return fmi2Error;
    if (variable->causality != Causality::input) return error(function, named(vr[i]) + " is not an input.");
    if (order[i] != 1)
      return error(function, named(vr[i]) + " takes a derivative of order 1, not " + std::to_string(order[i]) + ".");
    if (!std::isfinite(value[i]))
      return log.write(fmi2Discard, function + (": " + named(vr[i])) + " was given a derivative that is not finite.");
  }
  // r and q have derivatives by v and w: masters that set all derivatives of all inputs may
  for (std::size_t i = 0; i < n; ++i)
    if (const std::int32_t at = table[vr[i]].rate_offset; at >= 0) data.state[at] = value[i];
  return fmi2OK;
}

}  // namespace contactlib::fmi

#include "describe.hpp"

#include <cstdio>

#include "capacity.hpp"
#include "element/elements.hpp"
#include "model/format.hpp"
#include "model/reader/parameters.hpp"
#include "saved_state.hpp"

namespace contactlib::boundary {

namespace format = model::format;

using element::ElementRow, element::row_of;
using model::Element;
using reader::parameter_fault;

namespace {

const char* section_name(std::int32_t tag) noexcept {
  constexpr const char* names[] = {"scene",          "bodies",  "groups",   "shapes",   "laws",      "curves",
                                   "material_pairs", "pairs",   "surfaces", "vertices", "counts",    "loops",
                                   "elements",       "numbers", "integers", "strings",  "pair_rules"};
  static_assert(sizeof names / sizeof *names == format::tags);
  return tag >= 0 && tag < static_cast<std::int32_t>(format::tags) ? names[tag] : "header";
}

std::string element_failure(const Status& status, const Model& model) {
  if (status.index < 0 || static_cast<std::size_t>(status.index) >= model.elements.size())
    return "an element cannot go on";
  const Element& element = model.elements[status.index];
  const ElementRow& row = row_of(element);
  const std::string what = status.port < 0 ? std::string(row.failure)
                                           : row.port + (" " + std::to_string(status.port + 1)) + row.port_failure;
  return "element '" + element.name + "' cannot go on: " + what;
}

std::string instability(const Status& status, const Model& model) {
  const auto known = [](std::int32_t i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; };
  const bool law = known(status.port, model.laws.size());
  char time[32];
  std::snprintf(time, sizeof time, "%.6g", status.time);
  return "the run is unstable at t = " + std::string(time) + " s: " +
         (known(status.index, model.bodies.size()) ? "body '" + model.bodies[status.index].name + "'" : "a body") +
         " gains energy out of nothing" + (law ? " under law '" + model.laws[status.port].name + "'" : std::string()) +
         "; make the step (dt, step_size, a master's communication step) shorter or the contact laws softer";
}

const char* saved_failure(const Status& status) noexcept {
  switch (static_cast<SavedFault>(status.index)) {
    case SavedFault::no_state: return "these bytes are not a saved state: give what save() returned, whole";
    case SavedFault::version: return "the saved state is of another version of contactlib: save it again with this one";
    case SavedFault::model: return "the saved state belongs to another model: restore it there";
    case SavedFault::damaged:
      return "the saved state is damaged: its checksum or its length does not match its content";
    case SavedFault::range: return "the saved state is damaged: one of its numbers is out of its range";
  }
  return "the saved state cannot be restored";
}

}  // namespace

std::string describe(const Status& status, const Model& model) {
  const auto body = [&] {
    const bool known = status.index >= 0 && static_cast<std::size_t>(status.index) < model.bodies.size();
    return known ? "body '" + model.bodies[status.index].name + "'" : std::string("a body");
  };
  const auto law = [&] {
    const bool known = status.index >= 0 && static_cast<std::size_t>(status.index) < model.laws.size();
    return known ? "law '" + model.laws[status.index].name + "'" : std::string("a law");
  };
  const auto element = [&] {
    const bool known = status.index >= 0 && static_cast<std::size_t>(status.index) < model.elements.size();
    return known ? "element '" + model.elements[status.index].name + "'" : std::string("an element");
  };
  switch (status.code) {
    case Code::ok: return "ok";
    case Code::not_finite:
      return "the state, the wrench or the energy of " + body() + " is not finite (nan or infinity)";
    case Code::bad_quaternion:
      return "the quaternion of " + body() + " is not a unit quaternion: its length must be 1 within 1e-3";
    case Code::bad_magic: return "not a contactlib model: the file does not start with its mark";
    case Code::bad_version:
      return "the model was written in format version " + std::to_string(status.index) + ", this build reads version " +
             std::to_string(format::version);
    case Code::bad_checksum: return "the model is damaged: its checksum does not match its content";
    case Code::bad_section:
      return std::string("the model is truncated or inconsistent in section '") + section_name(status.index) + "'";
    case Code::bad_value:
      return std::string("the model has a value out of its range in section '") + section_name(status.index) + "'";
    case Code::contact_overflow:
      return std::to_string(status.index) + " contacts at once, the scene has capacity for " +
             std::to_string(model.contacts_grow ? contact_limit : model.contact_capacity) +
             (model.contacts_grow ? ", the most of any scene" : ": set max_contacts in its table [scene]");
    case Code::near_overflow:
      return std::to_string(status.index) +
             " pairs of bodies are near each other, more than this instance has memory for";
    case Code::surface_overflow:
      return "a contact of surfaces has " + std::to_string(status.index) +
             " pieces, more than this instance has memory for";
    case Code::bad_state: return saved_failure(status);
    case Code::bad_argument: return "the value is not allowed";
    case Code::bad_step: return "the step is not allowed: it must be finite, positive, and at most 1e7 times step_size";
    case Code::bad_parameters: return parameter_fault(status, model);
    case Code::bad_output:
      return "an output of " + (status.index < 0 ? std::string("the contacts") : element()) +
             " is not finite (nan or infinity)";
    case Code::element_failed: return element_failure(status, model);
    case Code::no_model:
      return "the contact model of " + law() +
             " is written in Python: only a Simulation and an FMU that runs in Python can run it";
    case Code::model_failed: return "the contact model of " + law() + " cannot go on";
    case Code::out_of_memory: return "out of memory";
    case Code::unstable: return instability(status, model);
  }
  return "unknown status";
}

std::string describe(const Status& status, const Model& model, const Data& data) {
  return status.code == Code::bad_parameters ? parameter_fault(status, model, &data) : describe(status, model);
}

}  // namespace contactlib::boundary

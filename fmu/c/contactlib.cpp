// The functions of contactlib.h, over the same instance as those of FMI.
#ifdef _WIN32
#define CONTACTLIB_API __declspec(dllexport)
#else
#define CONTACTLIB_API __attribute__((visibility("default")))
#endif
#include "contactlib.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "boundary/capacity.hpp"
#include "boundary/describe.hpp"
#include "boundary/saved_state.hpp"
#include "instance.hpp"
#include "model/reader/parameters.hpp"
#include "monitor/warnings.hpp"
#include "resources.hpp"
#include "step/inputs.hpp"

using namespace contactlib;
using boundary::Causality, boundary::Type, boundary::Variable;
using fmi::Instance;
using model::BodyState, model::Motion;

struct contactlib_simulation {
  Instance instance;
  std::string message, warnings, told;
};

// The numbers of the header are those of the core.
static_assert(CONTACTLIB_EXTERNAL == static_cast<int>(Motion::external) &&
              CONTACTLIB_DRIVEN == static_cast<int>(Motion::driven));
static_assert(CONTACTLIB_FREE == static_cast<int>(Motion::free) && CONTACTLIB_FIXED == static_cast<int>(Motion::fixed));
static_assert(CONTACTLIB_INPUT == static_cast<int>(Causality::input) &&
              CONTACTLIB_OUTPUT == static_cast<int>(Causality::output));
static_assert(CONTACTLIB_PARAMETER == static_cast<int>(Causality::parameter));

namespace {

static_assert(sizeof(BodyState) == CONTACTLIB_STATE * sizeof(double));
static_assert(sizeof(state::Wrench) == CONTACTLIB_WRENCH * sizeof(double));

constexpr const char* no_memory = "There is not enough memory.";

// The wrapper of every call that may refuse: nothing is thrown into C.
template <class Body>
int call(contactlib_simulation* s, const Body& body) noexcept {
  if (s == nullptr) return 1;
  try {
    return body(s->instance);
  } catch (...) {
    s->message.assign(no_memory, std::min(s->message.capacity(), std::strlen(no_memory)));
    return 1;
  }
}

int refuse(contactlib_simulation* s, std::string sentence) {
  s->message = std::move(sentence);
  return 1;
}

int refuse(contactlib_simulation* s, const Status& status) {
  return refuse(s, boundary::describe(status, s->instance.model, s->instance.data) + ".");
}

std::size_t copy_out(const std::string& text, char* message, std::size_t size) {
  if (message == nullptr || size == 0) return 0;
  const std::size_t count = std::min(text.size(), size - 1);
  std::memcpy(message, text.data(), count);
  message[count] = '\0';
  return count;
}

// The end of a long path, so that the reason fits into the caller's buffer.
std::string quoted(const std::string& path) {
  constexpr std::size_t most = 500;
  if (path.size() <= most) return "\"" + path + "\"";
  std::size_t at = path.size() - most;
  while (at < path.size() && (static_cast<unsigned char>(path[at]) & 0xC0) == 0x80) ++at;  // not within a character
  return "\"..." + path.substr(at) + "\"";
}

std::string open_scene(Instance& self, const unsigned char* bytes, std::size_t count, const std::string& name) {
  if (std::string problem = self.read_scene(bytes, count, name); !problem.empty()) return problem;
  if (self.model.user_laws)
    return "The scene " + name +
           " has a contact model in Python, which only Python can run: replace it by a built-in law.";
  return self.allocate();
}

contactlib_simulation* open(const unsigned char* bytes, std::size_t count, const std::string& name, char* message,
                            std::size_t size) {
  auto s = std::make_unique<contactlib_simulation>();
  s->message.reserve(std::strlen(no_memory));
  if (const std::string problem = open_scene(s->instance, bytes, count, name); !problem.empty())
    return copy_out(problem, message, size), nullptr;
  return s.release();
}

// Each cause once, after the step that shows it. The step is completed all the same: without memory for the sentence, a
// later step tries again.
void keep_warnings(contactlib_simulation* s) noexcept {
  Instance& self = s->instance;
  try {
    for (int cause = 0; cause < monitor::warning_causes; ++cause) {
      if ((self.warned & 1u << cause) != 0) continue;
      const std::string sentence = monitor::warning(cause, self.model, self.data, true);
      if (sentence.empty()) continue;
      s->warnings += sentence + ".\n";
      self.warned |= 1u << cause;
    }
  } catch (...) {
  }
}

// Rows of external bodies are inputs; the others go on from where they are.
Status accept_external(Instance& self, const double* states) {
  if (states == nullptr) return {};
  const auto* const rows = reinterpret_cast<const BodyState*>(states);
  for (std::size_t i = 0; i < self.model.bodies.size(); ++i)
    if (self.model.bodies[i].motion == Motion::external) self.data.inputs()[i] = rows[i];
  return step::accept_inputs(self.model, self.data);
}

// Evaluates or steps, which `run` does, from the inputs in `states`.
template <class Run>
int advance(contactlib_simulation* s, const double* states, double* wrenches, const Run& run) {
  Instance& self = s->instance;
  self.before.save(self.data.state, self.data.memory_at);
  Status status = accept_external(self, states);
  if (status) status = run(self);
  if (!status) {
    self.before.restore(self.data.state);
    return refuse(s, status);
  }
  keep_warnings(s);
  if (wrenches != nullptr) contactlib_wrenches(s, wrenches);
  return 0;
}

bool is_state(const Variable& variable, const state::Data& data) {
  const auto at = static_cast<std::size_t>(variable.offset);
  return variable.causality == Causality::input && at >= data.inputs_at && at < data.rates_at;
}

// Why a variable cannot be set now, or null.
const char* locked(const Variable& variable, const state::Data& data) {
  if (variable.causality == Causality::output) return " is an output and cannot be set.";
  if (variable.causality == Causality::parameter && !variable.tunable) return " is fixed: change it in the scene.";
  if (is_state(variable, data)) return " is a state: give it to contactlib_compute or contactlib_step.";
  return nullptr;
}

const Variable* variable_of(contactlib_simulation* s, int i) {
  if (i >= 0 && static_cast<std::size_t>(i) < s->instance.table.size()) return &s->instance.table[i];
  refuse(s, "There is no variable " + std::to_string(i) + "; they go from 0 to " +
                std::to_string(s->instance.table.size() - 1) +
                ", and contactlib_find_variable gives -1 for an unknown name.");
  return nullptr;
}

int set_together(contactlib_simulation* s, Instance& self, const int* variables, const double* values,
                 std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const Variable* const variable = variable_of(s, variables[k]);
    if (variable == nullptr) return 1;
    if (const char* reason = locked(*variable, self.data)) return refuse(s, variable->name + reason);
    if (set_variable(*variable, self.data, values[k])) continue;
    return refuse(s, variable->name + " cannot be " + boundary::said(values[k]) + "; it " +
                         boundary::why_not(*variable, values[k]) + ".");
  }
  if (const Status status = reader::check_parameters(self.model, self.data); !status) return refuse(s, status);
  return 0;
}

// The bytes of a saved state in a buffer that may be longer.
std::size_t length_of(const unsigned char* saved, std::size_t size) {
  boundary::SavedHeader header;
  if (size < sizeof header) return size;
  std::memcpy(&header, saved, sizeof header);
  const std::size_t room = (size - sizeof header) / sizeof(double);
  return header.count <= room ? sizeof header + static_cast<std::size_t>(header.count) * sizeof(double) : size;
}

void copy_vec(const Vec3& from, double* to) { std::copy_n(from.data(), 3, to); }

contactlib_contact contact_of(const state::Contact& from) {
  contactlib_contact to{};
  to.body_a = from.body_a, to.body_b = from.body_b, to.shape_a = from.shape_a, to.shape_b = from.shape_b;
  to.law = from.law, to.feature = from.feature, to.slipping = from.slipping;
  copy_vec(from.p_AC_W, to.p_AC_W), copy_vec(from.p_BC_W, to.p_BC_W), copy_vec(from.n_AB_W, to.n_AB_W);
  copy_vec(from.f_B_W, to.f_B_W);
  to.depth = from.depth, to.depth_rate = from.depth_rate;
  to.normal_force = from.normal_force, to.load_share = from.load_share;
  return to;
}

}  // namespace

extern "C" {

const char* contactlib_version(void) { return CONTACTLIB_VERSION; }

// ---- a simulation ---------------------------------------------------------------------------------------------

contactlib_simulation* contactlib_load(const char* path, char* message, size_t size) {
  try {
    if (path == nullptr) return copy_out("The path of the scene is null.", message, size), nullptr;
    const std::string name = quoted(path);
    std::vector<unsigned char> bytes;
    if (!fmi::read_file(path, bytes))
      return copy_out("The scene " + name + " cannot be read: is there such a file?", message, size), nullptr;
    return open(bytes.data(), bytes.size(), name, message, size);
  } catch (...) {
    return copy_out(no_memory, message, size), nullptr;
  }
}

contactlib_simulation* contactlib_read(const void* bytes, size_t count, char* message, size_t size) {
  try {
    if (bytes == nullptr) return copy_out("The bytes of the scene are null.", message, size), nullptr;
    return open(static_cast<const unsigned char*>(bytes), count, "in memory", message, size);
  } catch (...) {
    return copy_out(no_memory, message, size), nullptr;
  }
}

void contactlib_free(contactlib_simulation* s) { delete s; }

const char* contactlib_message(const contactlib_simulation* s) {
  return s ? s->message.c_str() : "The simulation is null.";
}

const char* contactlib_warnings(contactlib_simulation* s) {
  if (s == nullptr) return "";
  s->told = std::exchange(s->warnings, {});
  return s->told.c_str();
}

void contactlib_reset(contactlib_simulation* s) {
  if (s != nullptr) s->instance.reset();
}

// ---- bodies -----------------------------------------------------------------------------------------------------

size_t contactlib_body_count(const contactlib_simulation* s) { return s ? s->instance.model.bodies.size() : 0; }

const char* contactlib_body_name(const contactlib_simulation* s, size_t body) {
  return body < contactlib_body_count(s) ? s->instance.model.bodies[body].name.c_str() : nullptr;
}

int contactlib_body_motion(const contactlib_simulation* s, size_t body) {
  return body < contactlib_body_count(s) ? static_cast<int>(s->instance.model.bodies[body].motion) : -1;
}

int contactlib_find_body(const contactlib_simulation* s, const char* name) {
  for (size_t i = 0; name != nullptr && i < contactlib_body_count(s); ++i)
    if (s->instance.model.bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

void contactlib_states(contactlib_simulation* s, double* states) {
  if (s != nullptr && states != nullptr)
    std::memcpy(states, s->instance.data.reports(), contactlib_body_count(s) * sizeof(BodyState));
}

void contactlib_wrenches(contactlib_simulation* s, double* wrenches) {
  if (s != nullptr && wrenches != nullptr)
    std::memcpy(wrenches, s->instance.data.outputs(), contactlib_body_count(s) * sizeof(state::Wrench));
}

// ---- steps ------------------------------------------------------------------------------------------------------

int contactlib_compute(contactlib_simulation* s, const double* states, double* wrenches) {
  return call(s, [=](Instance&) {
    return advance(s, states, wrenches,
                   [](Instance& self) { return boundary::evaluate_and_grow(self.model, self.data); });
  });
}

int contactlib_step(contactlib_simulation* s, double dt, const double* states, double* wrenches) {
  return call(s, [=](Instance&) {
    return advance(s, states, wrenches,
                   [dt](Instance& self) { return boundary::advance_and_grow(self.model, self.data, dt); });
  });
}

int contactlib_place(contactlib_simulation* s, const double* states) {
  return call(s, [=](Instance& self) {
    if (states == nullptr) return refuse(s, "The states are null.");
    const Status status = step::set_states(self.model, self.data, reinterpret_cast<const BodyState*>(states));
    return status ? 0 : refuse(s, status);
  });
}

double contactlib_time(const contactlib_simulation* s) { return s ? s->instance.data.globals().time : 0.0; }

int contactlib_apply(contactlib_simulation* s, size_t body, const double wrench[6]) {
  return call(s, [=](Instance& self) {
    if (contactlib_body_motion(s, body) != static_cast<int>(Motion::free))
      return refuse(s, body < contactlib_body_count(s)
                           ? "Body '" + self.model.bodies[body].name + "' is not free: only free bodies take a load."
                           : "There is no body " + std::to_string(body) + "; there are " +
                                 std::to_string(contactlib_body_count(s)) + ".");
    if (wrench == nullptr || !std::all_of(wrench, wrench + 6, [](double x) { return std::isfinite(x); }))
      return refuse(s, "A load must have six finite numbers.");
    self.data.applied()[body] = {Vec3(wrench), Vec3(wrench + 3)};
    return 0;
  });
}

// ---- contacts ---------------------------------------------------------------------------------------------------

size_t contactlib_contact_count(const contactlib_simulation* s) { return s ? s->instance.data.count : 0; }

size_t contactlib_contacts(const contactlib_simulation* s, contactlib_contact* contacts, size_t capacity) {
  const size_t count = contacts ? std::min(capacity, contactlib_contact_count(s)) : 0;
  for (size_t k = 0; k < count; ++k) contacts[k] = contact_of(s->instance.data.contacts[k]);
  return count;
}

// ---- variables --------------------------------------------------------------------------------------------------

size_t contactlib_variable_count(const contactlib_simulation* s) { return s ? s->instance.table.size() : 0; }

int contactlib_find_variable(const contactlib_simulation* s, const char* name) {
  for (size_t i = 0; name != nullptr && i < contactlib_variable_count(s); ++i)
    if (s->instance.table[i].name == name) return static_cast<int>(i);
  return -1;
}

int contactlib_get_variable(contactlib_simulation* s, int i, contactlib_variable* out) {
  return call(s, [=](Instance&) {
    const Variable* const v = variable_of(s, i);
    if (v == nullptr) return 1;
    if (out == nullptr) return refuse(s, "The place for the variable is null.");
    *out = {v->name.c_str(),
            v->unit.c_str(),
            v->description.c_str(),
            static_cast<int>(v->causality),
            v->type == Type::integer ? 1 : 0,
            v->tunable ? 1 : 0,
            v->choices,
            v->start + (v->choices > 0 ? 1 : 0),
            v->minimum};
    return 0;
  });
}

int contactlib_get(contactlib_simulation* s, int i, double* value) {
  return call(s, [=](Instance& self) {
    const Variable* const v = variable_of(s, i);
    if (v == nullptr) return 1;
    if (value == nullptr) return refuse(s, "The place for the value is null.");
    *value = get_variable(*v, self.data);
    return 0;
  });
}

int contactlib_set(contactlib_simulation* s, const int* variables, const double* values, size_t count) {
  return call(s, [=](Instance& self) {
    if (count > 0 && (variables == nullptr || values == nullptr)) return refuse(s, "The variables or values are null.");
    self.before.save(self.data.state, self.data.memory_at);
    if (set_together(s, self, variables, values, count) != 0) return self.before.restore(self.data.state), 1;
    step::accept_commands(self.model, self.data);
    return 0;
  });
}

// ---- saved states -----------------------------------------------------------------------------------------------

size_t contactlib_saved_size(const contactlib_simulation* s) { return s ? boundary::saved_size(s->instance.data) : 0; }

int contactlib_save(contactlib_simulation* s, void* bytes, size_t size) {
  return call(s, [=](Instance& self) {
    const size_t needed = boundary::saved_size(self.data);
    if (bytes == nullptr || size < needed)
      return refuse(
          s, "A saved state needs " + std::to_string(needed) + " bytes, not " + std::to_string(bytes ? size : 0) + ".");
    boundary::save(self.model, self.data, static_cast<unsigned char*>(bytes));
    return 0;
  });
}

int contactlib_restore(contactlib_simulation* s, const void* bytes, size_t size) {
  return call(s, [=](Instance& self) {
    if (bytes == nullptr) return refuse(s, "The bytes of the state are null.");
    const auto* const saved = static_cast<const unsigned char*>(bytes);
    const size_t length = length_of(saved, size);
    boundary::reserve_for_saved(self.model, self.data, length);
    if (const Status status = boundary::restore(self.model, self.data, saved, length); !status)
      return refuse(s, status);
    return 0;
  });
}

}  // extern "C"

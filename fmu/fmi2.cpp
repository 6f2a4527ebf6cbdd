// The functions of FMI 2.0 for co-simulation, in the standard's order; instance.cpp does the work. This file decides
// which modes allow which call, handles null components, and lets no exception reach the master.
#include <utility>

#include "instance.hpp"

namespace {

using namespace contactlib::fmi;

constexpr std::uint32_t readable = initialization | stepping | terminated;
constexpr std::uint32_t writable = instantiated | initialization | stepping;

const char* phrase(std::uint32_t mode) {
  if (mode == instantiated) return "before initialization";
  if (mode == initialization) return "in initialization mode";
  return mode == stepping ? "between steps" : "after termination";
}

// The wrapper of every call on an instance. Some masters continue with the null that a failed instantiation returned.
template <class Body>
fmi2Status call(fmi2Component c, const char* function, std::uint32_t allowed, Body body) noexcept {
  auto* self = static_cast<Instance*>(c);
  if (self == nullptr) return fmi2Error;
  try {
    if ((self->life.mode & allowed) == 0)
      return self->error(std::string(function) + " is not allowed " + phrase(self->life.mode) + ".");
    return body(*self);
  } catch (...) {
    return fmi2Error;  // out of memory: there is none for a sentence either
  }
}

fmi2Status enter(fmi2Component c, const char* function, Mode from, Mode to) {
  return call(c, function, from, [to](Instance& self) {
    self.life.mode = to;
    return fmi2OK;
  });
}

// Booleans, strings and output derivatives do not exist here, so that only a request for none of them is valid.
fmi2Status none(fmi2Component c, const char* function, std::uint32_t allowed, size_t n) {
  return call(c, function, allowed, [=](Instance& self) {
    return n == 0 ? fmi2OK : self.error(function, "this FMU has no such variables.");
  });
}

fmi2Status missing(fmi2Component c, const char* function) {
  return call(c, function, any_mode, [=](Instance& self) { return self.error(function, "this is not available."); });
}

// Steps are never pending, so there is almost no status to return.
fmi2Status no_status(fmi2Component c, const char* function) {
  return call(c, function, any_mode, [=](Instance& self) {
    return self.log.write(fmi2Discard, std::string(function) + ": no step is pending.");
  });
}

// The callbacks are copied: not every master keeps its own alive.
std::unique_ptr<Instance> named_instance(fmi2String name, const fmi2CallbackFunctions* callbacks, bool logging) {
  auto self = std::make_unique<Instance>();
  self->log.name = name != nullptr ? name : "";
  self->log.turn(logging);
  if (callbacks != nullptr) {
    self->log.function = callbacks->logger;
    self->log.environment = callbacks->componentEnvironment;
  }
  return self;
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return fmi2TypesPlatform; }
const char* fmi2GetVersion() { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  return call(c, __func__, any_mode, [=](Instance& self) {
    std::string unknown;
    if (on == fmi2False || n == 0)
      self.log.turn(on != fmi2False);
    else if (!self.log.choose(n, categories, unknown))
      return self.error("fmi2SetDebugLogging",
                        "there is no log category \"" + unknown + "\"; modelDescription.xml lists them.");
    return fmi2OK;
  });
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resource_location,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean logging) {
  try {
    auto self = named_instance(name, callbacks, logging != fmi2False);
    const std::string problem = type != fmi2CoSimulation
                                    ? "This FMU is for co-simulation; model exchange is not available."
                                    : self->load(guid, resource_location);
    if (problem.empty()) return self.release();
    self->error(problem);
  } catch (...) {
  }
  return nullptr;
}

void fmi2FreeInstance(fmi2Component c) { delete static_cast<Instance*>(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  return call(c, __func__, instantiated, [start](Instance& self) { return self.begin_at(start); });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return enter(c, __func__, instantiated, initialization); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return call(c, __func__, initialization, [](Instance& self) {
    const fmi2Status status = self.initialize("fmi2ExitInitializationMode");
    if (status == fmi2OK) self.life.mode = stepping;
    return status;
  });
}
fmi2Status fmi2Terminate(fmi2Component c) { return enter(c, __func__, stepping, terminated); }
fmi2Status fmi2Reset(fmi2Component c) {
  return call(c, __func__, any_mode, [](Instance& self) {
    self.reset();
    return fmi2OK;
  });
}

fmi2Status fmi2GetReal(fmi2Component c, References vr, size_t n, fmi2Real value[]) {
  return call(c, __func__, readable, [=](Instance& self) { return self.get("fmi2GetReal", vr, n, value); });
}
fmi2Status fmi2GetInteger(fmi2Component c, References vr, size_t n, fmi2Integer value[]) {
  return call(c, __func__, readable, [=](Instance& self) { return self.get("fmi2GetInteger", vr, n, value); });
}
fmi2Status fmi2GetBoolean(fmi2Component c, References, size_t n, fmi2Boolean[]) {
  return none(c, __func__, readable, n);
}
fmi2Status fmi2GetString(fmi2Component c, References, size_t n, fmi2String[]) { return none(c, __func__, readable, n); }

fmi2Status fmi2SetReal(fmi2Component c, References vr, size_t n, const fmi2Real value[]) {
  return call(c, __func__, writable, [=](Instance& self) { return self.set("fmi2SetReal", vr, n, value); });
}
fmi2Status fmi2SetInteger(fmi2Component c, References vr, size_t n, const fmi2Integer value[]) {
  return call(c, __func__, writable, [=](Instance& self) { return self.set("fmi2SetInteger", vr, n, value); });
}
fmi2Status fmi2SetBoolean(fmi2Component c, References, size_t n, const fmi2Boolean[]) {
  return none(c, __func__, writable, n);
}
fmi2Status fmi2SetString(fmi2Component c, References, size_t n, const fmi2String[]) {
  return none(c, __func__, writable, n);
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.save_state(state); });
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.restore_state(state); });
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.free_state(state); });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.serialized_size(state, size); });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.serialize(state, bytes, size); });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.deserialize(bytes, size, state); });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, References, size_t, References, size_t, const fmi2Real[],
                                        fmi2Real[]) {
  return missing(c, __func__);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, References vr, size_t n, const fmi2Integer order[],
                                       const fmi2Real value[]) {
  return call(c, __func__, writable, [=](Instance& self) { return self.set_rates(vr, n, order, value); });
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, References, size_t n, const fmi2Integer[], fmi2Real[]) {
  return none(c, __func__, readable, n);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean) {
  return call(c, __func__, stepping, [=](Instance& self) { return self.step(t, h); });
}
fmi2Status fmi2CancelStep(fmi2Component c) { return missing(c, __func__); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind, fmi2Status*) { return no_status(c, __func__); }
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime || value == nullptr) return no_status(c, __func__);
  return call(c, __func__, any_mode, [=](Instance& self) {
    *value = self.life.time;
    return fmi2OK;
  });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) { return no_status(c, __func__); }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated || value == nullptr) return no_status(c, __func__);
  return call(c, __func__, any_mode, [=](Instance&) {
    *value = fmi2False;
    return fmi2OK;
  });
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind, fmi2String*) { return no_status(c, __func__); }

}  // extern "C"

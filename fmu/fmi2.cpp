// The functions of FMI 2.0 for co-simulation, in the standard's order; instance.cpp does the work. calls.hpp handles
// modes, null components and exceptions.
#include <utility>

#include "calls.hpp"

namespace {

using namespace contactlib::fmi;

// Steps are never pending, so there is almost no status to return.
fmi2Status no_status(fmi2Component c, const char* function) {
  return call(c, function, any_mode, [=](Instance& self) {
    return self.log.write(fmi2Discard, std::string(function) + ": no step is pending.");
  });
}

// The callbacks are copied: not every master keeps its own alive. The sentence arrives complete, with % doubled: some
// masters print it raw, others as a format.
std::unique_ptr<Instance> named_instance(fmi2String name, const fmi2CallbackFunctions* callbacks, bool logging) {
  auto self = std::make_unique<Instance>();
  self->log.turn(logging);
  if (callbacks == nullptr || callbacks->logger == nullptr) return self;
  self->log.deliver = [named = std::string(name != nullptr ? name : ""), logger = callbacks->logger,
                       environment = callbacks->componentEnvironment](fmi2Status status, const char* category,
                                                                      const std::string& sentence) {
    std::string text;
    for (const char c : sentence) text.append(c == '%' ? 2 : 1, c);
    logger(environment, named.c_str(), status, category, text.c_str());
  };
  return self;
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return fmi2TypesPlatform; }
const char* fmi2GetVersion() { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  return set_logging(c, __func__, on != fmi2False, n, categories);
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
  return call(c, __func__, instantiated,
              [start](Instance& self) { return self.begin_at("fmi2SetupExperiment", start); });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return enter(c, __func__, instantiated, initialization); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return initialize(c, __func__); }
fmi2Status fmi2Terminate(fmi2Component c) { return enter(c, __func__, stepping, terminated); }
fmi2Status fmi2Reset(fmi2Component c) { return reset(c, __func__); }

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
  return call(c, __func__, any_mode, [=](Instance& self) { return self.save_state("fmi2GetFMUstate", state); });
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.restore_state("fmi2SetFMUstate", state); });
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, __func__, any_mode, [=](Instance& self) { return self.free_state("fmi2FreeFMUstate", state); });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return call(c, __func__, any_mode,
              [=](Instance& self) { return self.serialized_size("fmi2SerializedFMUstateSize", state, size); });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return call(c, __func__, any_mode,
              [=](Instance& self) { return self.serialize("fmi2SerializeFMUstate", state, bytes, size); });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  return call(c, __func__, any_mode,
              [=](Instance& self) { return self.deserialize("fmi2DeSerializeFMUstate", bytes, size, state); });
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
  return call(c, __func__, stepping, [=](Instance& self) { return self.step("fmi2DoStep", t, h); });
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

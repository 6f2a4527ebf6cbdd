// The functions of FMI 3.0 for co-simulation, in the standard's order; instance.cpp does the work. Variables "x[1]" to
// "x[n]" of the table are one array "x" here, whose value reference is that of its first element. The statuses of
// FMI 2.0 and 3.0 have the same numbers.
#include <fmi3Functions.h>

#include <numeric>

#include "calls.hpp"

namespace {

using namespace contactlib::fmi;
using contactlib::boundary::Type;

static_assert(static_cast<int>(fmi3Discard) == fmi2Discard && static_cast<int>(fmi3Fatal) == fmi2Fatal);

fmi3Status status3(fmi2Status status) noexcept { return static_cast<fmi3Status>(status); }

// The number of elements of the array that begins at each variable: 0 within an array, 1 for a scalar.
std::vector<std::uint32_t> array_sizes(const std::vector<Variable>& table) {
  std::vector<std::uint32_t> sizes(table.size(), 1);
  std::string array;  // the name before "[1]"; empty after a scalar
  for (std::size_t first = 0, i = 0; i < table.size(); ++i) {
    const std::string& name = table[i].name;
    if (!array.empty() && name == array + "[" + std::to_string(i - first + 1) + "]") {
      sizes[i] = 0, ++sizes[first];
      continue;
    }
    first = i;
    const std::size_t at = name.rfind("[1]");
    array = at != std::string::npos && at + 3 == name.size() ? name.substr(0, at) : "";
  }
  return sizes;
}

struct ArrayInstance : Instance {
  std::vector<std::uint32_t> sizes;
  std::vector<fmi2ValueReference> references;  // 0, 1, 2, ...
  std::vector<fmi2ValueReference> elements;    // of the call; allocated when the instance is made

  void prepare() {
    sizes = array_sizes(table);
    references.resize(table.size());
    std::iota(references.begin(), references.end(), 0u);
    elements.reserve(table.size());
  }
  // The time has the value reference after the last variable.
  bool is_time(fmi3ValueReference reference) const noexcept { return reference == table.size(); }
  // The number of values behind a reference of this type; 0, with a sentence in the log, if it is none.
  std::uint32_t count(const char* function, fmi3ValueReference reference, Type type) const;
  // The number of values behind all references; the master's arrays must have just as many.
  bool fits(const char* function, Type type, const fmi3ValueReference vr[], std::size_t n, const void* values,
            std::size_t n_values) const;
};

const char* name_of(Type type) { return type == Type::real ? "Float64" : "Int32"; }

std::uint32_t ArrayInstance::count(const char* function, fmi3ValueReference reference, Type type) const {
  if (is_time(reference) && type == Type::real) return 1;
  if (reference >= table.size()) {
    error(function, "there is no such variable with value reference " + std::to_string(reference) +
                        "; modelDescription.xml lists all.");
    return 0;
  }
  const Type own = table[reference].type;
  if (own != type)
    error(function, named(reference) + " is got and set as " + name_of(own) + ", not as " + name_of(type) + ".");
  else if (sizes[reference] == 0)
    error(function, named(reference) + " is an element of an array: use the value reference of the whole array.");
  return own == type ? sizes[reference] : 0;
}

bool ArrayInstance::fits(const char* function, Type type, const fmi3ValueReference vr[], std::size_t n,
                         const void* values, std::size_t n_values) const {
  if ((n > 0 && vr == nullptr) || (n_values > 0 && values == nullptr)) return null_array(function), false;
  std::size_t needed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t more = count(function, vr[i], type);
    if (more == 0) return false;
    needed += more;
  }
  if (needed == n_values) return true;
  error(function,
        "these variables have " + std::to_string(needed) + " values together, not " + std::to_string(n_values) + ".");
  return false;
}

ArrayInstance& arrays(Instance& self) { return static_cast<ArrayInstance&>(self); }

template <class Value>
fmi3Status get(fmi3Instance c, const char* function, Type type, const fmi3ValueReference vr[], std::size_t n,
               Value values[], std::size_t n_values) {
  return status3(call(c, function, readable, [=](Instance& instance) {
    ArrayInstance& self = arrays(instance);
    if (!self.fits(function, type, vr, n, values, n_values)) return fmi2Error;
    Value* next = values;
    for (std::size_t i = 0; i < n; ++i) {
      if (self.is_time(vr[i])) {
        *next++ = static_cast<Value>(self.life.time);
        continue;
      }
      const std::uint32_t size = self.sizes[vr[i]];
      const fmi2Status status = self.get(function, &self.references[vr[i]], size, next);
      if (status != fmi2OK) return status;
      next += size;
    }
    return fmi2OK;
  }));
}

template <class Value>
fmi3Status set(fmi3Instance c, const char* function, Type type, const fmi3ValueReference vr[], std::size_t n,
               const Value values[], std::size_t n_values) {
  return status3(call(c, function, writable, [=](Instance& instance) {
    ArrayInstance& self = arrays(instance);
    if (!self.fits(function, type, vr, n, values, n_values)) return fmi2Error;
    self.elements.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (self.is_time(vr[i])) return self.error(function, "the time cannot be set.");
      for (std::uint32_t k = 0; k < self.sizes[vr[i]]; ++k) self.elements.push_back(vr[i] + k);
    }
    return self.set(function, self.elements.data(), self.elements.size(), values);
  }));
}

std::unique_ptr<ArrayInstance> logging_instance(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                bool logging) {
  auto self = std::make_unique<ArrayInstance>();
  self->log.turn(logging);
  if (log == nullptr) return self;
  self->log.deliver = [=](fmi2Status status, const char* category, const std::string& sentence) {
    log(environment, status3(status), category, sentence.c_str());
  };
  return self;
}

// There is no instance: the reason goes to the log.
fmi3Instance refuse(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, const char* reason) noexcept {
  if (log != nullptr) log(environment, fmi3Error, "logStatusError", reason);
  return nullptr;
}

template <class Value>
void store(Value* where, Value value) noexcept {
  if (where != nullptr) *where = value;
}

}  // namespace

// types that no scene has, and calls of other interfaces and of modes that this one has not
#define NONE_OF(type)                                                                                          \
  fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3##type[], size_t) {       \
    return status3(none(c, __func__, readable, n));                                                            \
  }                                                                                                            \
  fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3##type[], size_t) { \
    return status3(none(c, __func__, writable, n));                                                            \
  }
#define MISSING(function, ...) \
  fmi3Status function(__VA_ARGS__) { return status3(missing(c, __func__)); }

extern "C" {

const char* fmi3GetVersion() { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]) {
  return status3(set_logging(c, __func__, on, n, categories));
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  return refuse(environment, log, "This FMU is for co-simulation; model exchange is not available.");
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resource_path, fmi3Boolean,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean,
                                         const fmi3ValueReference[], size_t, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback) {
  try {
    auto self = logging_instance(environment, log, logging);
    std::string problem = event_mode ? "This FMU has no event mode." : self->load(token, resource_path);
    if (problem.empty()) {
      self->prepare();
      return static_cast<Instance*>(self.release());
    }
    self->error(problem);
  } catch (...) {
  }
  return nullptr;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  return refuse(environment, log, "This FMU is for co-simulation; scheduled execution is not available.");
}
void fmi3FreeInstance(fmi3Instance c) { delete static_cast<ArrayInstance*>(static_cast<Instance*>(c)); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean, fmi3Float64, fmi3Float64 start, fmi3Boolean,
                                       fmi3Float64) {
  return status3(call(c, __func__, instantiated, [start](Instance& self) {
    const fmi2Status status = self.begin_at("fmi3EnterInitializationMode", start);
    if (status == fmi2OK) self.life.mode = initialization;
    return status;
  }));
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return status3(initialize(c, __func__)); }
MISSING(fmi3EnterEventMode, fmi3Instance c)
fmi3Status fmi3Terminate(fmi3Instance c) { return status3(enter(c, __func__, stepping, terminated)); }
fmi3Status fmi3Reset(fmi3Instance c) { return status3(reset(c, __func__)); }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[], size_t size) {
  return get(c, __func__, Type::real, vr, n, values, size);
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 values[], size_t size) {
  return get(c, __func__, Type::integer, vr, n, values, size);
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t size) {
  return set(c, __func__, Type::real, vr, n, values, size);
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 values[],
                        size_t size) {
  return set(c, __func__, Type::integer, vr, n, values, size);
}
NONE_OF(Float32)
NONE_OF(Int8)
NONE_OF(UInt8)
NONE_OF(Int16)
NONE_OF(UInt16)
NONE_OF(UInt32)
NONE_OF(Int64)
NONE_OF(UInt64)
NONE_OF(Boolean)
NONE_OF(String)
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference[], size_t n, size_t[], fmi3Binary[], size_t) {
  return status3(none(c, __func__, readable, n));
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference[], size_t n, const size_t[], const fmi3Binary[],
                         size_t) {
  return status3(none(c, __func__, writable, n));
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3Clock[]) {
  return status3(none(c, __func__, readable, n));
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Clock[]) {
  return status3(none(c, __func__, writable, n));
}

MISSING(fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference, size_t*)
MISSING(fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference, size_t[], fmi3ValueReference[], size_t[],
        fmi3DependencyKind[], size_t)

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  return status3(
      call(c, __func__, any_mode, [=](Instance& self) { return self.save_state("fmi3GetFMUState", state); }));
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return status3(
      call(c, __func__, any_mode, [=](Instance& self) { return self.restore_state("fmi3SetFMUState", state); }));
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  return status3(
      call(c, __func__, any_mode, [=](Instance& self) { return self.free_state("fmi3FreeFMUState", state); }));
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
  return status3(call(c, __func__, any_mode,
                      [=](Instance& self) { return self.serialized_size("fmi3SerializedFMUStateSize", state, size); }));
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  return status3(call(c, __func__, any_mode, [=](Instance& self) {
    return self.serialize("fmi3SerializeFMUState", state, reinterpret_cast<fmi2Byte*>(bytes), size);
  }));
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  return status3(call(c, __func__, any_mode, [=](Instance& self) {
    return self.deserialize("fmi3DeserializeFMUState", reinterpret_cast<const fmi2Byte*>(bytes), size, state);
  }));
}

MISSING(fmi3GetDirectionalDerivative, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3ValueReference[],
        size_t, const fmi3Float64[], size_t, fmi3Float64[], size_t)
MISSING(fmi3GetAdjointDerivative, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3ValueReference[],
        size_t, const fmi3Float64[], size_t, fmi3Float64[], size_t)

MISSING(fmi3EnterConfigurationMode, fmi3Instance c)
MISSING(fmi3ExitConfigurationMode, fmi3Instance c)

MISSING(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference[], size_t, fmi3Float64[],
        fmi3IntervalQualifier[])
MISSING(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference[], size_t, fmi3UInt64[], fmi3UInt64[],
        fmi3IntervalQualifier[])
MISSING(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference[], size_t, fmi3Float64[])
MISSING(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference[], size_t, fmi3UInt64[], fmi3UInt64[])
MISSING(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3Float64[])
MISSING(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3UInt64[],
        const fmi3UInt64[])
MISSING(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3Float64[])
MISSING(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3UInt64[],
        const fmi3UInt64[])
MISSING(fmi3EvaluateDiscreteStates, fmi3Instance c)
MISSING(fmi3UpdateDiscreteStates, fmi3Instance c, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
        fmi3Float64*)

MISSING(fmi3EnterContinuousTimeMode, fmi3Instance c)
MISSING(fmi3CompletedIntegratorStep, fmi3Instance c, fmi3Boolean, fmi3Boolean*, fmi3Boolean*)
MISSING(fmi3SetTime, fmi3Instance c, fmi3Float64)
MISSING(fmi3SetContinuousStates, fmi3Instance c, const fmi3Float64[], size_t)
MISSING(fmi3GetContinuousStateDerivatives, fmi3Instance c, fmi3Float64[], size_t)
MISSING(fmi3GetEventIndicators, fmi3Instance c, fmi3Float64[], size_t)
MISSING(fmi3GetContinuousStates, fmi3Instance c, fmi3Float64[], size_t)
MISSING(fmi3GetNominalsOfContinuousStates, fmi3Instance c, fmi3Float64[], size_t)
MISSING(fmi3GetNumberOfEventIndicators, fmi3Instance c, size_t*)
MISSING(fmi3GetNumberOfContinuousStates, fmi3Instance c, size_t*)

MISSING(fmi3EnterStepMode, fmi3Instance c)
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Int32[],
                                    fmi3Float64[], size_t) {
  return status3(none(c, __func__, readable, n));
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean, fmi3Boolean* event_needed,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* last_successful_time) {
  return status3(call(c, __func__, stepping, [=](Instance& self) {
    for (fmi3Boolean* never : {event_needed, terminate, early_return}) store(never, false);
    const fmi2Status status = self.step("fmi3DoStep", t, h);
    store(last_successful_time, self.life.time);
    return status;
  }));
}

MISSING(fmi3ActivateModelPartition, fmi3Instance c, fmi3ValueReference, fmi3Float64)

}  // extern "C"

// What the functions of FMI 2.0 and 3.0 share: which modes allow a call, null instances, and no exception for the master.
#pragma once

#include <string>

#include "instance.hpp"

namespace contactlib::fmi {

inline constexpr std::uint32_t readable = initialization | stepping | terminated;
inline constexpr std::uint32_t writable = instantiated | initialization | stepping;

inline const char* phrase(std::uint32_t mode) {
  if (mode == instantiated) return "before initialization";
  if (mode == initialization) return "in initialization mode";
  return mode == stepping ? "between steps" : "after termination";
}

// The wrapper of every call on an instance. Some masters continue with the null that a failed instantiation returned.
template <class Body>
fmi2Status call(void* instance, const char* function, std::uint32_t allowed, Body body) noexcept {
  auto* self = static_cast<Instance*>(instance);
  if (self == nullptr) return fmi2Error;
  try {
    if ((self->life.mode & allowed) == 0)
      return self->error(std::string(function) + " is not allowed " + phrase(self->life.mode) + ".");
    return body(*self);
  } catch (...) {
    return fmi2Error;  // out of memory: there is none for a sentence either
  }
}

inline fmi2Status enter(void* instance, const char* function, Mode from, Mode to) {
  return call(instance, function, from, [to](Instance& self) {
    self.life.mode = to;
    return fmi2OK;
  });
}

// Of the types and derivatives that no scene has, only a request for none is valid.
inline fmi2Status none(void* instance, const char* function, std::uint32_t allowed, std::size_t n) {
  return call(instance, function, allowed, [=](Instance& self) {
    return n == 0 ? fmi2OK : self.error(function, "this FMU has no such variables.");
  });
}

inline fmi2Status missing(void* instance, const char* function) {
  return call(instance, function, any_mode,
              [=](Instance& self) { return self.error(function, "this is not available."); });
}

inline fmi2Status initialize(void* instance, const char* function) {
  return call(instance, function, initialization, [=](Instance& self) {
    const fmi2Status status = self.initialize(function);
    if (status == fmi2OK) self.life.mode = stepping;
    return status;
  });
}

inline fmi2Status reset(void* instance, const char* function) {
  return call(instance, function, any_mode, [](Instance& self) {
    self.reset();
    return fmi2OK;
  });
}

inline fmi2Status set_logging(void* instance, const char* function, bool on, std::size_t n, const fmi2String names[]) {
  return call(instance, function, any_mode, [=](Instance& self) {
    std::string unknown;
    if (!on || n == 0)
      self.log.turn(on);
    else if (!self.log.choose(n, names, unknown))
      return self.error(function, "there is no log category \"" + unknown + "\"; modelDescription.xml lists them.");
    return fmi2OK;
  });
}

}  // namespace contactlib::fmi

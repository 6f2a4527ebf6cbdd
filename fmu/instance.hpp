// One instance of an FMU: a scene, its data, and the additions of FMI. It uses the types of FMI 2.0, whose numbers of
// statuses FMI 3.0 has too, but no function of either. A method that fails changes nothing, writes a sentence to the log
// and returns fmi2Error or fmi2Discard. `function` is the call of the master, for sentences.
#pragma once

#include <fmi2Functions.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "boundary/interface.hpp"

namespace contactlib::fmi {

using boundary::Variable;
using model::Model;
using state::Data, state::StateCopy;

enum Mode : std::uint32_t { instantiated = 1, initialization = 2, stepping = 4, terminated = 8 };
inline constexpr std::uint32_t any_mode = instantiated | initialization | stepping | terminated;

// Saved together with the core's state: some masters restore right after instantiating.
struct Life {
  double time = 0;  // s, where the next step is expected to begin
  std::uint32_t mode = instantiated;
  std::uint32_t stale = 1;  // 1: the outputs are older than the inputs; only until initialization ends
};

// A saved state. The first word is 0 for masters that free it by its own address instead of their pointer's.
struct Snapshot {
  std::uint64_t zero = 0;
  Life life;
  std::vector<unsigned char> core;
};

// The categories of the model description, and the one that means all of them.
enum Category : std::uint32_t { events = 1, warnings = 2, discards = 4, errors = 8 };
inline constexpr std::uint32_t every_category = events | warnings | discards | errors;

struct Log {
  // Hands a sentence to the master; empty if the master takes none.
  std::function<void(fmi2Status, const char* category, const std::string& sentence)> deliver;
  // What is written: without logging refusals only; with logging everything, or the categories that a master names.
  std::uint32_t categories = discards | errors;

  void turn(bool on) noexcept { categories = on ? every_category : discards | errors; }
  // Returns false, without a change, if one of the names is no category; `unknown` is then that name.
  bool choose(std::size_t n, const fmi2String names[], std::string& unknown);
  bool writes(fmi2Status status) const;  // whether the master hears of it
  // Returns `status`.
  fmi2Status write(fmi2Status status, const std::string& sentence) const;
};

using References = const fmi2ValueReference*;

struct Instance {
  // Reads the scene; returns what is wrong, or nothing.
  std::string load(fmi2String guid, fmi2String resource_location);
  // The two parts of `load`, for a scene in memory: `name` stands for it in sentences.
  std::string read_scene(const unsigned char* bytes, std::size_t size, const std::string& name);
  std::string allocate();
  void reset();

  fmi2Status begin_at(const char* function, double time);
  fmi2Status initialize(const char* function);  // outputs at the present inputs
  fmi2Status step(const char* function, double t, double h);

  // Value: fmi2Real for reals, fmi2Integer for integers
  template <class Value>
  fmi2Status get(const char* function, References vr, std::size_t n, Value value[]);
  template <class Value>
  fmi2Status set(const char* function, References vr, std::size_t n, const Value value[]);
  fmi2Status set_rates(References vr, std::size_t n, const fmi2Integer order[], const fmi2Real value[]);

  fmi2Status save_state(const char* function, fmi2FMUstate* state);
  fmi2Status restore_state(const char* function, fmi2FMUstate state);
  fmi2Status free_state(const char* function, fmi2FMUstate* state);
  fmi2Status serialized_size(const char* function, fmi2FMUstate state, std::size_t* size) const;
  fmi2Status serialize(const char* function, fmi2FMUstate state, fmi2Byte bytes[], std::size_t size) const;
  fmi2Status deserialize(const char* function, const fmi2Byte bytes[], std::size_t size, fmi2FMUstate* state);

  fmi2Status error(const std::string& sentence) const { return log.write(fmi2Error, sentence); }
  fmi2Status error(const char* function, const std::string& what) const { return error(function + (": " + what)); }
  fmi2Status null_array(const char* function) const { return error(function, "an array is null."); }
  fmi2Status refuse(fmi2Status how, const char* function, const Status& status) const;
  std::string named(fmi2ValueReference reference) const;  // name and value reference of a variable, for sentences

  Log log;
  Life life;
  Model model;
  Data data;
  std::vector<Variable> table;  // value references are its indexes
  StateCopy before;  // of the state without friction memory, before a call that may fail
  std::vector<std::unique_ptr<Snapshot>> snapshots;
  std::uint32_t warned = 0;  // which warnings the log has

 private:
  void warn(const char* function);
  template <class Value>
  const Variable* find(const char* function, fmi2ValueReference reference) const;
  Snapshot* find_snapshot(fmi2FMUstate state) const;
};

}  // namespace contactlib::fmi

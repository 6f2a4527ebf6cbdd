// THE VARIABLE TABLE: what a simulation shows to the outside, by name. it serves the fmu's XML, its get and set,
// the pythonfmu slave and `contactlib fmu info` alike.
#pragma once

#include <string>
#include <vector>

#include "state/data.hpp"

namespace contactlib {

enum class Causality : std::int32_t { input, output, parameter };
enum class Type : std::int32_t { real, integer, enumeration };

struct Variable {
  std::string name;         // "peg.r[1]"
  std::string unit;         // "m"; "1" without dimension
  std::string description;
  Causality causality;
  Type type;
  bool tunable;             // parameters: may change during the run
  double start;
  double minimum;           // -inf where there is none
  int choices;              // of an enumeration: how many of its items are allowed, 0 of the rest
  std::int32_t offset;      // place in Data::state; rate_offset likewise, -1 if the input has no derivative
  std::int32_t rate_offset;
  double bound = 0;         // the minimum as one says it: "greater than" it where `above`
  bool above = false;
};

// value references are indexes into this list. enumerations count from 1 at the boundary, from 0 in the state.
std::vector<Variable> variables(const Model& model);

// sets state[offset] if the value is allowed: parameters and inputs only, finite, at or above the minimum or one of the
// choices.
Status set_variable(const Variable& variable, Data& data, double value) noexcept;
// why set_variable does not allow a value, as "must be ..."; empty where it does.
std::string why_not(const Variable& variable, double value);
double get_variable(const Variable& variable, const Data& data) noexcept;

}  // namespace contactlib

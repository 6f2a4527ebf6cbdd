// THE VARIABLE TABLE: all variables of a simulation by name. The FMU's XML, its get and set functions, the pythonfmu
// slave and `contactlib fmu info` use it.
#pragma once

#include <string>
#include <vector>

#include "state/data.hpp"

namespace contactlib::boundary {

using model::Model;
using state::Data;

enum class Causality : std::int32_t { input, output, parameter };
enum class Type : std::int32_t { real, integer };

struct Variable {
  std::string name;         // "peg.r[1]"
  std::string unit;         // "m"; "1" without dimension
  std::string description;
  Causality causality;
  Type type;
  bool tunable;             // parameters: whether they may change during the run
  double start;
  double minimum;           // -inf: no minimum
  int choices;              // of an option: it is an integer from 1 to this; 0 for others
  std::int32_t offset;      // index in Data::state; rate_offset likewise, -1 if the input has no derivative
  std::int32_t rate_offset;
  double bound = 0;         // the minimum in messages: "greater than" it if `above`
  bool above = false;
};

// Value references are indices into this list. Options count from 1 at the boundary and from 0 in the state.
std::vector<Variable> variables(const Model& model);

// Sets state[offset] if the value is allowed: parameters and inputs only, finite, within the minimum or the choices.
Status set_variable(const Variable& variable, Data& data, double value) noexcept;
// The reason why set_variable refuses a value, as "must be ..."; empty if it accepts.
std::string why_not(const Variable& variable, double value);
// A number in a sentence.
std::string said(double value);
double get_variable(const Variable& variable, const Data& data) noexcept;

}  // namespace contactlib::boundary

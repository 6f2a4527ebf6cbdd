// ELEMENTS: whatever acts on bodies besides plain contact. A kind of element is one file: its functions, its tables of
// parameters, commands and outputs, and the row that names them all. No other file of the core names a kind: a row
// registers itself (`RegisteredElement`), and a model file refers to it by its name.
//
// What the functions of a row must do:
// - `read` builds the design from the element's own numbers and trusts none of them. It may add start values of
//   `state`. It runs when a model is read. Only `read` and `scratch` allocate memory.
// - `place` is optional. It sets the states of the driven bodies that the element moves, before contacts are detected.
// - `step` runs after the contacts. It adds wrenches to bodies that sum to zero, the world's included, and writes the
//   outputs and the energies `stored`, `heat` >= 0 and `supply`. The power of the bodies into the element is
//   d(stored)/dt + heat - supply. If the wrench jumps by itself at the end of a step (a motor starts), `step` sets
//   `turns`.
// - `solve` is optional and makes the element implicit. It runs before the bodies move. It computes the wrench over the
//   next step together with the element's own motion, from the present state of the bodies and their motion under all
//   other loads, and adds that wrench. `step` with h > 0 then belongs to the same step: it reads the states after the
//   step, writes `next`, and adds the wrench again for the outputs. Only between these two calls may scratch carry
//   results. Implicit elements need the integrator semi_implicit_euler.
// - An element that watches or leads others stands after them. Its `step` reads their outputs at the end of the step
//   and may write orders for the next step into the `next` of elements that it leads.
// - `admits` decides whether finite numbers are a valid state, because a saved state may come from anywhere. A row
//   whose elements have a state needs it.
// - `place`, `step` and `solve` may run several times from one state (stages of an integrator, trial steps). Persistent
//   state is written to `next`, which becomes `state` when a step of the core ends. With h = 0 only measurements, such
//   as a load, may change. Results depend on `ElementNow` alone; scratch is not a memory.
#pragma once

#include <limits>
#include <string_view>

#include "law/laws.hpp"
#include "model/element.hpp"
#include "state/data.hpp"

namespace contactlib::element {

using law::Parameter, law::unbounded;
using model::BodyState, model::Element, model::ElementScratch, model::Model;
using state::Data, state::ElementEnergy, state::InterfaceMotion, state::Wrench;

// A parameter, command or output. `index` is its enumerator; a table lists its variables in the order of the enum.
struct ElementVariable {
  int index;
  Parameter parameter;
  bool per_port = false;  // one value per port: name[1], name[2], ...
  bool integer = false;  // an integer at the boundary
};

struct ElementVariables {
  const ElementVariable* rows = nullptr;
  int count = 0;
  int single = 0;  // the first rows, which have one value; the others have one per port

  const ElementVariable* begin() const noexcept { return rows; }
  const ElementVariable* end() const noexcept { return rows + count; }
  // where the values of a variable begin
  std::size_t place(int index, std::int32_t ports) const noexcept {
    return index <= single ? index : single + static_cast<std::size_t>(index - single) * ports;
  }
};

void table_does_not_match_its_enum();  // never defined: a call ends the compilation

// A table of variables. It compiles only if row i is enumerator i, no enumerator is left out, and variables with one
// value per port come last.
template <int size>
constexpr ElementVariables list(const ElementVariable (&rows)[size], int enumerators) {
  int single = 0;
  for (int i = 0; i < size; ++i) {
    if (rows[i].index != i || (!rows[i].per_port && single != i)) table_does_not_match_its_enum();
    if (!rows[i].per_port) ++single;
  }
  if (size != enumerators) table_does_not_match_its_enum();
  return {rows, size, single};
}

inline constexpr bool per_port = true, integer = true;

// An element at one instant. `k` is the number of one of its bodies.
struct ElementNow {
  const Model& model;
  const Element& element;
  Data& data;
  InterfaceMotion motion;  // how this step moves interface bodies
  double h;  // s, since `state` was written; 0 evaluates without a step
  const double* parameters;  // by enumerator, as are commands, command_rates and outputs of one value
  const double* commands;  // at this instant, with command_rates applied
  const double* command_rates;  // 1/s
  const double* state;
  double* next;  // the state after h; initially a copy of `state`
  double* outputs;
  ElementEnergy& energy;
  ElementScratch* scratch;

  BodyState body(int k) const noexcept;
  Mat3 rotation(int k) const noexcept;  // in `step` only
  void add(int k, const Wrench& wrench_W) const noexcept;  // in `step`; about the body's origin
  void put(int k, const BodyState& state) const noexcept;  // in `place`; driven bodies only
  ElementNow other(std::int32_t i) const noexcept;  // in `step`; an element that it watches or leads
  double* output(int index) const noexcept;  // of any output; `ports` values of one with `per_port`
};

// Reads an element's own numbers in a model file one after the other; returns false when none are left.
class ElementRecord {
 public:
  ElementRecord(const double* numbers, std::size_t number_count, const std::int32_t* integers,
                std::size_t integer_count) noexcept
      : numbers_(numbers), integers_(integers), number_count_(number_count), integer_count_(integer_count) {}

  bool numbers(double* out, std::size_t count) noexcept;  // finite ones
  bool integers(std::int32_t* out, std::size_t count) noexcept;
  bool integer(std::int32_t low, std::int32_t high, std::int32_t& out) noexcept;
  bool numbers(std::size_t count, std::vector<double>& out);
  bool integers(std::size_t count, std::vector<std::int32_t>& out);
  bool finished() const noexcept { return number_count_ == 0 && integer_count_ == 0; }

 private:
  const double* numbers_;
  const std::int32_t* integers_;
  std::size_t number_count_, integer_count_;
};

// Whether `heat` and `supply` are values at an instant or means over the last step, which decides how they are
// integrated. Implicit elements have means.
enum class ElementPower { instant, mean };

// Whether a command that jumps changes the element at once, so that its stored energy jumps too.
enum class ElementJump { moves, waits };

struct ElementRow {
  const char* name = nullptr;
  const char* failure = nullptr;  // why `step` may fail; printed after "element 'x' cannot go on: "
  const char* port = nullptr;  // the word for a port
  const char* port_failure = nullptr;  // why `step` may fail at a port; printed after the port's word and number
  ElementVariables parameters, commands, outputs;
  bool (*read)(ElementRecord& record, const Model& model, Element& out) = nullptr;
  std::unique_ptr<ElementScratch> (*scratch)(const Element& element) = nullptr;  // optional
  void (*place)(const ElementNow& now) noexcept = nullptr;  // optional
  Status (*step)(const ElementNow& now) noexcept = nullptr;  // a bad status: `port`, or -1
  Status (*solve)(const ElementNow& now) noexcept = nullptr;  // optional
  ElementPower power = ElementPower::instant;
  ElementJump jump = ElementJump::moves;
  // Whether the element reads contacts or other loads of bodies that it does not drive. Only the description of an FMU
  // uses it: false gives the outputs fewer dependencies.
  bool reads_loads = true;
  // Whether it holds bodies rigidly: such forces do no work, but for the error of the steps, which is judged by the change
  // of the bodies' kinetic energy.
  bool rigid = false;
  // Whether it reads the states of bodies that are not its own, as a sensor does; for the same description.
  bool reads_states = false;
  bool (*admits)(const Element& element, const double* state) noexcept = nullptr;
  // optional: the number of a parameter that contradicts another one, or -1, and the rule, printed after its name
  std::int32_t (*fault)(const Element& element, const double* parameters) noexcept = nullptr;
  const char* rule = nullptr;
  // optional: the output that counts the steps in which a solver reached its limit; max_iterations sets this limit
  int limit_output = -1;
};

// Registers a row when the library is loaded. A kind has one object of this type beside its row.
class RegisteredElement {
 public:
  explicit RegisteredElement(const ElementRow& row) noexcept;
};

// All registered rows, sorted by name, so that their order does not depend on the linker.
struct ElementRows {
  const ElementRow* const* rows;
  int count;

  const ElementRow* find(std::string_view name) const noexcept;  // or null
};
ElementRows element_rows() noexcept;

inline const ElementRow& row_of(const Element& element) noexcept { return *element.row; }

// The number of values of an element's variables.
std::size_t width(const ElementVariables& variables, std::int32_t ports) noexcept;

// Sets the commands to their values `tau` (s) after they were given.
void extrapolate_commands(const Model& model, Data& data, double tau) noexcept;

// Run `place` and `step` of all elements, in the order of the model.
void place_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;
Status step_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// Runs before the bodies move: replaces the reported wrenches of implicit elements by those over the next step.
Status solve_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// Whether some element holds bodies rigidly.
bool holds_rigidly(const Model& model) noexcept;

// Whether a model has implicit elements.
bool solves(const Model& model) noexcept;

// Whether a model has elements with a limit of iterations; the number of steps of an element that reached this limit.
bool has_iteration_limit(const Model& model) noexcept;
double limited_steps(const Model& model, const Data& data, std::size_t i) noexcept;

// One term of an integral over time: adds heat and supply times a weight (s). The weight is `part` for values at an
// instant and `whole` for means over the last step.
void add_energy(const Model& model, Data& data, double part, double whole) noexcept;

// Adds the stored energy times a sign to the supplied energy.
void supply_stored(const Model& model, Data& data, double sign) noexcept;

// After an evaluation with h = 0: the measurements become the state for the next step.
void keep_evaluation(const Model& model, Data& data) noexcept;

// At the end of a step of the core: `next` becomes the state, and the commands are stored.
void keep_states(const Model& model, Data& data) noexcept;

// After a run of sub-steps that is no trial: elements keep of the last one what users read besides the state.
void accept_steps(Data& data) noexcept;

// Whether the wrench of some element changes by itself at the end of this step.
bool element_turns(const Model& model, Data& data) noexcept;

// Whether a command differs from its value at the end of the last step, apart from rounding.
bool commands_jumped(const Model& model, const Data& data) noexcept;

// Exchanges the present commands with those of the last step.
void swap_commands(const Model& model, Data& data) noexcept;

}  // namespace contactlib::element

// THE ELEMENT TABLE: what acts on bodies besides plain contact. one row a kind of element; the row also tells python
// and the fmu which parameters, commands and outputs there are. no other file of the core names a kind.
//
// the contract of a row:
// - `read` makes the design from the element's own numbers, trusting none of them; it may also add start values of
//   `state`. it runs when a model is read; it and `scratch` are the only ones that allocate.
// - `place`, where there is one, puts the driven bodies that the element moves, before contacts are looked for.
// - `step` runs after the contacts. it adds wrenches to bodies, equal and opposite ones, the world's included, and
//   writes its outputs and its energies: `stored`, `heat` >= 0 and `supply`. what the bodies put in is
//   d(stored)/dt + heat - supply.
//   where its wrench jumps by itself at the end of a step, as when a motor starts, it says so in `turns`.
// - `solve`, where there is one, makes the element implicit: before the bodies move it finds its wrench over the step
//   to come together with its own motion, from where the bodies are and how they will move under all other loads, and
//   adds that wrench. `step` with h > 0 then follows the same step's `solve`: it sees the bodies where the step has
//   brought them, writes `next`, and adds the wrench of the step once more, as what is reported. between the two, and
//   only there, scratch may carry results. implicit elements go with semi-implicit euler.
// - an element that watches or leads others stands after them: its `step` finds what they show at the end of the step,
//   and may write orders into the `next` of those that it leads, for the step to come.
// - `admits` says whether numbers are a state of such an element: a saved one may come from anywhere. they are finite.
//   a row whose elements have a state has one.
// - both may be called many times from one state (stages of an integrator, trials): what is to last goes into `next`,
//   which becomes `state` where a step of the core ends. with h = 0 that is nothing but what it measures, such as a
//   load. results depend on what `ElementNow` shows and on nothing else: scratch is no memory.
#pragma once

#include "law/laws.hpp"
#include "model/element.hpp"
#include "state/data.hpp"

namespace contactlib::element {

using law::Parameter;
using model::BodyState, model::Element, model::ElementScratch, model::Model;
using state::Data, state::ElementEnergy, state::InterfaceMotion, state::Wrench;

// a parameter, command or output. `each`: one per port, name[1], name[2], ...
struct ElementVariable {
  Parameter parameter;
  bool each = false;
  bool whole = false;  // an integer at the boundary
};

// an element at one instant. `k` counts its bodies.
struct ElementNow {
  const Model& model;
  const Element& element;
  Data& data;
  InterfaceMotion motion;       // how this step moves interface bodies
  double h;                     // s, since `state` was written; 0 evaluates without advancing
  const double* parameters;
  const double* commands;       // now, command_rates included
  const double* command_rates;  // 1/s
  const double* state;
  double* next;                 // the state after h; a copy of `state` to begin with
  double* outputs;
  ElementEnergy& energy;
  ElementScratch* scratch;

  BodyState body(int k) const noexcept;
  Mat3 rotation(int k) const noexcept;                     // in `step` only
  void add(int k, const Wrench& wrench_W) const noexcept;  // in `step`; about the body's origin
  void put(int k, const BodyState& state) const noexcept;  // in `place`; driven bodies only
  ElementNow other(std::int32_t i) const noexcept;         // in `step`; an element that it watches or leads
};

// an element's own numbers in a model file, taken one after the other; false where there are no more.
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

struct ElementVariables {
  const ElementVariable* rows = nullptr;
  int count = 0;

  const ElementVariable* begin() const noexcept { return rows; }
  const ElementVariable* end() const noexcept { return rows + count; }
};

// what an element's `heat` and `supply` are, and so how they add up: values at an instant, or means over the step that
// is over. implicit elements have means.
enum class ElementPower { instant, mean };

// whether a command that jumps moves the element at once, so that what it stores jumps too.
enum class ElementJump { moves, waits };

struct ElementRow {
  const char* name;
  const char* failure;       // why `step` may fail, said after "element 'x' cannot go on: "
  const char* port;          // what a port is called,
  const char* port_failure;  // and why it may fail at one, said after its name and number
  ElementVariables parameters, commands, outputs;
  bool (*read)(ElementRecord& record, const Model& model, Element& out);
  std::unique_ptr<ElementScratch> (*scratch)(const Element& element);
  void (*place)(const ElementNow& now) noexcept;  // or null
  Status (*step)(const ElementNow& now) noexcept;  // a bad status: `port`, or -1
  Status (*solve)(const ElementNow& now) noexcept = nullptr;
  ElementPower power = ElementPower::instant;
  ElementJump jump = ElementJump::moves;
  bool (*admits)(const Element& element, const double* state) noexcept = nullptr;
  // parameters that do not go together: the number of the wrong one, or -1; and what they must do, said after its name
  std::int32_t (*fault)(const Element& element, const double* parameters) noexcept = nullptr;
  const char* rule = nullptr;
};

// rows [0, element_row_count)
const ElementRow* element_rows() noexcept;
extern const int element_row_count;

inline const ElementRow& row_of(const Element& element) noexcept { return element_rows()[element.row]; }

// how many numbers the variables of an element take.
std::size_t width(const ElementVariables& variables, std::int32_t ports) noexcept;

// commands as they are `tau` after they were given.
void extrapolate_commands(const Model& model, Data& data, double tau) noexcept;

// every element's driven bodies, then every element's wrenches, in the order of the model.
void place_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;
Status step_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// before the bodies move: replaces what implicit elements reported by their wrenches over the step to come.
Status solve_elements(const Model& model, Data& data, InterfaceMotion motion, double h) noexcept;

// whether a model has implicit elements.
bool solves(const Model& model) noexcept;

// a part of an integral over time: adds heat and supply, times a weight (s): `part` of those that are values at
// instants, `whole` of those that are means over the step that is over.
void add_energy(const Model& model, Data& data, double part, double whole) noexcept;

// adds what is stored, times a sign, to what was supplied.
void supply_stored(const Model& model, Data& data, double sign) noexcept;

// after an evaluation with h = 0: what elements measured becomes their state, for the step to come.
void keep_evaluation(const Model& model, Data& data) noexcept;

// where a step of the core ends: `next` becomes the state, and commands are held.
void keep_states(const Model& model, Data& data) noexcept;

// whether what some element does changes by itself where this step ends.
bool element_turns(const Model& model, Data& data) noexcept;

// whether a command is not what it was when the last step ended; one that came by its rate is, but for rounding.
bool commands_jumped(const Model& model, const Data& data) noexcept;

// puts the commands of the last step in the place of those of now, and the other way round.
void swap_commands(const Model& model, Data& data) noexcept;

}  // namespace contactlib::element

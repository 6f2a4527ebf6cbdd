#include "interface.hpp"

#include <cmath>
#include <limits>
#include <new>

#include "coupling.hpp"
#include "element/elements.hpp"
#include "ranges.hpp"

namespace contactlib {

namespace {

constexpr double unbounded = -std::numeric_limits<double>::infinity();

class Table {
 public:
  explicit Table(const Model& model) : model_(model) {
    if (!data_.make(model)) throw std::bad_alloc();
  }

  std::vector<Variable> rows() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].motion == Motion::external) inputs_of(i);
    for (std::size_t i = 0; i < model_.elements.size(); ++i) commands_of(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) outputs_of(i);
    summary();
    for (std::size_t i = 0; i < model_.elements.size(); ++i) element_outputs(i);
    for (std::size_t i = 0; i < model_.laws.size(); ++i) parameters_of(i);
    for (std::size_t i = 0; i < model_.elements.size(); ++i) element_parameters(i);
    options();
    return std::move(rows_);
  }

 private:
  void add(const std::string& name, const char* unit, const std::string& description, Causality causality,
           std::size_t offset, std::int32_t rate_offset = -1) {
    const bool parameter = causality == Causality::parameter;
    rows_.push_back({name, unit, description, causality, Type::real, parameter, data_.state[offset], unbounded, 0,
                     static_cast<std::int32_t>(offset), rate_offset});
  }

  void vector(const std::string& name, int size, const char* unit, const std::string& description, Causality causality,
              std::size_t offset, std::size_t rates = 0) {
    for (int k = 0; k < size; ++k)
      add(name + "[" + std::to_string(k + 1) + "]", unit, description, causality, offset + k,
          rates ? static_cast<std::int32_t>(rates) + k : -1);
  }

  void inputs_of(std::size_t i) {
    const std::string& body = model_.bodies[i].name;
    const std::size_t at = data_.inputs_at + i * state_width, rates = data_.rates_at + i * wrench_width;
    vector(body + ".r", 3, "m", "position of the origin, world axes", Causality::input, at);
    vector(body + ".q", 4, "1", "attitude, body to world, scalar first", Causality::input, at + 3);
    vector(body + ".v", 3, "m/s", "velocity of the origin, world axes", Causality::input, at + 7, rates);
    vector(body + ".w", 3, "rad/s", "angular velocity, axes: resolve_in", Causality::input, at + 10, rates + 3);
  }

  void outputs_of(std::size_t i) {
    const Body& body = model_.bodies[i];
    const std::size_t at = data_.outputs_at + i * wrench_width;
    vector(body.name + ".f", 3, "N", "force of contacts and elements, axes: resolve_in", Causality::output, at);
    vector(body.name + ".t", 3, "N.m", "torque of contacts and elements about the origin, axes: resolve_in",
           Causality::output, at + 3);
    if (body.motion != Motion::free) return;
    const std::size_t state = data_.reports_at + i * state_width;
    vector(body.name + ".r", 3, "m", "position of the origin, world axes", Causality::output, state);
    vector(body.name + ".q", 4, "1", "attitude, body to world, scalar first", Causality::output, state + 3);
    vector(body.name + ".v", 3, "m/s", "velocity of the origin, world axes", Causality::output, state + 7);
    vector(body.name + ".w", 3, "rad/s", "angular velocity, axes: resolve_in", Causality::output, state + 10);
  }

  // where a member of the globals stands in the state block
  std::size_t place(const double& member) const noexcept {
    return static_cast<std::size_t>(&member - data_.state.data());
  }

  void summary() {
    const Globals& g = data_.globals();
    add("contact.count", "1", "touching places", Causality::output, place(g.contact_count));
    rows_.back().type = Type::integer;
    add("contact.max_depth", "m", "deepest penetration", Causality::output, place(g.max_depth));
    add("contact.energy_stored", "J", "elastic energy in the contacts", Causality::output, place(g.energy_stored));
    add("contact.energy_dissipated", "J", "energy that contacts turned into heat so far", Causality::output,
        place(g.energy_dissipated));
  }

  template <class Row>
  void parameters_of(const std::string& law, const Row& row, std::size_t at) {
    for (int k = 0; k < row.count; ++k) {
      const Parameter& p = row.parameters[k];
      add(law + "." + p.name, p.unit, std::string(row.name) + ": " + p.meaning, Causality::parameter, at + k);
      rows_.back().minimum = lowest(p);
    }
  }

  static double lowest(const Parameter& p) noexcept {
    return p.above_minimum ? std::nextafter(p.minimum, p.minimum + 1.0) : p.minimum;
  }

  void parameters_of(std::size_t i) {
    const Law& law = model_.laws[i];
    std::size_t at = data_.laws_at + i * law_parameters;
    parameters_of(law.name, normal_laws[law.normal], at);
    parameters_of(law.name, friction_laws[law.friction], at += max_normal_parameters);
    parameters_of(law.name, adhesion_laws[law.adhesion], at += max_friction_parameters);
    parameters_of(law.name, rolling_laws[law.rolling], at += max_adhesion_parameters);
    if (!law.is_foreign()) parameters_of(law.name, contact_models[law.model], at += max_rolling_parameters);
  }

  void element_variables(const Element& element, const ElementVariables& variables, Causality causality, std::size_t at,
                         std::size_t rates = 0) {
    for (const ElementVariable& variable : variables) {
      const Parameter& p = variable.parameter;
      const int count = variable.each ? element.ports : 1;
      const std::string name = element.name + "." + p.name;
      const std::size_t first = rows_.size();
      if (variable.each)
        vector(name, count, p.unit, p.meaning, causality, at, rates);
      else
        add(name, p.unit, p.meaning, causality, at, rates ? static_cast<std::int32_t>(rates) : -1);
      for (std::size_t i = first; i < rows_.size(); ++i) {
        if (variable.whole) rows_[i].type = Type::integer;
        if (causality != Causality::output) rows_[i].minimum = lowest(p);
      }
      at += count;
      if (rates) rates += count;
    }
  }

  void commands_of(std::size_t i) {
    const ElementSlots& at = data_.elements[i];
    element_variables(model_.elements[i], row_of(model_.elements[i]).commands, Causality::input, at.commands, at.rates);
  }

  void element_outputs(std::size_t i) {
    const std::string& name = model_.elements[i].name;
    const ElementEnergy& energy = data_.energy(i);
    element_variables(model_.elements[i], row_of(model_.elements[i]).outputs, Causality::output,
                      data_.elements[i].outputs);
    add(name + ".stored_energy", "J", "energy that it could give back", Causality::output, place(energy.stored));
    add(name + ".dissipated_energy", "J", "energy turned into heat so far", Causality::output,
        place(energy.dissipated));
    add(name + ".supplied_energy", "J", "energy that commands put in so far", Causality::output,
        place(energy.supplied));
  }

  void element_parameters(std::size_t i) {
    element_variables(model_.elements[i], row_of(model_.elements[i]).parameters, Causality::parameter,
                      data_.elements[i].parameters);
  }

  void options() {
    const Globals& g = data_.globals();
    add("step_size", "s", "longest step of the core within a communication step", Causality::parameter,
        place(g.step_size));
    rows_.back().minimum = std::numeric_limits<double>::min();
    choice("resolve_in", "axes of w, force and torque", g.resolve_in, 2, false);
    choice("wrench_output", "wrench at the end of a communication step, or its mean", g.wrench_output, 2, false);
    choice("coupling", "how the master takes wrenches of bodies with a mass", g.coupling,
           has_interfaces(model_) ? 3 : 1, true);
  }

  void choice(const char* name, const char* description, const double& member, int choices, bool tunable) {
    add(name, "1", description, Causality::parameter, place(member));
    rows_.back().type = Type::enumeration;
    rows_.back().choices = choices;
    rows_.back().tunable = tunable;
  }

  const Model& model_;
  Data data_;
  std::vector<Variable> rows_;
};

}  // namespace

std::vector<Variable> variables(const Model& model) { return Table(model).rows(); }

Status set_variable(const Variable& variable, Data& data, double value) noexcept {
  const Status bad{Code::bad_argument, variable.offset};
  if (variable.causality == Causality::output || !std::isfinite(value)) return bad;
  if (variable.type == Type::enumeration) {
    if (!(value >= 1.0 && value <= variable.choices) || value != std::floor(value)) return bad;
    value -= 1.0;
  }
  if (value < variable.minimum) return bad;
  if (variable.type == Type::integer && !(std::abs(value) <= ranges::last_integer)) return bad;
  data.state[variable.offset] = value;
  if (variable.rate_offset >= 0) data.state[variable.rate_offset] = 0.0;
  data.globals().fresh = 0.0;
  return {};
}

double get_variable(const Variable& variable, const Data& data) noexcept {
  return data.state[variable.offset] + (variable.type == Type::enumeration ? 1.0 : 0.0);
}

}  // namespace contactlib

#include "interface.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "element/elements.hpp"
#include "math/elementary.hpp"

namespace contactlib::boundary {

using element::ElementVariable, element::ElementVariables, element::has_iteration_limit, element::row_of;
using law::Parameter, law::adhesion_laws, law::contact_models, law::friction_laws, law::law_parameters,
    law::max_adhesion_parameters, law::max_friction_parameters, law::max_normal_parameters, law::max_rolling_parameters,
    law::normal_laws, law::rolling_laws, law::unbounded;
using model::Body, model::Element, model::Law, model::MassProperties, model::Motion, model::state_width;
using state::ElementEnergy, state::ElementSlots, state::Globals, state::Interface, state::Peak, state::has_interfaces,
    state::wrench_width;

namespace {

class Table {
 public:
  explicit Table(const Model& model) : model_(model) {
    if (!data_.make(model)) throw std::bad_alloc();
  }

  std::vector<Variable> rows() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].motion == Motion::external) inputs_of(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].motion == Motion::free) loads_of(i);
    for (std::size_t i = 0; i < model_.elements.size(); ++i) commands_of(i);
    if (has_interfaces(model_)) next_step();
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) outputs_of(i);
    summary();
    for (std::size_t i = 0; i < model_.elements.size(); ++i) element_outputs(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].motion == Motion::free) starts_of(i);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].interface()) mass_properties_of(i);
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

  // Descriptions stand alone: quantity, component, whose, in which axes, at which time.
  struct Quantity {
    const char* what;
    std::string whose;
  };

  void vector(const std::string& name, const char* unit, const Quantity& quantity, Causality causality,
              std::size_t offset, std::size_t rates = 0) {
    constexpr const char* axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k)
      add(indexed(name, k), unit, std::string(quantity.what) + " " + axes[k] + " of " + quantity.whose, causality,
          offset + k, rates ? static_cast<std::int32_t>(rates) + k : -1);
  }

  void quaternion(const std::string& name, const std::string& whose, Causality causality, std::size_t offset) {
    constexpr const char* parts[] = {"scalar part", "vector part x", "vector part y", "vector part z"};
    for (int k = 0; k < 4; ++k)
      add(indexed(name, k), "1", std::string("quaternion (body to world), ") + parts[k] + ", of " + whose, causality,
          offset + k);
  }

  // Inserts the owner of a variable before the explanation that follows a colon or a semicolon.
  static std::string with_owner(const std::string& meaning, const std::string& owner) {
    const std::size_t at = std::min(meaning.find_first_of(":;"), meaning.size());
    return meaning.substr(0, at) + ", " + owner + meaning.substr(at);
  }

  static std::string indexed(const std::string& name, int k) { return name + "[" + std::to_string(k + 1) + "]"; }

  // Position, attitude, velocity and angular velocity of a body, at `time`.
  void state_of(const std::string& body, const char* suffix, const std::string& time, Causality causality,
                std::size_t at, std::size_t rates = 0) {
    const std::string name = "body '" + body + "'", after = ", " + time;
    vector(body + ".r" + suffix, "m", {"position", "the origin of " + name + " in world axes" + after}, causality, at);
    quaternion(body + ".q" + suffix, name + after, causality, at + 3);
    vector(body + ".v" + suffix, "m/s", {"velocity", "the origin of " + name + " in world axes" + after}, causality,
           at + 7, rates);
    vector(body + ".w" + suffix, "rad/s", {"angular velocity", name + " in the axes of resolve_in" + after}, causality,
           at + 10, rates ? rates + 3 : 0);
  }

  void inputs_of(std::size_t i) {
    state_of(model_.bodies[i].name, "", "at the communication point", Causality::input,
             data_.inputs_at + i * state_width, data_.rates_at + i * wrench_width);
  }

  void next_step() {
    add("next_step", "s",
        "length of the communication step after the one that begins at the communication point; at the start: of the "
        "first one; 0: unknown; only for coupling = jacobi",
        Causality::input, place(data_.globals().next_step));
    rows_.back().minimum = 0.0;
  }

  void starts_of(std::size_t i) {
    const std::size_t first = rows_.size();
    state_of(model_.bodies[i].name, "_start", "at the start", Causality::parameter, data_.starts_at + i * state_width);
    for (std::size_t k = first; k < rows_.size(); ++k) rows_[k].tunable = false;
  }

  void mass_properties_of(std::size_t i) {
    constexpr const char* elements[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const std::string &name = model_.bodies[i].name, whose = "body '" + name + "'";
    const MassProperties& now = data_.mass_properties()[i];
    add(name + ".mass", "kg", "mass of " + whose + ", with which coupling predicts the motion", Causality::parameter,
        place(now.mass));
    bound(rows_.back(), 0.0, true);
    vector(name + ".com", "m", {"position", "the centre of mass of " + whose + " in body axes"}, Causality::parameter,
           place(now.p_BBcm[0]));
    for (int k = 0; k < 6; ++k)
      add(indexed(name + ".inertia", k), "kg.m^2",
          std::string("inertia ") + elements[k] + " of " + whose +
              " about the centre of mass, in body axes: an element of the symmetric matrix",
          Causality::parameter, place(now.moments[0]) + k);
  }

  void loads_of(std::size_t i) {
    const std::string& body = model_.bodies[i].name;
    const std::size_t at = data_.loads_at + i * wrench_width, rates = data_.rates_at + i * wrench_width;
    const std::string whose = "body '" + body + "' in the axes of resolve_in, at the communication point";
    vector(body + ".f_ext", "N", {"external force", "the master at the origin of " + whose}, Causality::input, at,
           rates);
    vector(body + ".t_ext", "N.m", {"external torque", "the master about the origin of " + whose}, Causality::input,
           at + 3, rates + 3);
  }

  void outputs_of(std::size_t i) {
    const Body& body = model_.bodies[i];
    const std::size_t at = data_.outputs_at + i * wrench_width;
    const std::string whose =
        "body '" + body.name +
        "' in the axes of resolve_in, at the end of the step or mean over the step (wrench_output)";
    vector(body.name + ".f", "N", {"force", "contacts and elements at the origin of " + whose}, Causality::output, at);
    vector(body.name + ".t", "N.m", {"torque", "contacts and elements about the origin of " + whose}, Causality::output,
           at + 3);
    const std::string of = " of body '" + body.name + "'";
    const Peak& peak = data_.peaks()[i];
    add(body.name + ".force_peak", "N", "largest force of contacts and elements" + of + " in the last step",
        Causality::output, place(peak.force));
    add(body.name + ".force_peak_time", "s", "time of the largest force" + of + " in the last step", Causality::output,
        place(peak.time));
    if (body.interface()) interface_of(of, i);
    if (body.motion != Motion::free) return;
    state_of(body.name, "", "at the end of the step", Causality::output, data_.reports_at + i * state_width);
  }

  void interface_of(const std::string& of, std::size_t i) {
    const Interface& interface = data_.interfaces()[i];
    const std::string& name = model_.bodies[i].name;
    add(name + ".energy_error", "J",
        "energy error" + of + " so far: created by the wrenches that the master holds; negative: lost",
        Causality::output, place(interface.energy_error));
    add(name + ".recommended_step", "s",
        "time 1/w" + of + ", w of its stiffest contact so far: the recommended communication step; 0: unknown",
        Causality::output, place(interface.recommended_step));
  }

  // The index of a member of the globals in the state block.
  std::size_t place(const double& member) const noexcept {
    return static_cast<std::size_t>(&member - data_.state.data());
  }

  void counter(const char* name, const char* description, const double& member) {
    add(name, "1", description, Causality::output, place(member));
    rows_.back().type = Type::integer;
  }

  void summary() {
    const Globals& g = data_.globals();
    counter("contact.count", "number of contacts at the end of the step", g.contact_count);
    counter("contact.deep", "number of contacts at the end of the step that are deeper than their force is defined for",
            g.deep_count);
    add("contact.max_depth", "m", "largest penetration depth of all contacts at the end of the step", Causality::output,
        place(g.max_depth));
    add("contact.energy_stored", "J", "elastic energy of all contacts at the end of the step", Causality::output,
        place(g.energy_stored));
    add("contact.energy_dissipated", "J", "energy dissipated by all contacts so far", Causality::output,
        place(g.energy_dissipated));
    add("contact.energy_error", "J",
        "energy error of contacts and elements so far; positive: energy was created, negative: energy was lost by the "
        "step size",
        Causality::output, place(g.energy_error));
    if (model_.options.auto_step) {
      counter(
          "contact.sub_steps",
          "number of sub-steps of the core in the last step, with predictions of coupling and without refused trials",
          g.sub_steps);
      counter("contact.sub_step_limit_reached", "number of steps so far that max_sub_steps limited",
              g.sub_step_limit_reached);
    }
    if (!has_interfaces(model_)) return;
    add("coupling.consistency", "1",
        "consistency of the inputs with the order of stepping of coupling so far: part of the changes of momenta that "
        "the order explains; 1: all",
        Causality::output, place(data_.exchange().consistency));
  }

  template <class Row>
  void parameters_of(const std::string& law, const Row& row, std::size_t at) {
    for (int k = 0; k < row.count; ++k) {
      const Parameter& p = row.parameters[k];
      add(law + "." + p.name, p.unit, with_owner(p.meaning, "law '" + law + "' (" + row.name + ")"),
          Causality::parameter, at + k);
      bound(rows_.back(), p.minimum, p.above_minimum);
    }
  }

  static void bound(Variable& variable, double minimum, bool above) noexcept {
    variable.minimum = above ? math::nextafter(minimum, minimum + 1.0) : minimum;
    variable.bound = minimum;
    variable.above = above;
  }

  void parameters_of(std::size_t i) {
    const Law& law = model_.laws[i];
    std::size_t at = data_.laws_at + i * law_parameters;
    parameters_of(law.name, normal_laws[law.normal], at);
    parameters_of(law.name, friction_laws[law.friction], at += max_normal_parameters);
    parameters_of(law.name, adhesion_laws[law.adhesion], at += max_friction_parameters);
    parameters_of(law.name, rolling_laws[law.rolling], at += max_adhesion_parameters);
    if (!law.is_user_law()) parameters_of(law.name, contact_models[law.model], at += max_rolling_parameters);
  }

  void element_variables(const Element& element, const ElementVariables& variables, Causality causality, std::size_t at,
                         std::size_t rates = 0) {
    for (const ElementVariable& variable : variables) {
      const Parameter& p = variable.parameter;
      const int count = variable.per_port ? element.ports : 1;
      const std::string name = element.name + "." + p.name;
      for (int k = 0; k < count; ++k) {
        std::string owner = "element '" + element.name + "'";
        if (variable.per_port) owner = row_of(element).port + (" " + std::to_string(k + 1)) + " of " + owner;
        if (causality == Causality::input) owner += ", at the communication point";
        add(variable.per_port ? indexed(name, k) : name, p.unit, with_owner(p.meaning, owner), causality, at + k,
            rates ? static_cast<std::int32_t>(rates) + k : -1);
        if (variable.integer) rows_.back().type = Type::integer;
        if (causality != Causality::output) bound(rows_.back(), p.minimum, p.above_minimum);
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
    const std::string whose = " element '" + name + "'";
    add(name + ".stored_energy", "J", "energy stored in" + whose + " at the end of the step", Causality::output,
        place(energy.stored));
    add(name + ".dissipated_energy", "J", "energy dissipated by" + whose + " so far", Causality::output,
        place(energy.dissipated));
    add(name + ".supplied_energy", "J", "energy supplied by the commands of" + whose + " so far", Causality::output,
        place(energy.supplied));
  }

  void element_parameters(std::size_t i) {
    element_variables(model_.elements[i], row_of(model_.elements[i]).parameters, Causality::parameter,
                      data_.elements[i].parameters);
  }

  void options() {
    const Globals& g = data_.globals();
    add("step_size", "s", "upper limit of the core's step within a communication step", Causality::parameter,
        place(g.step_size));
    rows_.back().minimum = std::numeric_limits<double>::min();
    rows_.back().above = true;
    if (model_.options.auto_step)
      choice(
          "auto_step",
          "length of the core's steps within a communication step: 1: equal steps of at most step_size, 2: as contact "
          "needs, at most step_size",
          g.auto_step, 2, true);
    choice("resolve_in", "axes of angular velocities, forces and torques", g.resolve_in, 2, false);
    choice("wrench_output", "time of the wrench outputs: the end of the communication step, or the mean over the step",
           g.wrench_output, 2, false);
    choice("coupling",
           "coupling of external bodies with a mass: the order in which the master exchanges states and wrenches",
           g.coupling, has_interfaces(model_) ? 3 : 1, true);
    if (model_.options.auto_step)
      limit("max_sub_steps", "limit of the sub-steps and refused trials of a communication step: 0: none",
            g.max_sub_steps);
    if (has_iteration_limit(model_))
      limit("max_iterations", "limit of the iterations of a cable solver in a sub-step: 0: none", g.max_iterations);
    if (!has_interfaces(model_)) return;
    add("mass_tolerance", "1",
        "largest ratio of the masses of external bodies to their true values, for the first contact with coupling",
        Causality::parameter, place(g.mass_tolerance));
    bound(rows_.back(), 1.0, false);
  }

  void limit(const char* name, const char* description, const double& member) {
    add(name, "1", description, Causality::parameter, place(member));
    rows_.back().type = Type::integer;
    bound(rows_.back(), 0.0, false);
  }

  void choice(const char* name, const char* description, const double& member, int choices, bool tunable) {
    add(name, "1", description, Causality::parameter, place(member));
    rows_.back().type = Type::integer;
    rows_.back().minimum = 1.0;
    rows_.back().choices = choices;
    rows_.back().tunable = tunable;
  }

  const Model& model_;
  Data data_;
  std::vector<Variable> rows_;
};

}  // namespace

std::vector<Variable> variables(const Model& model) { return Table(model).rows(); }

}  // namespace contactlib::boundary

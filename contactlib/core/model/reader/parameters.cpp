#include "parameters.hpp"

#include <cstdio>
#include <cstring>

#include "element/elements.hpp"

namespace contactlib::reader {

using element::ElementRow, element::row_of;
using law::contact_models, law::friction_laws, law::law_parameters, law::max_model_parameters,
    law::max_normal_parameters;
using model::Element, model::InertiaFault, model::MassProperties, model::inertia_fault, model::mass_properties_of;
using state::has_interfaces;

namespace {

// Index of the parameter of a row, counted from `first`; -1 if the row has none of that name.
template <class Row>
std::int32_t place(const Row& row, const char* name, std::int32_t first) noexcept {
  for (int k = 0; k < row.count; ++k)
    if (std::strcmp(row.parameters[k].name, name) == 0) return first + k;
  return -1;
}

constexpr std::int32_t friction_at = max_normal_parameters, model_at = law_parameters - max_model_parameters;

std::string text(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.9g", value);
  return out;
}

std::string law_sentence(const Status& status, const Law& law, const double* values) {
  const auto is = [&](std::int32_t at) { return values ? " = " + text(values[at]) : std::string(); };
  if (status.port == law.rules.direction) return law.name + ".direction: must not be zero";
  return law.name + ".mu_kinetic" + is(law.rules.mu_kinetic) + ": must not exceed " + law.name + ".mu_static" +
         is(law.rules.mu_static);
}

std::string element_sentence(const Status& status, const Element& element, const double* values) {
  const ElementRow& row = row_of(element);
  if (status.port < 0 || status.port >= row.parameters.count) return element.name + ": " + row.rule;
  std::string name = element.name + "." + row.parameters.rows[status.port].parameter.name;
  if (values) name += " = " + text(values[status.port]);
  return name + ": " + row.rule;
}

std::string inertia_sentence(const Status& status, const std::string& body, const MassProperties* values) {
  std::string sentence = body + ".inertia";
  if (values) {
    const Vec3 &d = values->moments, &p = values->products;
    sentence += " = [" + text(d[0]) + ", " + text(d[1]) + ", " + text(d[2]) + ", " + text(p[0]) + ", " + text(p[1]) +
                ", " + text(p[2]) + "] kg m2";
  }
  const bool exceeds = status.port == static_cast<std::int32_t>(InertiaFault::exceeds_sum);
  sentence += exceeds ? ": must have principal moments of which none exceeds the sum of the other two"
                      : ": must be positive definite";
  return sentence + "; set all six elements xx, yy, zz, xy, xz, yz of one inertia before the next step";
}

}  // namespace

LawRules rules_of(const Law& law) noexcept {
  LawRules rules;
  if (law.is_user_law()) return rules;
  rules.mu_static = place(friction_laws[law.friction], "mu_static", friction_at);
  rules.mu_kinetic = place(friction_laws[law.friction], "mu_kinetic", friction_at);
  rules.direction = law.is_stateful() ? place(contact_models[law.model], "direction[1]", model_at)
                                      : place(friction_laws[law.friction], "direction[1]", friction_at);
  return rules;
}

std::int32_t law_fault(const LawRules& rules, const LawParameters& parameters) noexcept {
  const double* const p = reinterpret_cast<const double*>(&parameters);
  if (rules.mu_kinetic >= 0 && rules.mu_static >= 0 && p[rules.mu_kinetic] > p[rules.mu_static])
    return rules.mu_kinetic;
  const std::int32_t at = rules.direction;
  return at >= 0 && p[at] == 0.0 && p[at + 1] == 0.0 && p[at + 2] == 0.0 ? at : -1;
}

Status check_parameters(const Model& model, const Data& data) noexcept {
  const auto index = [](std::size_t i) { return static_cast<std::int32_t>(i); };
  for (std::size_t i = 0; i < model.laws.size(); ++i)
    if (const std::int32_t at = law_fault(model.laws[i].rules, data.laws()[i]); at >= 0)
      return {Code::bad_parameters, index(i), at};
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const ElementRow& row = row_of(model.elements[i]);
    if (row.fault == nullptr) continue;
    const std::int32_t at = row.fault(model.elements[i], data.state.data() + data.elements[i].parameters);
    if (at >= 0) return {Code::bad_parameters, index(model.laws.size() + i), at};
  }
  return check_mass_properties(model, data);
}

// Numbers of the scene are always allowed.
Status check_mass_properties(const Model& model, const Data& data) noexcept {
  if (!has_interfaces(model)) return {};
  const std::size_t first = model.laws.size() + model.elements.size();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const MassProperties& now = data.mass_properties()[i];
    if (!model.bodies[i].interface() || now == mass_properties_of(data.plant[i])) continue;
    if (now == mass_properties_of(model.bodies[i])) continue;
    if (const InertiaFault fault = inertia_fault(now); fault != InertiaFault::none)
      return {Code::bad_parameters, static_cast<std::int32_t>(first + i), static_cast<std::int32_t>(fault)};
  }
  return {};
}

std::string parameter_fault(const Status& status, const Model& model, const Data* data) {
  const auto i = static_cast<std::size_t>(status.index);
  const std::size_t first_body = model.laws.size() + model.elements.size();
  if (status.index < 0 || i >= first_body + model.bodies.size()) return "parameters do not go together";
  if (i >= first_body)
    return inertia_sentence(status, model.bodies[i - first_body].name,
                            data ? &data->mass_properties()[i - first_body] : nullptr);
  if (i < model.laws.size())
    return law_sentence(status, model.laws[i], data ? reinterpret_cast<const double*>(&data->laws()[i]) : nullptr);
  const std::size_t k = i - model.laws.size();
  return element_sentence(status, model.elements[k],
                          data ? data->state.data() + data->elements[k].parameters : nullptr);
}

}  // namespace contactlib::reader

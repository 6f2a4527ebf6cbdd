// Reads the sections elements, numbers and integers of a model file.
#include <cmath>
#include <cstring>

#include "element/elements.hpp"
#include "math/ranges.hpp"
#include "reader.hpp"

namespace contactlib::reader {

using element::ElementRecord, element::ElementRow, element::ElementVariable, element::ElementVariables,
    element::element_rows, element::row_of, element::width;
using law::allowed;
using model::Element, model::Integrator, model::the_world;

namespace {

// Elements with more ports or bodies are refused.
constexpr std::int32_t max_ports = 4096, max_element_bodies = 64;

template <class Section>
bool within(std::int32_t first, std::int32_t count, const Section& section) noexcept {
  const std::size_t size = section.size();
  return first >= 0 && count >= 0 && static_cast<std::size_t>(first) <= size &&
         static_cast<std::size_t>(count) <= size - static_cast<std::size_t>(first);
}

// Reads values of parameters or commands, each at or above its minimum.
bool read_values(ElementRecord& record, const ElementVariables& variables, std::int32_t ports,
                 std::vector<double>& out) {
  if (!record.numbers(width(variables, ports), out)) return false;
  const double* value = out.data();
  for (const ElementVariable& variable : variables)
    for (std::int32_t k = variable.per_port ? ports : 1; k > 0; --k, ++value)
      if (!allowed(variable.parameter, *value) || (variable.integer && std::abs(*value) > math::last_integer))
        return false;
  return true;
}

bool read_bodies(ElementRecord& record, std::size_t bodies, std::vector<std::int32_t>& out) {
  std::int32_t count;
  if (!record.integer(0, max_element_bodies, count) || !record.integers(count, out)) return false;
  return std::all_of(out.begin(), out.end(), [&](std::int32_t i) {
    return i == the_world || (i >= 0 && static_cast<std::size_t>(i) < bodies);
  });
}

bool read_element(const format::Element& in, const Content& content, const Model& model, Element& out) {
  std::string kind;
  if (!read_text(content.strings, in.name, out.name) || !read_text(content.strings, in.kind, kind)) return false;
  out.row = element_rows().find(kind);
  if (out.row == nullptr || in.ports < 0 || in.ports > max_ports) return false;
  if (!within(in.first_number, in.number_count, content.numbers)) return false;
  if (!within(in.first_integer, in.integer_count, content.integers)) return false;
  out.ports = in.ports;
  ElementRecord record(content.numbers.data() + in.first_number, in.number_count,
                       content.integers.data() + in.first_integer, in.integer_count);
  const ElementRow& row = row_of(out);
  if (row.solve != nullptr && model.options.integrator != Integrator::semi_implicit_euler) return false;
  return read_values(record, row.parameters, out.ports, out.parameters) &&
         read_values(record, row.commands, out.ports, out.commands) &&
         read_bodies(record, model.bodies.size(), out.bodies) && row.read(record, model, out) && record.finished() &&
         (row.fault == nullptr || row.fault(out, out.parameters.data()) < 0);
}

bool take_lead(Model& model, const Element& leader) noexcept {
  for (const std::int32_t i : leader.leads) {
    if (model.elements[i].led) return false;
    model.elements[i].led = true;
  }
  return true;
}

}  // namespace

Status read_elements(const Content& content, Model& model) {
  for (const format::Element& in : content.elements) {
    Element element;
    if (!read_element(in, content, model, element) || !take_lead(model, element))
      return {Code::bad_value, format::elements};
    model.elements.push_back(std::move(element));
  }
  return {};
}

}  // namespace contactlib::reader

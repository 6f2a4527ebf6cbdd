// What the page of `contactlib view --live` needs beyond web.cpp: the present states, wrenches and contacts as arrays of
// doubles, cables and membranes as they are drawn, and parameters that are accepted together or not at all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boundary/capacity.hpp"
#include "boundary/describe.hpp"
#include "element/membrane/drawing.hpp"
#include "element/snare/nodes.hpp"
#include "instance.hpp"
#include "step/communication/step.hpp"

namespace {

using namespace contactlib::fmi;
using contactlib::Status, contactlib::Vec3;
using contactlib::boundary::describe, contactlib::boundary::evaluate_and_grow, contactlib::boundary::grow_capacity,
    contactlib::boundary::said, contactlib::boundary::set_variable, contactlib::boundary::why_not;
using contactlib::element::cable_contacts, contactlib::element::CableContact, contactlib::element::cable_nodes,
    contactlib::element::draw_membrane, contactlib::element::MembraneDrawing;
using contactlib::model::BodyState, contactlib::model::Model;
using contactlib::state::Contact;
using contactlib::step::accept_inputs, contactlib::step::evaluate;

Instance& instance(fmi2Component c) { return *static_cast<Instance*>(c); }

MembraneDrawing drawing;  // of the last call of contactlib_membrane
std::vector<CableContact> touches;  // of one element, in contactlib_contacts

// The first `most` contacts, 9 numbers each, and the number of all.
struct ContactRows {
  double* out;
  std::size_t most, count = 0;

  void add(std::int32_t a, std::int32_t b, const Vec3& point, const Vec3& force, double depth) noexcept {
    if (count++ >= most) return;
    *out++ = a, *out++ = b;
    for (const Vec3* const v : {&point, &force}) out = std::copy_n(v->data(), 3, out);
    *out++ = depth;
  }
};

void add_cable_contacts(const Model& model, const Data& data, ContactRows& rows) {
  auto first = static_cast<std::int32_t>(model.bodies.size());
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    touches.resize(cable_contacts(model, data, i, nullptr));
    cable_contacts(model, data, i, touches.data());
    for (const CableContact& touch : touches)
      rows.add(touch.body >= 0 ? touch.body : first + touch.other_cable, first + touch.cable, touch.p_WC, touch.f_W,
               touch.depth);
    for (std::size_t k = 0; cable_nodes(model, data, i, k, nullptr) > 0; ++k) ++first;
  }
}

}  // namespace

extern "C" {

std::size_t contactlib_body_count(fmi2Component c) { return instance(c).model.bodies.size(); }
// 13 numbers for each body of the model: r, q, v, w, in the axes of resolve_in; and 6: force and torque.
const double* contactlib_states(fmi2Component c) { return reinterpret_cast<const double*>(instance(c).data.reports()); }
const double* contactlib_wrenches(fmi2Component c) {
  return reinterpret_cast<const double*>(instance(c).data.outputs());
}

// 9 numbers for each contact, of `most` at most: sides A and B, the point in world axes, m, the force on B, N, and the
// depth, m. Sides are the numbers of bodies, behind which those of all cables follow; B is a cable where there is one.
// Returns the number of all contacts.
std::size_t contactlib_contacts(fmi2Component c, double* out, std::size_t most) {
  Data& data = instance(c).data;
  ContactRows rows{out, most};
  for (std::size_t i = 0; i < data.count; ++i) {
    const Contact& contact = data.contacts[i];
    const Vec3 point = data.bodies()[contact.body_a].r_WB + contact.p_AC_W;
    rows.add(contact.body_a, contact.body_b, point, contact.f_B_W, contact.depth);
  }
  add_cable_contacts(instance(c).model, data, rows);
  return rows.count;
}

// 12 numbers for each node of a cable (nodes.hpp); with `out` null only their number, which is 0 where there is none.
std::size_t contactlib_cable(fmi2Component c, std::size_t element, std::size_t k, double* out) {
  return cable_nodes(instance(c).model, instance(c).data, element, k, out);
}

// The vertices of a membrane, 3 numbers each, or null; the next function then returns its triangles
// and their number.
const double* contactlib_membrane(fmi2Component c, std::size_t element) {
  if (!draw_membrane(instance(c).model, instance(c).data, element, drawing)) return nullptr;
  return drawing.vertices.front().data();
}
const std::int32_t* contactlib_triangles(fmi2Component, std::size_t* count) {
  *count = drawing.triangles.size() / 3;
  return drawing.triangles.data();
}

// Sets parameters and inputs, and evaluates contacts and wrenches with them; neither time nor friction memory change. All
// values are set, or none, with the reason among the sentences.
fmi2Status contactlib_set(fmi2Component c, const fmi2ValueReference* references, const double* values, std::size_t n) {
  Instance& self = instance(c);
  self.before.save(self.data.state, self.data.memory_at);
  std::string problem;
  for (std::size_t i = 0; i < n && problem.empty(); ++i) {
    const Variable& variable = self.table[references[i]];
    if (!set_variable(variable, self.data, values[i]))
      problem = variable.name + " = " + said(values[i]) + ": " + why_not(variable, values[i]);
  }
  if (problem.empty()) {
    Status status = accept_inputs(self.model, self.data);
    if (status) status = evaluate_and_grow(self.model, self.data);
    if (status) return fmi2OK;
    problem = describe(status, self.model, self.data);
  }
  self.before.restore(self.data.state);
  return self.error(problem + ".");
}

// Places all bodies at states (13 numbers each, as of contactlib_states), and evaluates contacts and wrenches there.
fmi2Status contactlib_place(fmi2Component c, const double* states) {
  Instance& self = instance(c);
  const auto* const all = reinterpret_cast<const BodyState*>(states);
  Status status = evaluate(self.model, self.data, all);
  while (grow_capacity(self.model, self.data, status)) status = evaluate(self.model, self.data, all);
  return status ? fmi2OK : self.error(describe(status, self.model, self.data) + ".");
}

}  // extern "C"

// Capacities of a Data, offsets of its parts in `state`, and start values.
#include <algorithm>
#include <cstring>
#include <new>

#include "element/elements.hpp"
#include "geometry/pairs.hpp"
#include "monitor/fast.hpp"
#include "narrow_phase.hpp"
#include "plant.hpp"
#include "response/response.hpp"
#include "state/data.hpp"

namespace contactlib::state {

using bounding::walk_stack;
using element::row_of, element::solves, element::width;
using geometry::Manifold, geometry::Shape, geometry::ShapeKind;
using model::Element, model::mass_properties_width;
using monitor::extents_of;
using step::collide_serially, step::most_together, step::reset_plant, step::reset_responses;

namespace {

// Size of the table of separating axes, a power of two. More pairs of near shapes than this replace each other's
// entries.
std::size_t separating_axes(const Model& model) noexcept {
  const std::size_t pairs = std::min(model.shapes.size() * model.shapes.size(), model.candidate_capacity);
  std::size_t size = 1;
  while (size < pairs && size < 1024) size *= 2;
  return size;
}

// Points of a surface contact that there is room for at first: a box on a box has at most 48. More are made at need.
constexpr std::size_t first_points = 256;

// Whether two of its kinds of shape can have a surface contact, or a sphere can touch a mesh, which may be one in part.
bool touches_with_surfaces(const Model& model) noexcept {
  bool present[geometry::shape_kinds] = {};
  for (const Shape& shape : model.shapes) present[static_cast<int>(shape.kind)] = true;
  for (int a = 0; a < geometry::shape_kinds; ++a)
    for (int b = a; b < geometry::shape_kinds; ++b)
      if (present[a] && present[b] && geometry::pair_row(a * geometry::shape_kinds + b).surface) return true;
  return present[static_cast<int>(ShapeKind::sphere)] && present[static_cast<int>(ShapeKind::mesh)];
}

// Candidates of near bodies that are evaluated together, at most: enough for threads to be worth it.
constexpr std::size_t near_portion = 1024;

}  // namespace

Status Data::make(const Model& model, std::size_t chunks, std::size_t contacts) noexcept {
  try {
    lay_out(model);
    make_scratch(model, chunks);
    grow_capacity(model, model.contacts_grow ? std::min(contacts, model.contact_capacity) : model.contact_capacity);
  } catch (...) {
    return {Code::out_of_memory, -1};
  }
  reset(model);
  return {};
}

// The positions of all parts of the state.
void Data::lay_out(const Model& model) {
  const std::size_t bodies = model.bodies.size();
  std::size_t size = globals_width;
  const auto take = [&size](std::size_t count) {
    const std::size_t at = size;
    size += count;
    return at;
  };
  inputs_at = take(bodies * state_width);
  rates_at = take(bodies * wrench_width);
  applied_at = take(bodies * wrench_width);
  thrust_at = take(bodies * wrench_width);
  const bool frees = has_free_bodies(model);
  loads_at = take(frees ? bodies * wrench_width : 0);
  starts_at = take(frees ? bodies * state_width : 0);
  bodies_at = take(bodies * state_width);
  wrenches_at = take(bodies * wrench_width);
  contact_wrenches_at = model.elements.empty() ? wrenches_at : take(bodies * wrench_width);
  explicit_wrenches_at = solves(model) ? take(bodies * wrench_width) : wrenches_at;
  outputs_at = take(bodies * wrench_width);
  reports_at = take(bodies * state_width);
  peaks_at = take(bodies * peak_width);
  interfaces_at = take(has_interfaces(model) ? bodies * interface_width : 0);
  exchange_at = take(has_interfaces(model) ? exchange_width : 0);
  mass_properties_at = take(has_interfaces(model) ? bodies * mass_properties_width : 0);
  laws_at = take(model.laws.size() * (sizeof(LawParameters) / sizeof(double)));
  size = lay_out_elements(model, size);
  memory_stride = memory_width + (model.attachments ? attachment_width + model.own_width : 0);
  memory_at = size;
}

// Memory that no state needs: of the broad phase, of the kernels, of a step and of the coupling.
void Data::make_scratch(const Model& model, std::size_t chunks) {
  const std::size_t bodies = model.bodies.size();
  narrow = collide_serially;
  near.make(model);
  walked.resize(model.candidate_capacity);
  candidates.resize(std::max(model.candidate_capacity, near.used() ? near_portion : 0));
  open.resize(walk_stack(model.tree));
  cached.make(model);
  pools.resize(chunks);
  for (Pool& pool : pools) {
    pool.separating_axes.resize(separating_axes(model));
    for (const Shape& A : model.shapes) pool.surface.grow_capacity(A, A);
    if (touches_with_surfaces(model)) pool.surface.resize(first_points);
  }
  plant = model.bodies;
  R_WB.resize(bodies);
  extents = extents_of(model);
  stage.resize(2 * bodies);
  before.resize(bodies);
  contact_wrenches_before.resize(bodies);
  total_wrenches_before.resize(bodies);
  mean.resize(bodies);
  if (model.options.auto_step) {
    trial.loads.resize(bodies * wrench_width);
    trial.modes.resize(2 * bodies);
    trial.turned.resize(bodies);
    trial.sums.resize(has_interfaces(model) ? bodies * trial_sums : 0);
  }
  if (!has_interfaces(model)) return;
  coupling.impulses.resize(bodies);
  coupling.moments.resize(bodies);
  coupling.held_impulses.resize(bodies);
  coupling.mean.resize(bodies);
  coupling.present_end.resize(bodies);
  coupling.held_end.resize(bodies);
  coupling.q_start.resize(bodies);
  coupling.work.resize(bodies);
  coupling.free_work.resize(bodies);
  coupling.islands.resize(bodies);
  for (auto* parts :
       {&coupling.stored, &coupling.budget, &coupling.debt, &coupling.supplied, &coupling.supplied_before})
    parts->resize(bodies);
  coupling.sums.resize(bodies);
  coupling.trial.resize(bodies);
  coupling.phase.resize(bodies);
  coupling.R_middle.resize(bodies);
}

Status Data::grow(const Model& model, std::size_t wanted) noexcept {
  try {
    grow_capacity(model, std::max(wanted, contacts.size()));
  } catch (...) {
    return {Code::out_of_memory, -1};
  }
  return {};
}

Status Data::grow_near(std::size_t wanted) noexcept {
  try {
    near.grow_capacity(std::max(wanted, near.pairs.size()));
  } catch (...) {
    return {Code::out_of_memory, -1};
  }
  return {};
}

Status Data::grow_pieces(std::size_t wanted) noexcept {
  try {
    for (Pool& pool : pools) pool.surface.resize(std::max(wanted, pool.surface.capacity()));
  } catch (...) {
    return {Code::out_of_memory, -1};
  }
  return {};
}

// Resizes everything that exists once per contact and keeps its content.
void Data::grow_capacity(const Model& model, std::size_t wanted) {
  const std::size_t size = memory_at + wanted * memory_stride;
  state.resize(size, 0.0);
  before_call.reserve(size);
  if (model.options.auto_step) trial.start.reserve(size);
  compliances.resize(2 * wanted);
  // capacity for manifolds more, so that a kernel and a loop of pairs always have their own
  const std::size_t manifolds = std::max<std::size_t>(1, std::min(most_together, candidates.size()));
  for (Pool& pool : pools) {
    pool.points.resize(wanted + manifolds * Manifold::max_points);
    pool.found.resize(std::min(candidates.size(), wanted) + 1);
    if (pool.surface.capacity() > 0) pool.surface_contacts.resize(std::min(candidates.size(), wanted) + 1);
  }
  contacts_before.resize(wanted);
  attachments.resize(model.attachments ? wanted : 0);
  own.resize(model.own_width * wanted);
  claims.resize(wanted);
  claimed.resize(wanted);
  by_key.resize(wanted);
  if (has_interfaces(model)) {
    coupling.start.reserve(size);
    coupling.contacts.resize(wanted);
  }
  contacts.resize(wanted);  // last, since its size is the capacity
}

// Sets the offsets of each element's numbers, from `size` on; returns their end.
std::size_t Data::lay_out_elements(const Model& model, std::size_t size) {
  std::size_t next = 0;
  elements.clear();
  element_scratch.clear();
  for (const Element& element : model.elements) {
    const std::size_t parameters = element.parameters.size(), commands = element.commands.size();
    ElementSlots at;
    at.energy = size;
    at.parameters = at.energy + energy_width;
    at.commands = at.parameters + parameters;
    at.rates = at.commands + commands;
    at.present = at.rates + commands;
    at.held = at.present + commands;
    at.outputs = at.held + commands;
    at.state = at.outputs + width(row_of(element).outputs, element.ports);
    at.next = next;
    size = at.state + element.state.size();
    next += element.state.size();
    elements.push_back(at);
    element_scratch.push_back(row_of(element).scratch ? row_of(element).scratch(element) : nullptr);
  }
  element_next.assign(next, 0.0);
  return size;
}

void Data::reset(const Model& model) noexcept {
  std::memset(state.data(), 0, state.size() * sizeof(double));
  count = 0;
  Globals& g = globals();
  g.step_size = model.options.step_size;
  g.auto_step = model.options.auto_step ? 1.0 : 0.0;
  g.resolve_in = static_cast<double>(model.options.resolve_in);
  g.wrench_output = static_cast<double>(model.options.wrench_output);
  g.coupling = static_cast<double>(model.options.coupling);
  g.mass_tolerance = model.options.mass_tolerance;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState& start = model.bodies[i].start;
    bodies()[i] = start;
    inputs()[i] = reports()[i] = start_at_boundary(model, i);
    if (has_free_bodies(model)) starts()[i] = start_at_boundary(model, i);
  }
  reset_responses(model, *this);
  reset_plant(model, *this);
  for (std::size_t i = 0; i < model.laws.size(); ++i) laws()[i] = model.laws[i].parameters;
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const Element& element = model.elements[i];
    const auto start = [&](const std::vector<double>& values, std::size_t at) {
      std::copy(values.begin(), values.end(), state.begin() + at);
    };
    start(element.parameters, elements[i].parameters);
    start(element.commands, elements[i].commands);
    start(element.commands, elements[i].present);
    start(element.state, elements[i].state);
  }
}

}  // namespace contactlib::state

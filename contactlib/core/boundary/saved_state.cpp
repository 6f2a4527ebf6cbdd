#include "saved_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capacity.hpp"
#include "element/elements.hpp"
#include "math/ranges.hpp"
#include "state/memory.hpp"
#include "step/response/response.hpp"

namespace contactlib::boundary {

using element::ElementRow, element::ElementVariable, element::ElementVariables, element::row_of;
using law::LawParameters, law::adhesion_laws, law::allowed, law::contact_models, law::friction_laws, law::normal_laws,
    law::rolling_laws;
using math::clock, math::finite, math::flag, math::last_integer, math::unit, math::integer_up_to;
using model::BodyState, model::Element, model::Law, model::MassProperties;
using state::ElementEnergy, state::ElementSlots, state::Globals, state::Interface, state::Memory, state::attachment_of,
    state::has_interfaces, state::memory_keys, state::shapes_of;
using step::sound_responses;

namespace {

constexpr char mark[8] = {'C', 'L', 'S', 'T', 'A', 'T', 'E', '\n'};
constexpr std::size_t covered = offsetof(SavedHeader, version);

bool sound_auto_step(const Model& model, const Globals& g) noexcept {
  if (!model.options.auto_step && (g.auto_step != 0.0 || g.max_sub_steps != 0.0)) return false;
  if (!integer_up_to(g.max_sub_steps, last_integer) || !integer_up_to(g.sub_step_limit_reached, last_integer))
    return false;
  if (!flag(g.limit_reported) || !flag(g.limited)) return false;
  return flag(g.auto_step) && flag(g.floor_reported) && clock(g.contact_step) && clock(g.last_sub_step) &&
         clock(g.sub_step_time) && clock(g.shortest_sub_step) && integer_up_to(g.sub_steps, last_integer) &&
         integer_up_to(g.refused_sub_steps, last_integer);
}

// The number of contacts is only an output: it may exceed the capacity of this Data.
bool sound(const Model& model, const Data& data, const Globals& g) noexcept {
  const auto most = static_cast<double>(model.contacts_grow ? contact_limit : model.contact_capacity);
  const auto capacity = static_cast<double>(data.contacts.size());
  return g.step_size > 0.0 && integer_up_to(g.resolve_in, 1) && integer_up_to(g.wrench_output, 1) &&
         integer_up_to(g.coupling, has_interfaces(model) ? 2 : 0) && g.mass_tolerance >= 1.0 && clock(g.coupled_step) &&
         clock(g.next_step) && (has_interfaces(model) || g.coupled_step == 0.0) && flag(g.fresh) && flag(g.tuned) &&
         flag(g.kinetic_known) && g.max_depth >= 0.0 && integer_up_to(g.contact_count, most) &&
         integer_up_to(g.deep_count, g.contact_count) && flag(g.deep_reported) && flag(g.fast_reported) &&
         integer_up_to(g.memory_count, capacity) && flag(g.begun) && flag(g.gap_reported) && clock(g.contact_steps) &&
         clock(g.max_step_ratio) && integer_up_to(g.max_iterations, last_integer) && sound_auto_step(model, g);
}

// Inputs are checked when they are accepted; here the poses derived from them are checked.
bool sound_bodies(const Model& model, const Data& data, const double* numbers, double coupled_step) noexcept {
  const auto states = [numbers](std::size_t at) { return reinterpret_cast<const BodyState*>(numbers + at); };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!unit(states(data.bodies_at)[i].q_WB) || !unit(states(data.reports_at)[i].q_WB)) return false;
    if (!has_interfaces(model)) continue;
    const auto& interface = reinterpret_cast<const Interface*>(numbers + data.interfaces_at)[i];
    const Quat& q = interface.expected.q_WB;  // all zero before the first coupled step
    if (!unit(q) && !(coupled_step == 0.0 && q == Quat::Zero())) return false;
  }
  return true;
}

// A state may hold an inertia that is only partly set: each call that evaluates or advances checks it.
bool sound_masses(const Model& model, const Data& data, const double* numbers) noexcept {
  if (!has_interfaces(model)) return true;
  const auto* const saved = reinterpret_cast<const MassProperties*>(numbers + data.mass_properties_at);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].interface() && !(saved[i].mass > 0.0)) return false;
  return true;
}

template <class Row>
bool sound_part(const Row& row, const double* values) noexcept {
  for (int i = 0; i < row.count; ++i)
    if (!allowed(row.parameters[i], values[i])) return false;
  return true;
}

bool sound_law(const Law& law, const LawParameters& now) noexcept {
  return sound_part(normal_laws[law.normal], now.normal) && sound_part(friction_laws[law.friction], now.friction) &&
         sound_part(adhesion_laws[law.adhesion], now.adhesion) && sound_part(rolling_laws[law.rolling], now.rolling) &&
         (law.is_user_law() || sound_part(contact_models[law.model], now.model));
}

// Integers have 32 bits at the boundary.
bool sound_values(const ElementVariables& variables, std::int32_t ports, const double* values, bool outputs) noexcept {
  for (const ElementVariable& variable : variables)
    for (std::int32_t k = variable.per_port ? ports : 1; k > 0; --k, ++values) {
      if (variable.integer && !(std::abs(*values) <= last_integer)) return false;
      if (!outputs && !allowed(variable.parameter, *values)) return false;
    }
  return true;
}

bool sound_element(const Element& element, const ElementSlots& at, const double* numbers) noexcept {
  const ElementRow& row = row_of(element);
  const auto& energy = *reinterpret_cast<const ElementEnergy*>(numbers + at.energy);
  if (!flag(energy.begun) || !flag(energy.turns)) return false;
  return sound_values(row.parameters, element.ports, numbers + at.parameters, false) &&
         sound_values(row.commands, element.ports, numbers + at.commands, false) &&
         sound_values(row.outputs, element.ports, numbers + at.outputs, true) &&
         (element.state.empty() || (row.admits != nullptr && row.admits(element, numbers + at.state)));
}

bool sound_memory(const Model& model, const Memory& memory) noexcept {
  if (!integer_up_to(memory.key, memory_keys(model) - 1.0) || shapes_of(model, memory).law < 0) return false;
  if (!integer_up_to(std::abs(memory.feature), last_integer) || !flag(memory.slipping) || !clock(memory.age))
    return false;
  if (!unit(memory.n_B)) return false;
  return !model.attachments || (attachment_of(memory).load_share >= 0.0 && flag(attachment_of(memory).ended));
}

bool sound_memories(const Model& model, const Data& data, const double* numbers, std::size_t count) noexcept {
  double last = 0.0;
  for (std::size_t at = data.memory_at; at < count; at += data.memory_stride) {
    const Memory& memory = *reinterpret_cast<const Memory*>(numbers + at);
    if (memory.key < last || !sound_memory(model, memory)) return false;
    last = memory.key;
  }
  return true;
}

bool sound(const Model& model, const Data& data, const double* numbers, std::size_t count) noexcept {
  if (!finite(numbers, count)) return false;
  const Globals& g = *reinterpret_cast<const Globals*>(numbers);
  if (!sound(model, data, g) || !sound_responses(model, data, numbers) ||
      !sound_bodies(model, data, numbers, g.coupled_step))
    return false;
  if (count != data.memory_at + static_cast<std::size_t>(g.memory_count) * data.memory_stride) return false;
  if (!sound_masses(model, data, numbers)) return false;
  for (std::size_t i = 0; i < model.laws.size(); ++i)
    if (!sound_law(model.laws[i], reinterpret_cast<const LawParameters*>(numbers + data.laws_at)[i])) return false;
  for (std::size_t i = 0; i < model.elements.size(); ++i)
    if (!sound_element(model.elements[i], data.elements[i], numbers)) return false;
  return sound_memories(model, data, numbers, count);
}

Status bad(SavedFault fault) noexcept { return {Code::bad_state, static_cast<std::int32_t>(fault)}; }

}  // namespace

// h <- (h + w) m, then the high half is mixed into the low one. Both maps are bijective, so another word gives another
// sum.
std::uint64_t saved_checksum(const unsigned char* bytes, std::size_t size) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (std::size_t at = 0; at + 8 <= size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  return hash;
}

std::size_t saved_size(const Data& data) noexcept { return sizeof(SavedHeader) + data.used() * sizeof(double); }

void save(const Model& model, const Data& data, unsigned char* bytes) noexcept {
  SavedHeader header{};
  std::memcpy(header.mark, mark, sizeof mark);
  header.version = saved_version;
  header.fixed = static_cast<std::uint32_t>(data.memory_at);
  std::memcpy(header.hash, model.hash.data(), sizeof header.hash);
  header.count = data.used();
  std::memcpy(bytes, &header, sizeof header);
  std::memcpy(bytes + sizeof header, data.state.data(), header.count * sizeof(double));
  header.checksum = saved_checksum(bytes + covered, saved_size(data) - covered);
  std::memcpy(bytes + offsetof(SavedHeader, checksum), &header.checksum, sizeof header.checksum);
}

Status restore(const Model& model, Data& data, const unsigned char* bytes, std::size_t size) noexcept {
  SavedHeader header;
  if (size < sizeof header) return bad(SavedFault::no_state);
  std::memcpy(&header, bytes, sizeof header);
  if (std::memcmp(header.mark, mark, sizeof mark) != 0) return bad(SavedFault::no_state);
  if (size % 8 != 0 || saved_checksum(bytes + covered, size - covered) != header.checksum)
    return bad(SavedFault::damaged);
  if (header.version != saved_version) return bad(SavedFault::version);
  if (std::memcmp(header.hash, model.hash.data(), sizeof header.hash) != 0) return bad(SavedFault::model);
  if (header.fixed != data.memory_at) return bad(SavedFault::version);
  const bool fits = header.count >= data.memory_at && header.count <= data.state.size();
  if (!fits || size != sizeof header + header.count * sizeof(double)) return bad(SavedFault::damaged);
  const auto is_sound = [&](const double* numbers) noexcept { return sound(model, data, numbers, header.count); };
  if (!data.before_call.load(bytes + sizeof header, header.count, is_sound, data.state)) return bad(SavedFault::range);
  data.count = 0;
  return {};
}

}  // namespace contactlib::boundary

#include "capacity.hpp"

#include <algorithm>

#include "saved_state.hpp"
#include "step/communication/step.hpp"

namespace contactlib::boundary {

using step::advance, step::evaluate;

bool grow_capacity(const Model& model, Data& data, const Status& status) noexcept {
  if (status.code == Code::near_overflow && status.index > 0) {
    const auto needed = static_cast<std::size_t>(status.index);
    return static_cast<bool>(data.grow_near(needed + needed / 4));
  }
  if (status.code == Code::surface_overflow && status.index > 0) {
    const auto needed = static_cast<std::size_t>(status.index);
    return static_cast<bool>(data.grow_pieces(needed + needed / 2));
  }
  if (status.code != Code::contact_overflow || !model.contacts_grow || status.index < 0) return false;
  const auto needed = static_cast<std::size_t>(status.index);
  if (needed > contact_limit || needed <= data.contacts.size()) return false;
  const std::size_t wanted = std::max(needed + needed / 4, 2 * data.contacts.size());
  return static_cast<bool>(data.grow(model, std::min(wanted, contact_limit)));
}

void reserve_for_saved(const Model& model, Data& data, std::size_t size) noexcept {
  const std::size_t head = saved_size(data) - data.used() * sizeof(double);
  const std::size_t fixed = head + data.memory_at * sizeof(double);
  if (size < fixed) return;
  reserve_contacts(model, data, (size - fixed) / (data.memory_stride * sizeof(double)));
}

void reserve_contacts(const Model& model, Data& data, std::size_t contacts) noexcept {
  if (model.contacts_grow && contacts > data.contacts.size() && contacts <= contact_limit) data.grow(model, contacts);
}

Status evaluate_and_grow(const Model& model, Data& data) noexcept {
  Status status = evaluate(model, data);
  while (grow_capacity(model, data, status)) status = evaluate(model, data);
  return status;
}

Status advance_and_grow(const Model& model, Data& data, double dt) noexcept {
  Status status = advance(model, data, dt);
  while (grow_capacity(model, data, status)) status = advance(model, data, dt);
  return status;
}

Status cache_candidates(const Model& model, Data& data, bool on) noexcept {
  try {
    data.cached.make(model);
  } catch (...) {
    return {Code::out_of_memory, -1};
  }
  if (!on)
    for (state::CachedPair& pair : data.cached.pairs) pair.longest = 0.0;
  return {};
}

}  // namespace contactlib::boundary

#include "room.hpp"

#include <algorithm>

#include "saved_state.hpp"
#include "step/step.hpp"

namespace contactlib {

bool make_room(const Model& model, Data& data, const Status& status) noexcept {
  if (status.code != Code::contact_overflow || !model.contacts_grow || status.index < 0) return false;
  const auto needed = static_cast<std::size_t>(status.index);
  if (needed > most_room || needed <= data.contacts.size()) return false;
  const std::size_t wanted = std::max(needed + needed / 4, 2 * data.contacts.size());
  return static_cast<bool>(data.grow(model, std::min(wanted, most_room)));
}

void make_room_for_saved(const Model& model, Data& data, std::size_t size) noexcept {
  const std::size_t head = saved_size(data) - data.used() * sizeof(double);
  const std::size_t fixed = head + data.memory_at * sizeof(double);
  if (size < fixed) return;
  make_room_for(model, data, (size - fixed) / (data.memory_stride * sizeof(double)));
}

void make_room_for(const Model& model, Data& data, std::size_t contacts) noexcept {
  if (model.contacts_grow && contacts > data.contacts.size() && contacts <= most_room) data.grow(model, contacts);
}

Status evaluate_with_room(const Model& model, Data& data) noexcept {
  Status status = evaluate(model, data);
  while (make_room(model, data, status)) status = evaluate(model, data);
  return status;
}

Status advance_with_room(const Model& model, Data& data, double dt) noexcept {
  Status status = advance(model, data, dt);
  while (make_room(model, data, status)) status = advance(model, data, dt);
  return status;
}

}  // namespace contactlib

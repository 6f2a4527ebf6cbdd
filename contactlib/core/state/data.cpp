#include "data.hpp"

#include <algorithm>
#include <utility>

#include "math/rotation.hpp"

namespace contactlib::state {

using math::matrix;
using model::Body, model::Frame, model::Motion;

bool has_free_bodies(const Model& model) noexcept {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.motion == Motion::free; });
}

bool has_interfaces(const Model& model) noexcept {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.interface(); });
}

BodyState start_at_boundary(const Model& model, std::size_t body) noexcept {
  BodyState start = model.bodies[body].start;
  if (model.options.resolve_in == Frame::body) start.w_WB = matrix(start.q_WB).transpose() * start.w_WB;
  return start;
}

void Data::begin_call(bool new_inputs) noexcept {
  before_call.save(state, used(), inputs_at, new_inputs ? inputs_at : bodies_at);
  contacts.swap(contacts_before);
  count_before = std::exchange(count, 0);
}

void Data::roll_back() noexcept {
  before_call.restore(state);
  contacts.swap(contacts_before);
  count = count_before;
}

std::size_t Data::used() const noexcept {
  return memory_at + static_cast<std::size_t>(globals().memory_count) * memory_stride;
}

}  // namespace contactlib::state

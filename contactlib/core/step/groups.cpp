#include "groups.hpp"

#include <algorithm>

namespace contactlib::step {

namespace {

// The least number stands for a group, so that the order of contacts does not matter.
void join(Groups& groups, std::int32_t a, std::int32_t b) noexcept {
  const std::size_t i = group_of(groups, static_cast<std::size_t>(a)),
                    k = group_of(groups, static_cast<std::size_t>(b));
  groups[std::max(i, k)] = static_cast<std::int32_t>(std::min(i, k));
}

}  // namespace

bool joins(const Model& model, std::int32_t body) noexcept {
  return body != model::the_world && model.bodies[body].motion != model::Motion::fixed;
}

void begin_groups(const Model& model, Groups& groups) noexcept {
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<std::int32_t>(i);
  for (const auto& element : model.elements) {
    std::int32_t first = model::the_world;
    for (const std::int32_t body : element.bodies) {
      if (!joins(model, body)) continue;
      if (first == model::the_world) first = body;
      join(groups, first, body);
    }
  }
}

void join_contacts(const Model& model, const Data& data, Groups& groups) noexcept {
  for (std::size_t k = 0; k < data.count; ++k) {
    const state::Contact& contact = data.contacts[k];
    if (joins(model, contact.body_a) && joins(model, contact.body_b)) join(groups, contact.body_a, contact.body_b);
  }
}

std::size_t group_of(const Groups& groups, std::size_t body) noexcept {
  while (groups[body] != static_cast<std::int32_t>(body)) body = static_cast<std::size_t>(groups[body]);
  return body;
}

}  // namespace contactlib::step

#include "islands.hpp"

#include <algorithm>

namespace contactlib::step {

namespace {

// island_of(), which also halves the way there, so that long chains of contacts cost no more.
std::size_t shortened(Islands& islands, std::size_t body) noexcept {
  while (islands[body] != static_cast<std::int32_t>(body)) {
    islands[body] = islands[static_cast<std::size_t>(islands[body])];
    body = static_cast<std::size_t>(islands[body]);
  }
  return body;
}

// The least number stands for an island, so that the order of contacts does not matter.
void join(Islands& islands, std::int32_t a, std::int32_t b) noexcept {
  const std::size_t i = shortened(islands, static_cast<std::size_t>(a)),
                    k = shortened(islands, static_cast<std::size_t>(b));
  islands[std::max(i, k)] = static_cast<std::int32_t>(std::min(i, k));
}

}  // namespace

bool joins(const Model& model, std::int32_t body) noexcept {
  return body != model::the_world && model.bodies[body].motion != model::Motion::fixed;
}

void begin_islands(const Model& model, Islands& islands) noexcept {
  for (std::size_t i = 0; i < islands.size(); ++i) islands[i] = static_cast<std::int32_t>(i);
  for (const auto& element : model.elements) {
    std::int32_t first = model::the_world;
    for (const std::int32_t body : element.bodies) {
      if (!joins(model, body)) continue;
      if (first == model::the_world) first = body;
      join(islands, first, body);
    }
  }
}

void join_contacts(const Model& model, const Data& data, Islands& islands) noexcept {
  for (std::size_t k = 0; k < data.count; ++k) {
    const state::Contact& contact = data.contacts[k];
    if (joins(model, contact.body_a) && joins(model, contact.body_b)) join(islands, contact.body_a, contact.body_b);
  }
}

std::size_t island_of(const Islands& islands, std::size_t body) noexcept {
  while (islands[body] != static_cast<std::int32_t>(body)) body = static_cast<std::size_t>(islands[body]);
  return body;
}

}  // namespace contactlib::step

// Angles as unit vectors of a plane, so that bisecting them needs no trigonometry.
#pragma once

#include <cmath>

namespace contactlib::geometry {

struct Direction {
  double cos, sin;

  // The bisector.
  Direction towards(const Direction& other) const noexcept {
    const double c = cos + other.cos, s = sin + other.sin, by = 1.0 / std::sqrt(c * c + s * s);
    return {by * c, by * s};
  }
  double distance(const Direction& other) const noexcept {
    const double c = cos - other.cos, s = sin - other.sin;
    return std::sqrt(c * c + s * s);
  }
};

// As many, evenly all round, from (1, 0) on.
inline constexpr int directions = 64;
const Direction* unit_circle() noexcept;

}  // namespace contactlib::geometry

// Placements by columns, as loops in lanes need them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "manifold.hpp"
#include "math/columns.hpp"
#include "math/lanes.hpp"

namespace contactlib::geometry {

// Where numbers of a Placement stand: z axis of A, axes of B, z axis of B, offset.
enum PlacementNumber { z_WA = 6, x_WB = 9, y_WB = 12, z_WB = 15, p_AB_W = 18 };

// Numbers `first` to `first` + `count` - 1 of at most `block` placements.
template <int first, int count, std::size_t block>
struct Columns {
  double column[count][block];

  // Lanes behind the last placement take it again.
  void set(const Placement* X, std::size_t placements) noexcept {
    static_assert(sizeof(Placement) == 24 * sizeof(double) && offsetof(Placement, R_WB) == x_WB * sizeof(double) &&
                  offsetof(Placement, p_AB_W) == p_AB_W * sizeof(double) && first + count <= 24);
    const auto row = [&](std::size_t k) noexcept {
      return reinterpret_cast<const double*>(X + std::min(k, placements - 1)) + first;
    };
    const std::size_t filled = (placements + 7) / 8 * 8;
    for (std::size_t k = 0; k < filled; k += 4)
      math::columns_of_four<count>({row(k), row(k + 1), row(k + 2), row(k + 3)}, column[0] + k, block);
  }

  template <class Lanes>
  math::Lanes3<Lanes> at(PlacementNumber number, std::size_t k) const noexcept {
    const double (*three)[block] = column + (number - first);
    return {math::load<Lanes>(three[0] + k), math::load<Lanes>(three[1] + k), math::load<Lanes>(three[2] + k)};
  }
};

template <class Lanes>
constexpr math::Lanes3<Lanes> origin{};

}  // namespace contactlib::geometry

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

// As many places as whole lanes need.
inline std::size_t in_whole_lanes(std::size_t count) noexcept { return (count + 7) / 8 * 8; }

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
    for (std::size_t k = 0; k < in_whole_lanes(placements); k += 4)
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

// Placements of pairs, and `numbers` numbers of their two shapes, by columns.
template <class Placements, int numbers, std::size_t size>
struct PairColumns {
  static constexpr std::size_t block = size, places = block + 8;  // of a column, which is filled by eight numbers
  Placements X;
  double column[numbers][places];

  // `numbers_of` writes the numbers of the shapes A and B. Lanes behind the last pair take this pair again. Batches have
  // the same two shapes in all pairs, scenes often in none.
  template <class NumbersOf>
  void set(const Shape* const* A, const Shape* const* B, const Placement* placements, std::size_t count,
           const NumbersOf& numbers_of) noexcept {
    X.set(placements, count);
    for (std::size_t k = 0, end = 1; k < count; k = end++) {
      while (end < count && A[end] == A[k] && B[end] == B[k]) ++end;
      const std::size_t last = end < count ? end : in_whole_lanes(count);
      if (last == k + 1)
        numbers_of(*A[k], *B[k], Column{column[0] + k, places});
      else
        fill(*A[k], *B[k], k, last, numbers_of);
    }
  }

  // The same two shapes from pair k to `last`.
  template <class NumbersOf>
  void fill(const Shape& A, const Shape& B, std::size_t k, std::size_t last, const NumbersOf& numbers_of) noexcept {
    double all[numbers];
    numbers_of(A, B, Column{all, 1});
    for (std::size_t i = k; i < last; i += 8)
      for (int j = 0; j < numbers; ++j) std::fill_n(column[j] + i, 8, all[j]);
  }

  template <class Lanes>
  Lanes at(int i, std::size_t k) const noexcept {
    return math::load<Lanes>(column[i] + k);
  }
  template <class Lanes>
  math::Lanes3<Lanes> three(int i, std::size_t k) const noexcept {
    return {at<Lanes>(i, k), at<Lanes>(i + 1, k), at<Lanes>(i + 2, k)};
  }
};

// In fewer lanes some kernels are as fast as their loops.
inline bool has_four_lanes(std::size_t count) noexcept { return count >= 4 && math::lane_count() >= 4; }

// A PairLoop of a kernel without lanes.
template <Kernel kernel>
inline void one_by_one(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                       ManifoldPoint* points, PairContacts* found) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    Manifold out{points, Manifold::max_points};
    kernel(*A[i], *B[i], X[i], out);
    found[i] = {out.count, out.gap};
    points += out.count;
  }
}

// Many pairs in blocks, for `math::in_lanes` in a PairLoop: a Loop sets a block, finds its contacts in lanes, and gives
// those of each pair.
template <class Loop, std::size_t block>
struct InBlocks {
  template <class Lanes>
  static void run(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                  ManifoldPoint* points, PairContacts* found) noexcept {
    Loop loop;
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      loop.set(A + first, B + first, X + first, here);
      loop.template find<Lanes>(here);
      for (std::size_t k = 0, i = first; k < here; ++k, ++i) {
        found[i] = loop.give(k, *A[i], *B[i], X[i], points);
        points += found[i].count;
      }
    }
  }
};

}  // namespace contactlib::geometry

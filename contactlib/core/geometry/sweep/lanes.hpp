// Sweeps in lanes, by the operations of `sweep` in their order, and what loops over pairs with a sweep share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "geometry/manifold/columns.hpp"
#include "sweep.hpp"

namespace contactlib::geometry {

// z axis of A, axes of B and the offset of at most `block` placements.
template <std::size_t block>
using SweepColumns = Columns<z_WA, 16, block>;

template <class Lanes>
struct SweepInLanes {
  using Three = math::Lanes3<Lanes>;

  const Three d_W;
  const math::Lanes33<Lanes> R_WB;
  const Lanes r, length;
  const Three d, middle, along, Q0, Q1;  // in B's axes

  // r, length: m, of the placements k, k + 1, ..
  template <std::size_t block>
  SweepInLanes(const SweepColumns<block>& X, const Lanes& r, const Lanes& length, std::size_t k) noexcept
      : d_W(X.template at<Lanes>(z_WA, k)),
        R_WB{X.template at<Lanes>(x_WB, k), X.template at<Lanes>(y_WB, k), X.template at<Lanes>(z_WB, k)},
        r(r),
        length(length),
        d(R_WB.transposed_times(d_W)),
        middle(math::negative(R_WB.transposed_times(X.template at<Lanes>(p_AB_W, k)))),
        along(0.5 * length * d),
        Q0(middle - along),
        Q1(middle + along) {}

  Three at(const Lanes& s) const noexcept { return Q0 + s * d; }

  static Lanes size(const Three& a) noexcept {
    return math::magnitude(a.x) + math::magnitude(a.y) + math::magnitude(a.z);
  }

  // 1: all numbers are finite, and so small that no product of four is infinite; `other` is another one.
  Lanes is_usual(const Lanes& other) const noexcept {
    const Lanes sizes = math::magnitude(r) + math::magnitude(length) + other;
    return math::less(size(Q0) + size(Q1) + size(d) + sizes, 1e60 - Lanes{});
  }
};

// Pairs of a capsule and another shape; the first two numbers are the capsule's sizes.
template <int numbers, std::size_t size>
struct SweepPairs : PairColumns<SweepColumns<size>, numbers, size> {
  // `numbers_of` writes the numbers of a shape B.
  template <class NumbersOf>
  void set(const Shape* const* A, const Shape* const* B, const Placement* placements, std::size_t count,
           const NumbersOf& numbers_of) noexcept {
    const auto of_both = [&](const Shape& a, const Shape& b, Column to) noexcept {
      *to.next() = a.size[0], *to.next() = a.size[1];
      numbers_of(b, to);
    };
    PairColumns<SweepColumns<size>, numbers, size>::set(A, B, placements, count, of_both);
  }

  template <class Lanes>
  SweepInLanes<Lanes> sweep(std::size_t k) const noexcept {
    return {this->X, this->template at<Lanes>(0, k), this->template at<Lanes>(1, k), k};
  }
};

// The parts of pairs that can have a contact, as sums of powers of two, and gaps of pairs without a contact, m.
template <class Lanes>
struct PartsInLanes {
  Lanes parts, gap = {};
};

// The loop of a kernel for which a Target tells in lanes which parts of a pair, as ends and edges, can have a contact. The
// Target's kernel adds the contacts of these parts.
template <class Target>
struct PartsLoop {
  static constexpr std::size_t block = Target::Pairs::block;
  typename Target::Pairs pairs;
  double parts[block], gap[block];

  void set(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count) noexcept {
    pairs.set(A, B, X, count, Target::numbers_of);
  }

  template <class Lanes>
  void find(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += math::lanes<Lanes>) {
      const PartsInLanes<Lanes> found = Target::template find<Lanes>(pairs, k);
      math::store(parts + k, found.parts), math::store(gap + k, found.gap);
    }
  }

  PairContacts give(std::size_t k, const Shape& A, const Shape& B, const Placement& X,
                    ManifoldPoint* points) const noexcept {
    if (!(parts[k] > 0.0)) return {0, gap[k]};
    Manifold out{points, Manifold::max_points};
    Target::add(A, B, X, static_cast<unsigned>(parts[k]), out);
    return {out.count, out.gap};
  }
};

template <class Target>
using PartsInBlocks = InBlocks<PartsLoop<Target>, PartsLoop<Target>::block>;

}  // namespace contactlib::geometry

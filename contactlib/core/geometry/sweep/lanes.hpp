// Sweeps in lanes, by the operations of `sweep` in their order.
#pragma once

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

  // 1: all numbers are finite, and so small that no product of four is infinite.
  Lanes is_usual() const noexcept {
    const auto size = [](const Three& a) noexcept {
      return math::magnitude(a.x) + math::magnitude(a.y) + math::magnitude(a.z);
    };
    return math::less(size(Q0) + size(Q1) + math::magnitude(r) + math::magnitude(length), 1e60 - Lanes{});
  }
};

}  // namespace contactlib::geometry

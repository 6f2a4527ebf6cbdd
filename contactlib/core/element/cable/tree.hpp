// The tree of boxes around a cable's elements, refitted in every step; curves and capsules are computed on demand.
#pragma once

#include "skin.hpp"

namespace contactlib::element {

inline bool is_near(const CableSkinScratch::Box& a, const CableSkinScratch::Box& b, double reach) noexcept {
  for (int i = 0; i < 3; ++i)
    if (!(a.low[i] < b.high[i] + reach && b.low[i] < a.high[i] + reach)) return false;
  return true;
}

inline const CableSkinScratch::Box& root(const CableSkinScratch::Strand& tree) noexcept { return tree.boxes[1]; }

// The element of a leaf.
inline std::size_t element_of(const CableSkinScratch::Strand& tree, std::size_t leaf) noexcept {
  return leaf >= tree.begin ? leaf - tree.begin : leaf + tree.curves.size() - tree.begin;
}

void widen(CableSkinScratch::Box& box, const Vec3& p) noexcept;

// Boxes of this state; marks all curves as not computed.
void refit(CableSkinScratch::Strand& tree, const CableStrand& strand) noexcept;

// Curve and capsules of an element.
void prepare(CableSkinScratch::Strand& tree, const CableStrand& strand, std::size_t element) noexcept;

}  // namespace contactlib::element

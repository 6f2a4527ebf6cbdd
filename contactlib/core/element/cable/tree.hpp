// the tree of boxes around a cable's elements, refitted in every step; curves and capsules of those that are asked for.
#pragma once

#include "skin.hpp"

namespace contactlib {

inline bool is_near(const CableSkinScratch::Box& a, const CableSkinScratch::Box& b, double reach) noexcept {
  for (int i = 0; i < 3; ++i)
    if (!(a.low[i] < b.high[i] + reach && b.low[i] < a.high[i] + reach)) return false;
  return true;
}

inline const CableSkinScratch::Box& root(const CableSkinScratch::Strand& tree) noexcept { return tree.boxes[1]; }

// of a leaf.
inline std::size_t element_of(const CableSkinScratch::Strand& tree, std::size_t leaf) noexcept {
  return leaf >= tree.begin ? leaf - tree.begin : leaf + tree.curves.size() - tree.begin;
}

void widen(CableSkinScratch::Box& box, const Vec3& p) noexcept;

// boxes of this state; no curve is ready.
void refit(CableSkinScratch::Strand& tree, const CableStrand& strand) noexcept;

// curve and capsules of an element.
void prepare(CableSkinScratch::Strand& tree, const CableStrand& strand, std::size_t element) noexcept;

}  // namespace contactlib

// Over one triangle the thickness has one maximum, since the solid is convex. So two triangles are connected above a
// level if their common side is above it somewhere. Taken from the highest side to the lowest, the parts of the patch
// above a falling level are joined one by one (Kruskal); where two parts join, the one with the lower maximum ends.
#include "peaks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "groups.hpp"
#include "patches.hpp"

namespace contactlib::geometry {

namespace {

constexpr double least_prominence = 1e-3;  // of the greatest thickness: a peak that is less above its saddle is none
constexpr double rounding = 1e-9;    // relative: heights that are equal
constexpr std::int32_t alive = -1;   // of peak_of: the piece leads a part that has not ended

// For peak_of: the piece's part ended as this branch; any value above `alive` is a piece of the part it was joined to.
constexpr std::int32_t ended(std::int32_t branch) noexcept { return -2 - branch; }

}  // namespace

std::int32_t branch_of(const OverlapScratch& scratch, std::int32_t piece) noexcept {
  while (scratch.peak_of[piece] >= 0) piece = scratch.peak_of[piece];
  return ended(scratch.peak_of[piece]);
}

namespace {

class MergeTree {
 public:
  MergeTree(const Surface& B, Patch& patch, OverlapScratch& scratch) noexcept : B_(B), patch_(patch), s_(scratch) {}

  bool find() noexcept {
    part();
    if (climbs_to_one()) {
      put_back();
      return false;
    }
    // sides that meet in a corner of B are equally high but for rounding: the order of faces decides
    std::sort(s_.links.begin(), s_.links.end(), [this](const Link& x, const Link& y) noexcept {
      const float high = static_cast<float>(x.height), low = static_cast<float>(y.height);
      return high != low ? high > low : faces_of(x) < faces_of(y);
    });
    for (const Link& link : s_.links) join(link);
    end();
    const bool several = s_.branches.size() > 1;
    if (!several) put_back();
    return several;
  }

 private:
  // Each piece is a part of its own, and the sides connect them. Pieces that do not face the way out belong to no part.
  void part() noexcept {
    s_.links.clear(), s_.branches.clear(), s_.listed.clear();
    s_.peak_of.resize(s_.pieces.size());
    s_.last_of.resize(s_.pieces.size());
    for (std::int32_t k = patch_.first, next; k >= 0; k = next) {
      Piece& piece = s_.pieces[k];
      next = piece.next;
      const bool counts = s_.heights[k].top > 0.0;
      s_.listed.push_back(k);
      piece.next = counts ? -1 : rest_;
      if (!counts) {
        rest_ = k;
        continue;
      }
      piece.leader = k;
      s_.peak_of[k] = alive, s_.last_of[k] = k;
      if (highest_ < 0 || above(k, highest_)) highest_ = k;
      add_links(k);
    }
  }

  std::pair<std::int32_t, std::int32_t> faces_of(const Link& link) const noexcept {
    return std::minmax({s_.pieces[link.a].face, s_.pieces[link.b].face});
  }

  bool above(std::int32_t a, std::int32_t b) const noexcept {
    const float x = static_cast<float>(s_.heights[a].top), y = static_cast<float>(s_.heights[b].top);
    return x != y ? x > y : a < b;  // pieces that meet in a corner of B are equally high but for rounding
  }

  // Test without a tree: from every piece except one, a side at which it is highest leads to a higher piece.
  bool climbs_to_one() noexcept {
    int ends = 0;
    for (const Link& link : s_.links) {
      const bool falls = above(link.a, link.b);
      const std::int32_t lower = falls ? link.b : link.a, higher = falls ? link.a : link.b;
      if (link.height >= (1.0 - rounding) * s_.heights[lower].top) s_.peak_of[lower] = higher;
    }
    for (const std::int32_t k : s_.listed) {
      ends += s_.heights[k].top > 0.0 && s_.peak_of[k] == alive;
      s_.peak_of[k] = alive;
    }
    return ends <= 1;
  }

  void add_links(std::int32_t k) noexcept {
    const std::int32_t first = B_.faces[s_.pieces[k].face].first;
    for (int i = 0; i < 3; ++i) {
      if (!(s_.pieces[k].sides & 1 << i)) continue;
      const std::int32_t e = B_.loop_edges[first + i];
      const Edge& edge = B_.edges[e];
      const std::int32_t face = edge.f0 == s_.pieces[k].face ? edge.f1 : edge.f0;
      const std::int32_t other = face < 0 ? -1 : s_.piece_of[face];
      if (other <= k || is_valley(B_, edge)) continue;
      for (int j = 0; j < 3; ++j) {
        if (B_.loop_edges[B_.faces[face].first + j] != e || !(s_.pieces[other].sides & 1 << j)) continue;
        const double height = std::min(s_.heights[k].side[i], s_.heights[other].side[j]);
        if (height > 0.0) s_.links.push_back({height, k, other, e, s_.heights[k].at[i]});
      }
    }
  }

  // The higher part leads, so that the first piece of a part contains its maximum.
  void join(const Link& link) noexcept {
    std::int32_t here = link.a, there = link.b;
    std::int32_t low = leader_of(s_.pieces, here), high = leader_of(s_.pieces, there);
    if (high == low) return;
    if (above(low, high)) std::swap(high, low), std::swap(here, there);
    const bool counts = s_.heights[low].top - link.height > least_prominence * s_.heights[highest_].top;
    if (counts && s_.branches.size() + 1 < max_branches)
      add_branch(low, high, {here, there}, link.height, link.at, link.edge);
    else
      s_.peak_of[low] = counts ? high : there;  // what ended in it ends in the higher one, which has all of its pieces
    s_.pieces[low].leader = high;
    append(high, low);
  }

  void add_branch(std::int32_t low, std::int32_t high, std::array<std::int32_t, 2> ends, double saddle, const Vec3& at,
                  std::int32_t edge) noexcept {
    s_.peak_of[low] = ended(static_cast<std::int32_t>(s_.branches.size()));
    s_.branches.push_back(
        {low, s_.last_of[low], high, {ends[0], ends[1]}, s_.heights[low].top, saddle, at, edge, origin_of(low)});
  }

  // The piece of the first face among the pieces of equal height to rounding.
  std::int32_t origin_of(std::int32_t peak) const noexcept {
    const double least = (1.0 - rounding) * s_.heights[peak].top;
    std::int32_t first = s_.pieces[peak].face;
    for (std::int32_t k = peak; k >= 0; k = s_.pieces[k].next)
      if (s_.heights[k].top >= least) first = std::min(first, s_.pieces[k].face);
    return first;
  }

  void append(std::int32_t high, std::int32_t low) noexcept {
    s_.pieces[s_.last_of[high]].next = low;
    s_.last_of[high] = s_.last_of[low];
  }

  // Parts that join nowhere end at level zero. The highest part is the last one, and receives the pieces of no part.
  void end() noexcept {
    if (highest_ < 0) return;
    for (const std::int32_t k : s_.listed) {
      if (!(s_.heights[k].top > 0.0) || s_.peak_of[k] != alive || k == highest_) continue;
      if (s_.heights[k].top > least_prominence * s_.heights[highest_].top && s_.branches.size() + 1 < max_branches)
        add_branch(k, highest_, {k, highest_}, 0.0, Vec3::Zero(), -1);
      else
        s_.peak_of[k] = highest_;
      append(highest_, k);
    }
    s_.pieces[s_.last_of[highest_]].next = rest_;
    patch_.first = highest_;
    const std::int32_t root = static_cast<std::int32_t>(s_.branches.size());
    add_branch(highest_, -1, {highest_, highest_}, 0.0, Vec3::Zero(), -1);
    s_.branches[root].last = -1;
    for (Branch& branch : s_.branches) {
      for (std::int32_t& end : branch.ends) end = branch_of(s_, end);
      if (branch.parent >= 0) branch.parent = branch_of(s_, branch.parent);
    }
  }

  // Restores the list.
  void put_back() noexcept {
    std::int32_t next = -1;
    for (auto k = s_.listed.rbegin(); k != s_.listed.rend(); next = *k++) s_.pieces[*k].next = next;
    patch_.first = next;
  }

  const Surface& B_;
  Patch& patch_;
  OverlapScratch& s_;
  std::int32_t highest_ = -1, rest_ = -1;
};

}  // namespace

bool find_peaks(const Surface& B, Patch& patch, OverlapScratch& scratch) noexcept {
  return MergeTree(B, patch, scratch).find();
}

}  // namespace contactlib::geometry

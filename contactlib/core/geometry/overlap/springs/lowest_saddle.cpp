// With a saddle S and the peaks D <= D' of the two parts that it connects:
//   F = smoothstep(x),   x = S (1/D + 1/(low D')),   dx = (1/D + 1/(low D')) dS - S/D^2 dD - S/(low D'^2) dD'
// The lowest saddle is the one with the least x.
#include "lowest_saddle.hpp"

#include <algorithm>

#include "geometry/overlap/patch/peaks.hpp"

namespace contactlib::geometry {

namespace {

// Of the higher peak: where the saddle is that high, two like peaks are nearly one patch. The higher it is, the less is
// the force of F, and the more often a patch is measured twice.
constexpr double low = 0.15;
constexpr std::int32_t unknown = -1;

class Cut {
 public:
  // Each piece is on the side of the peak above it.
  Cut(const Surface& B, const Patch& patch, std::int32_t branch, OverlapScratch& scratch) noexcept
      : B_(B), patch_(patch), s_(scratch), side_(scratch.last_of) {
    bool there[max_branches] = {};
    find_side(branch, there);
    each_piece(patch, [&](std::int32_t k) noexcept {
      side_[k] = s_.heights[k].top > 0.0 ? there[branch_of(s_, k)] : unknown;
    });
    spread();
  }

  void write(Patch (&parts)[2]) noexcept {
    std::int32_t last[2] = {-1, -1};
    for (Patch& part : parts) part = {-1, 0.0, Vec3::Zero()};
    for (std::int32_t k = patch_.first, next; k >= 0; k = next) {
      next = s_.pieces[k].next, s_.pieces[k].next = -1;
      const std::int32_t side = std::max(side_[k], 0);
      Patch& part = parts[side];
      (last[side] < 0 ? part.first : s_.pieces[last[side]].next) = k;
      side_[k] = side, last[side] = k;
      part.area += s_.pieces[k].area.norm();
      part.area_vector += s_.pieces[k].area;
    }
    for (const Patch& part : parts) each_piece(part, [this](std::int32_t k) noexcept { separate(k); });
  }

 private:
  template <class Visit>
  void each_piece(const Patch& patch, const Visit& visit) noexcept {
    for (std::int32_t k = patch.first; k >= 0; k = s_.pieces[k].next) visit(k);
  }

  // visit(i, other): the piece beyond side i
  template <class Visit>
  void each_neighbour(std::int32_t k, const Visit& visit) noexcept {
    const std::int32_t here = s_.pieces[k].face;
    for (int i = 0; i < 3; ++i) {
      const Edge& edge = B_.edges[B_.loop_edges[B_.faces[here].first + i]];
      const std::int32_t face = edge.f0 == here ? edge.f1 : edge.f0;
      if (face < 0 || !(s_.pieces[k].sides & 1 << i) || is_valley(B_, edge)) continue;
      if (s_.piece_of[face] >= 0) visit(i, s_.piece_of[face]);
    }
  }

  // The branches on one side: saddles are the edges of a tree.
  void find_side(std::int32_t branch, bool* there) const noexcept {
    there[s_.branches[branch].ends[0]] = true;
    for (bool more = true; more;) {
      more = false;
      for (const Branch& one : s_.branches) {
        bool &here = there[one.ends[0]], &beyond = there[one.ends[1]];
        if (&one != &s_.branches[branch] && here != beyond) here = beyond = more = true;
      }
    }
  }

  // Pieces that do not face the way out are on the side of their neighbours.
  void spread() noexcept {
    for (bool more = true; more;) {
      more = false;
      each_piece(patch_, [&](std::int32_t k) noexcept {
        if (side_[k] != unknown) return;
        each_neighbour(k, [&](int, std::int32_t other) noexcept { side_[k] = std::max(side_[k], side_[other]); });
        more = more || side_[k] != unknown;
      });
    }
  }

  // Removes the sides that a piece has in common with pieces of the other part.
  void separate(std::int32_t k) noexcept {
    each_neighbour(k, [&](int i, std::int32_t other) noexcept {
      if (side_[other] != side_[k]) s_.pieces[k].sides &= ~(1 << i);
    });
  }

  const Surface& B_;
  const Patch& patch_;
  OverlapScratch& s_;
  std::vector<std::int32_t>& side_;  // of each piece: 0 or 1
};

}  // namespace

LowestSaddle::LowestSaddle(const OverlapSolver& solver, const OverlapScratch& scratch) noexcept {
  const auto& branches = scratch.branches;
  const auto inverse = [&](const Branch& one) noexcept {
    return 1.0 / one.top + 1.0 / (low * branches[one.parent].top);
  };
  double x = 1.0;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (!(branches[b].saddle > 0.0)) continue;
    const double its = branches[b].saddle * inverse(branches[b]);
    if (its < x) x = its, branch = static_cast<std::int32_t>(b);
  }
  if (branch < 0) return;
  weight = smoothstep(x);
  const Branch& lower = branches[branch];
  const double slope = 6.0 * x * (1.0 - x), S = lower.saddle;
  const auto add_top = [&](const Branch& one, double by) noexcept {
    of_weight.add(-slope * S * by / (one.top * one.top), scratch.heights[one.first].peak, solver.top_gradient_of(one));
  };
  of_weight.add(slope * inverse(lower), lower.at, lower.gradient);
  add_top(lower, 1.0);
  add_top(branches[lower.parent], 1.0 / low);
}

void cut(const Surface& B, const Patch& patch, std::int32_t branch, OverlapScratch& scratch,
         Patch (&parts)[2]) noexcept {
  Cut(B, patch, branch, scratch).write(parts);
}

}  // namespace contactlib::geometry

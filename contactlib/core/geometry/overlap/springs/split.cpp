// With the peaks D_i and the saddles S_j, and with the peaks D and D' on both sides of a saddle S:
//   p_j = a b/(a^2 + b^2)^(1/2),  a = D - S,  b = D' - S
//   z = (sum p_j^4)^(1/4)/(clear (sum D_i^2 - sum S_j^2)^(1/2)),   s = smoothstep(z)
// z is smooth where two peaks exchange their order, and where a peak appears. The energies add up with the weight s, so
// that its derivative belongs to the force:
//   E = (1 - s) E_whole + s E_peaks,   f = (1 - s) f_whole + s f_peaks + (E_peaks - E_whole) grad s
#include "split.hpp"

#include <algorithm>
#include <cmath>

#include "added_force.hpp"

namespace contactlib::geometry {

namespace {

// Relative to the height of all peaks: where the saddles are that much lower, the peaks count in full. The less it is,
// the smaller is the difference in energy between one contact and several, over which the weight passes.
constexpr double clear = 0.1;
// Depth of a tip over that of the peaks: up to the first the peaks count, from the second on the whole patch does.
constexpr double hidden[2] = {1.3, 1.7};

// The thickness over the pieces of B may leave out a tip of A beside them, which only the depth of the whole patch tells.
double seen(const PeakContacts& peaks, std::size_t count) noexcept {
  double over_B = 0.0, depth = 0.0;
  for (std::size_t b = 0; b < count; ++b) {
    over_B = std::max(over_B, peaks.contact[b].over_B);
    depth = std::max(depth, peaks.contact[b].moments.depth);
  }
  return 1.0 - smoothstep((depth / over_B - hidden[0]) / (hidden[1] - hidden[0]));
}

}  // namespace

Split::Split(const OverlapSolver& solver, const OverlapScratch& scratch, const PeakContacts& peaks,
             bool counts) noexcept
    : solver_(solver), scratch_(scratch), seen_(counts ? seen(peaks, scratch.branches.size()) : 0.0) {
  double squares = 0.0, fourths = 0.0;
  for (const Branch& branch : scratch_.branches) {
    squares += branch.top * branch.top - branch.saddle * branch.saddle;
    if (branch.parent >= 0) fourths += fourth(rise_of(branch).both);
  }
  height_ = std::sqrt(squares), prominence_ = std::sqrt(std::sqrt(fourths));
  z_ = prominence_ / (clear * height_);
}

Split::Rise Split::rise_of(const Branch& branch) const noexcept {
  const double a = branch.top - branch.saddle, b = scratch_.branches[branch.parent].top - branch.saddle;
  return {a, b, a * b / std::sqrt(a * a + b * b)};
}

// Of s as A moves:
//   ds = s' dz,   dz = (sum (p/P)^3 dp - z clear (sum D dD - sum S dS)/H)/(clear H),   dp = p^3 (da/a^3 + db/b^3)
Decrease Split::decrease() const noexcept {
  Decrease out;
  const double slope = z_ < 1.0 ? seen_ * 6.0 * z_ * (1.0 - z_) : 0.0;
  if (!(slope > 0.0)) return out;
  const double by = slope / (clear * height_), back = slope * z_ / (height_ * height_);
  double tops[max_branches];
  const auto& branches = scratch_.branches;
  for (std::size_t b = 0; b < branches.size(); ++b) tops[b] = -back * branches[b].top;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Branch& branch = branches[b];
    if (branch.parent < 0) continue;
    const Rise rise = rise_of(branch);
    const auto part = [&](double x) noexcept {
      const double much = rise.both / prominence_, most = rise.both / x;
      return by * (much * much * much) * (most * most * most);
    };
    const double low = part(rise.low), high = part(rise.high);
    tops[b] += low, tops[branch.parent] += high;
    if (branch.saddle > 0.0) out.add(back * branch.saddle - low - high, branch.at, branch.gradient);
  }
  for (std::size_t b = 0; b < branches.size(); ++b)
    out.add(tops[b], scratch_.heights[branches[b].first].peak, solver_.top_gradient_of(branches[b]));
  return out;
}

}  // namespace contactlib::geometry

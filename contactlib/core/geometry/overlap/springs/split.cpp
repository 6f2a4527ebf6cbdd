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
// The force of the weight is limited: to this part of the force of all springs, as it turns their normals; and to a shift
// of the line of action by this part of how far they are apart.
constexpr double most_force = 0.25, most_shift = 0.5;

// Depth of a tip over that of the peaks: up to the first the peaks count, from the second on the whole patch does.
constexpr double hidden[2] = {1.3, 1.7};

// The springs of one contact, with its weight.
struct Weighted {
  const PatchContact* contact;
  Springs* springs;
  double weight;

  double force(int i) const noexcept { return weight * springs->share(i) * springs->depth[i]; }
  double energy() const noexcept {  // m2
    double sum = 0.0;
    for (int i = 0; i < springs->count; ++i) sum += 0.5 * springs->share(i) * springs->depth[i] * springs->depth[i];
    return sum;
  }
};

// The springs of several contacts together.
struct Together {
  Weighted contact[max_branches + 1];
  int count = 0;
  double load = 0.0, size = 0.0;  // m: the sum of the forces' lengths; how far the springs are from their middle
  Vec3 force = Vec3::Zero(), middle = Vec3::Zero();  // m

  template <class Visit>
  void each(const Visit& visit) const noexcept {
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < contact[c].springs->count; ++i)
        visit(contact[c].force(i), contact[c].springs->n, place_of(*contact[c].contact, *contact[c].springs, i));
  }

  void add_up() noexcept {
    each([this](double f, const Vec3& n, const Vec3& x) noexcept { load += f, force += f * n, middle += f * x; });
    middle /= load;
    each([this](double, const Vec3&, const Vec3& x) noexcept { size = std::max(size, (x - middle).norm()); });
  }

  // Adds a force, and moves the line of action. The springs keep their energy, but do not become deeper.
  void change(const Vec3& more, const Vec3& shift) noexcept {
    for (int c = 0; c < count; ++c) {
      Springs& springs = *contact[c].springs;
      const Spread& spread = contact[c].contact->spread;
      const Vec3 f = springs.n + more / load;
      const double by = f.norm(), shallower = std::max(1.0, by);
      const Vec3 n = f / by;
      for (int i = 0; i < springs.count; ++i) {
        const Vec3 moved = springs.height[i] * (springs.n - n) + shift;
        springs.x[i][0] += spread.e1.dot(moved), springs.x[i][1] += spread.e2.dot(moved);
        springs.depth[i] /= shallower;
      }
      springs.n = n;
      springs.load_share *= by * shallower;
    }
  }
};

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

// Of z as A moves:
//   dz = (sum (p/P)^3 dp - z clear (sum D dD - sum S dS)/H)/(clear H),   dp = p^3 (da/a^3 + db/b^3)
Decrease Split::decrease() const noexcept {
  Decrease out;
  const double by = 1.0 / (clear * height_), back = z_ / (height_ * height_);
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

void Split::add_force(PeakContacts& peaks, const PatchContact& whole, Springs& springs) const noexcept {
  const double s = weight(), slope = z_ < 1.0 ? seen_ * 6.0 * z_ * (1.0 - z_) : 0.0;
  if (!(slope > 0.0)) return;
  Together all;
  double gained = 0.0;
  for (std::size_t b = 0; b < scratch_.branches.size(); ++b) {
    all.contact[all.count++] = {&peaks.contact[b], &peaks.springs[b], s};
    gained += all.contact[b].energy();
  }
  all.contact[all.count++] = {&whole, &springs, 1.0 - s};
  gained -= all.contact[all.count - 1].energy();
  all.add_up();
  if (!(all.load > 0.0) || !(all.size > 0.0)) return;
  const Decrease z = decrease();
  const double by = gained * slope;
  const Decrease more{by * z.force, by * z.couple};
  const AddedForce added = added_force(all.force, all.middle, more, most_force * all.load, most_shift * all.size);
  all.change(added.force, added.shift);
}

}  // namespace contactlib::geometry

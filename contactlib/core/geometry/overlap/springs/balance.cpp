// The force of k/2 (sum D_i^2 - sum S_i^2) is that of the peaks minus k S_i grad S_i of each saddle. Springs do not
// pull: the reduction by a saddle is distributed to the peaks on both sides of it, like a load on a beam. The forces
// F0_i along u are then changed, as little as possible, so that none is below zero or above its own k D_i, and their sum
// is right. With a_i = (x_i - x)/size, from the line of action x, and w_i = F0_i + D_i/1000, W their sum:
//   minimise sum of (F_i - F0_i)^2/(2 w_i) + abs(sum F_i a_i)^2/(2 e W)   for   0 <= F_i <= D_i,  sum F_i = F
//   F_i = F0_i + w_i (l + m.a_i) within these bounds,   e W m = -sum F_i a_i
// So the solution is unique and continuous, whether forces exist that keep the line of action or not. m is the minimum
// of a convex function, found by Newton's method; l follows from the sum. What is left of sum F_i a_i moves all places
// alike. The rest of the force, across u, is distributed in proportion to the forces along u.
#include "balance.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/patch/moments.hpp"

namespace contactlib::geometry {

namespace {

constexpr int turns = 40, level_turns = 60;
constexpr double least_fall = 1e-4, least_part = 1e-9;  // of a step that Newton's method proposes
constexpr double exact = 1e-15;  // of the sum of forces: the rest is rounding
constexpr double least_gives = 1e-3;  // of its own force: what a peak gives from which all is taken off
constexpr double softness = 1e-3;  // e
constexpr double most_shift = 0.5;  // of the distance of the places from the line of action

using Place = Eigen::Vector2d;  // m, across u

// All springs of one branch together.
struct Load {
  // m, -, m2: sums of load share times depth, of load share, of load share times depth^2
  double force = 0.0, load_share = 0.0, energy = 0.0;
  Vec3 place = Vec3::Zero();

  Load(const PatchContact& contact, const Springs& springs) noexcept {
    for (int i = 0; i < springs.count; ++i) {
      const double f = springs.share(i) * springs.depth[i];
      force += f, load_share += springs.share(i), energy += f * springs.depth[i];
      place += f * place_of(contact, springs, i);
    }
    if (force > 0.0) place /= force;
  }
};

struct Peak {
  double own = 0.0, multiplicity = 0.0;  // of its springs: force along u, m, and see there
  double force = 0.0;  // m, what it bears along u
  Place x;
  Place a;  // x from the line of action, relative to the size of all
  double gives = 0.0;  // m, how much its force changes with a multiplier
};

class Balance {
 public:
  Balance(const OverlapScratch& scratch, PeakContacts& peaks) noexcept
      : branches_(scratch.branches), u_(scratch.up), out_(peaks), count_(static_cast<int>(branches_.size())) {
    axes_across(u_, e1_, e2_);
  }

  bool solve() noexcept {
    for (int b = 0; b < count_; ++b)
      if (!add_peak(b)) return false;
    for (int b = 0; b + 1 < count_; ++b) take_off(b);
    if (!(force_ > 0.0) || !(energy_ > 0.0)) return false;
    hold_place();
    return write();
  }

 private:
  // Relative to the foot of the first peak, so that differences are small.
  Place place(const Vec3& x) const noexcept { return Place(e1_.dot(x - from_), e2_.dot(x - from_)); }

  bool add_peak(int b) noexcept {
    const Springs& springs = out_.springs[b];
    const Load load(out_.contact[b], springs);
    const double along = load.force * springs.n.dot(u_);
    if (!(along > 0.0)) return false;
    if (b == 0) from_ = load.place;
    peaks_[b] = {along, springs.multiplicity, along, place(load.place), Place::Zero()};
    force_ += along, energy_ += load.energy, moment_ += along * peaks_[b].x;
    across_ += load.force * springs.n - along * u_;
    return true;
  }

  void take_off(int b) noexcept {
    const Branch& branch = branches_[b];
    if (!(branch.saddle > 0.0)) return;
    const double taken = peaks_[b].multiplicity * branch.saddle;
    const Place y = place(branch.at);
    force_ -= taken, energy_ -= taken * branch.saddle, moment_ -= taken * y;
    across_ -= taken * (branch.gradient - u_);
    Peak *const here = &peaks_[branch.ends[0]], *const there = &peaks_[branch.ends[1]];
    const Place direction = there->x - here->x;
    const double length = direction.squaredNorm();
    const double part = length > 0.0 ? std::clamp((y - here->x).dot(direction) / length, 0.0, 1.0) : 0.0;
    here->force -= (1.0 - part) * taken;
    there->force -= part * taken;
  }

  // What a peak bears for the multiplier l + m.a, with l for all.
  static double borne(const Peak& peak, double by) noexcept {
    return std::clamp(peak.force + peak.gives * by, 0.0, peak.own);
  }
  static bool is_free(const Peak& peak, double by) noexcept {
    const double force = peak.force + peak.gives * by;
    return 0.0 < force && force < peak.own;
  }

  // The l for which all peaks together bear F. Their sum rises with l from 0 to more than F, in straight pieces.
  double level_for(const Place& m) const noexcept {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int b = 0; b < count_; ++b) {
      const Peak& peak = peaks_[b];
      low = std::min(low, -peak.force / peak.gives - peak.a.dot(m));
      high = std::max(high, (peak.own - peak.force) / peak.gives - peak.a.dot(m));
    }
    double l = std::clamp(0.0, low, high);
    for (int turn = 0; turn < level_turns && low < high; ++turn) {
      double gap = -force_, slope = 0.0;
      for (int b = 0; b < count_; ++b) {
        const double by = l + peaks_[b].a.dot(m);
        gap += borne(peaks_[b], by);
        if (is_free(peaks_[b], by)) slope += peaks_[b].gives;
      }
      (gap > 0.0 ? high : low) = l;
      if (std::abs(gap) <= exact * force_) break;
      const double next = slope > 0.0 ? l - gap / slope : low;
      l = low < next && next < high ? next : 0.5 * (low + high);
    }
    return l;
  }

  // For multipliers m, with the l that belongs to them: the dual function and its derivatives.
  struct Dual {
    double level, value;
    Place gradient;
    Eigen::Matrix2d slope;
  };

  Dual dual(const Place& m) const noexcept {
    const double soft = softness * gives_;
    Dual out{level_for(m), 0.5 * soft * m.squaredNorm(), soft * m, soft * Eigen::Matrix2d::Identity()};
    out.value -= force_ * out.level;
    double free = 0.0;
    Place mean = Place::Zero();
    for (int b = 0; b < count_; ++b) {
      const Peak& peak = peaks_[b];
      const double by = out.level + peak.a.dot(m), force = borne(peak, by), until = (force - peak.force) / peak.gives;
      // int of the force from 0 on
      out.value += peak.force * until + 0.5 * peak.gives * until * until + force * (by - until);
      out.gradient += force * peak.a;
      if (!is_free(peak, by)) continue;
      free += peak.gives, mean += peak.gives * peak.a;
      out.slope += peak.gives * peak.a * peak.a.transpose();
    }
    if (free > 0.0) out.slope -= mean * mean.transpose() / free;
    return out;
  }

  void hold_place() noexcept {
    const Place x = moment_ / force_;
    double size = 0.0;
    for (int b = 0; b < count_; ++b) size = std::max(size, (peaks_[b].x - x).norm());
    if (!(size > 0.0)) return;
    for (int b = 0; b < count_; ++b) {
      Peak& peak = peaks_[b];
      peak.a = (peak.x - x) / size;
      peak.force = std::clamp(peak.force, 0.0, peak.own);
      peak.gives = peak.force + least_gives * peak.own;
      gives_ += peak.gives;
    }
    Place m = Place::Zero();
    Dual here = dual(m);
    for (int turn = 0; turn < turns && here.gradient.norm() > exact * force_; ++turn) {
      Place step = -here.slope.ldlt().solve(here.gradient);
      const double falls = least_fall * here.gradient.dot(step);
      Dual next = dual(m + step);
      for (double part = 1.0; part > least_part && next.value > here.value + part * falls;) {
        part *= 0.5, step *= 0.5;
        next = dual(m + step);
      }
      if (!(next.value < here.value) && !(next.gradient.norm() < here.gradient.norm())) break;
      m += step;
      here = next;
    }
    Place gap = moment_;
    for (int b = 0; b < count_; ++b) {
      peaks_[b].force = borne(peaks_[b], here.level + peaks_[b].a.dot(m));
      gap -= peaks_[b].force * peaks_[b].x;
    }
    const Place shift = gap / force_;
    const double much = shift.norm() / (most_shift * size);
    const double part = 1.0 / std::sqrt(std::sqrt(1.0 + much * much * much * much));
    shift_ = part * (shift[0] * e1_ + shift[1] * e2_);
  }

  // Writes the forces, in proportion to the load shares.
  bool write() noexcept {
    double sum = 0.0;
    for (int b = 0; b < count_; ++b) {
      const Vec3& n = out_.springs[b].n;
      sum += peaks_[b].force;
      across_ -= peaks_[b].force * (n / n.dot(u_) - u_);
    }
    if (!(sum > 0.0)) return false;
    for (int b = 0; b < count_; ++b) {
      Springs& springs = out_.springs[b];
      const double own = peaks_[b].own / springs.n.dot(u_);
      const Vec3 left = peaks_[b].force * (springs.n / springs.n.dot(u_) + across_ / sum);
      const double bears = left.norm();
      springs.load_share *= bears / own;
      if (bears > 0.0) turn(springs, out_.contact[b].spread, left / bears, shift_);
    }
    deepen();
    return true;
  }

  // Rotates the springs to another normal, at the same points.
  static void turn(Springs& springs, const Spread& spread, const Vec3& n, const Vec3& shift) noexcept {
    for (int i = 0; i < springs.count; ++i) {
      const Vec3 moved = springs.height[i] * (springs.n - n) + shift;
      springs.x[i][0] += spread.e1.dot(moved), springs.x[i][1] += spread.e2.dot(moved);
    }
    springs.n = n;
  }

  // Scales the depths so that the springs store the energy: all by one factor, but none beyond the deepest one before
  // all reach it.
  void deepen() noexcept {
    double energy[max_branches], capacity[max_branches], deepest = 0.0;
    for (int b = 0; b < count_; ++b) {
      const Springs& springs = out_.springs[b];
      energy[b] = Load(out_.contact[b], springs).energy;
      capacity[b] = *std::max_element(springs.depth, springs.depth + springs.count);
      deepest = std::max(deepest, capacity[b]);
    }
    for (int b = 0; b < count_; ++b) capacity[b] = deepest / capacity[b];
    bool full[max_branches] = {};
    double by = 1.0, all = 1.0;
    for (bool more = true; more;) {
      double held = 0.0, free = 0.0;
      for (int b = 0; b < count_; ++b) (full[b] ? held : free) += full[b] ? energy[b] * capacity[b] : energy[b];
      more = false;
      if (!(free > 0.0)) {
        all = held > 0.0 ? energy_ / held : 1.0;
        break;
      }
      by = (energy_ - held) / free;
      for (int b = 0; b < count_; ++b)
        if (!full[b] && capacity[b] < by) full[b] = more = true;
    }
    for (int b = 0; b < count_; ++b) {
      Springs& springs = out_.springs[b];
      const double deeper = all * (full[b] ? capacity[b] : by);
      if (!(deeper > 0.0)) continue;
      springs.load_share /= deeper;
      for (int i = 0; i < springs.count; ++i) springs.depth[i] *= deeper;
    }
  }

  const std::vector<Branch>& branches_;
  const Vec3 u_;
  PeakContacts& out_;
  const int count_;
  Vec3 e1_, e2_, from_ = Vec3::Zero();
  Peak peaks_[max_branches];
  double force_ = 0.0, energy_ = 0.0;  // m, m2: of all together
  Vec3 across_ = Vec3::Zero();  // m
  Place moment_ = Place::Zero();
  double gives_ = 0.0;  // m
  Vec3 shift_ = Vec3::Zero();  // m
};

}  // namespace

bool balance(const OverlapScratch& scratch, PeakContacts& peaks) noexcept { return Balance(scratch, peaks).solve(); }

}  // namespace contactlib::geometry

// The force of k/2 (sum D_i^2 - sum S_i^2) is that of the peaks minus k S_i grad S_i of each saddle. Springs do not
// pull: the reduction by a saddle is distributed to the peaks on both sides of it, like a load on a beam. The forces
// F0_i along u are then scaled, as little as possible, so that none is below zero or above its own k D_i, and the line
// of action is kept:
//   minimise sum of (F_i - F0_i)^2/(2 F0_i)   for   0 <= F_i <= D_i,  sum F_i (1, x_i) = F (1, x)
//   F_i = F0_i (1 + l.(1, x_i)) within these bounds
// The multipliers l are the zero of a monotonic function that is linear between kinks: Newton's method, with the least
// step where its derivative H is singular, (H^2 + e)^-1 H, so that rounding is not amplified. The rest of the force,
// across u, is distributed in proportion to the forces along u.
#include "balance.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap/patch/moments.hpp"

namespace contactlib::geometry {

namespace {

constexpr int turns = 20;
constexpr double exact = 1e-12;  // of the sum of forces
constexpr double still = 1e-13;  // of the multipliers: a step that is less is none
constexpr double flat = 1e-14;  // of that, squared: what is less in one direction is 0, as places may lie in a line

using Place = Eigen::Vector2d;  // m, across u

// All springs of one branch together.
struct Load {
  // m, -, m2: sums of load share times depth, of load share, of load share times depth^2
  double force = 0.0, load_share = 0.0, energy = 0.0;
  Vec3 place = Vec3::Zero();

  Load(const PatchContact& contact, const Springs& springs) noexcept {
    for (int i = 0; i < springs.count; ++i) {
      const double f = springs.load_share * springs.depth[i];
      force += f, load_share += springs.load_share, energy += f * springs.depth[i];
      place += f * place_of(contact, springs, i);
    }
    if (force > 0.0) place /= force;
  }
};

struct Peak {
  double own = 0.0, multiplicity = 0.0;  // of its springs: force along u, m, and see there
  double force = 0.0;  // m, what it bears along u
  Place x;
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
    peaks_[b] = {along, springs.multiplicity, along, place(load.place)};
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

  static double scaled(const Peak& peak, double by) noexcept { return std::clamp(peak.force * by, 0.0, peak.own); }

  void hold_place() noexcept {
    const Place x = moment_ / force_;
    double size = 0.0, sum = 0.0;
    for (int b = 0; b < count_; ++b) {
      peaks_[b].force = std::max(peaks_[b].force, 0.0);
      size = std::max(size, (peaks_[b].x - x).norm());
      sum += peaks_[b].force;
    }
    if (!(sum > 0.0) || !(size > 0.0)) return;
    const auto row = [&](int b) noexcept {
      const Place off = (peaks_[b].x - x) / size;
      return Eigen::Vector3d(1.0, off[0], off[1]);
    };
    Eigen::Vector3d l = Eigen::Vector3d::Zero(), best = l;
    double least = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < turns && least > exact * sum; ++turn) {
      Eigen::Vector3d gap(-force_, 0.0, 0.0);
      Eigen::Matrix3d slope = Eigen::Matrix3d::Zero();
      for (int b = 0; b < count_; ++b) {
        const Eigen::Vector3d a = row(b);
        const double part = 1.0 + l.dot(a);
        gap += scaled(peaks_[b], part) * a;
        if (part > 0.0 && peaks_[b].force * part < peaks_[b].own) slope += peaks_[b].force * a * a.transpose();
      }
      if (gap.norm() < least) least = gap.norm(), best = l;
      const Eigen::Matrix3d square = slope * slope + flat * sum * sum * Eigen::Matrix3d::Identity();
      const Eigen::Vector3d step = square.ldlt().solve(slope * gap);
      l -= step;
      if (step.norm() < still * (1.0 + l.norm())) break;
    }
    for (int b = 0; b < count_; ++b) peaks_[b].force = scaled(peaks_[b], 1.0 + best.dot(row(b)));
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
      if (bears > 0.0) turn(springs, out_.contact[b].spread, left / bears);
    }
    deepen();
    return true;
  }

  // Rotates the springs to another normal, at the same points.
  static void turn(Springs& springs, const Spread& spread, const Vec3& n) noexcept {
    for (int i = 0; i < springs.count; ++i) {
      const Vec3 moved = springs.height[i] * (springs.n - n);
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
};

}  // namespace

bool balance(const OverlapScratch& scratch, PeakContacts& peaks) noexcept { return Balance(scratch, peaks).solve(); }

}  // namespace contactlib::geometry

// Where Phi counts by a weight w, between smooth and plain contacts, so do their energies, and the change of w with the pose
// has a force of its own:
//   E = w E_smooth + (1 - w) E_plain,   f = w f_smooth + (1 - w) f_plain + (E_plain - E_smooth) grad w
#include "phi_weight.hpp"

#include <algorithm>
#include <cmath>

#include "added_force.hpp"

namespace contactlib::geometry {

namespace {

// Of the force of the changing weight: at most this part of the force, and this part along it, which would raise the load
// share; for its line of action, this part of the patch's width.
constexpr double most_force = 0.7, most_along = 0.1, most_shift = 2.0;
// By how much the two energies differ, over the greater one: up to the first the force counts, from the second on it does
// not. There the two are different contacts, and a strong force would turn the one that is right.
constexpr double alike[2] = {0.3, 0.4};
constexpr double deepest = 1.25;  // of the greatest thickness: no contact becomes deeper than that by this force

// 1 between `low` and `high`, 0 from `over` beyond them on.
struct Range {
  double low, high, over;

  double of(double x) const noexcept { return std::clamp(1.0 + std::min(x - low, high - x) / over, 0.0, 1.0); }
  double slope(double x) const noexcept {
    const double y = of(x);
    if (!(y > 0.0 && y < 1.0)) return 0.0;
    return x < low ? 1.0 / over : -1.0 / over;
  }
};

// The length of grad Phi, Phi over the thickness, and the cosine of the angle between grad Phi and u.
struct Measures {
  double length, part, direction;
};

struct Ranges {
  Range length, part, direction;

  double of(const Measures& m) const noexcept {
    return length.of(m.length) * part.of(m.part) * direction.of(m.direction);
  }
};

constexpr Ranges of_branch{{0.7, 1.4, 0.2}, {0.6, 1.25, 0.15}, {0.75, 2.0, 0.1}};
constexpr Ranges of_patch{{0.7, 1.2, 0.2}, {0.8, 1.1, 0.1}, {0.95, 2.0, 0.05}};

Measures measures_of(const SmoothDepth& peak, double thickness, const Vec3& u) noexcept {
  const double length = peak.force.norm();
  return {length, peak.depth / thickness, peak.force.dot(u) / length};
}

double thickness_of(const PatchContact& patch) noexcept {
  return patch.is_branch ? patch.top - patch.level : patch.moments.depth;
}

double energy_of(const SingleContact& contact) noexcept {
  return 0.5 * contact.load_share * contact.depth * contact.depth;
}

}  // namespace

double weight_of(const SmoothDepth& peak, double thickness, const Vec3& u, bool is_branch) noexcept {
  return smoothstep((is_branch ? of_branch : of_patch).of(measures_of(peak, thickness, u)));
}

double weight_of(const SmoothDepth& peak, const PatchContact& patch) noexcept {
  return weight_of(peak, thickness_of(patch), patch.n, patch.is_branch);
}

WeightSlopes slopes_of(const SmoothDepth& peak, const PatchContact& patch) noexcept {
  const Ranges& ranges = patch.is_branch ? of_branch : of_patch;
  const Measures m = measures_of(peak, thickness_of(patch), patch.n);
  const double a = ranges.length.of(m.length), b = ranges.part.of(m.part), c = ranges.direction.of(m.direction);
  const double slope = 6.0 * (a * b * c) * (1.0 - a * b * c);
  return {slope * (b * c) * ranges.length.slope(m.length), slope * (a * c) * ranges.part.slope(m.part),
          slope * (a * b) * ranges.direction.slope(m.direction)};
}

SingleContact mixed(const PatchContact& patch, double weight, const SingleContact& smooth,
                    const SingleContact& plain) noexcept {
  const double f1 = weight * smooth.load_share * smooth.depth, f2 = (1.0 - weight) * plain.load_share * plain.depth;
  Vec3 f = f1 * smooth.n + f2 * plain.n, place = (f1 * smooth.place + f2 * plain.place) / (f1 + f2);
  const double energy = f1 * smooth.depth + f2 * plain.depth, before = f.norm();
  const double width = std::sqrt(std::max(0.0, patch.n.dot(patch.moments.U[0])));
  double depth = energy / before;
  if (patch.weight_decrease.force != Vec3::Zero() && width > 0.0) {
    const double one = energy_of(smooth), other = energy_of(plain),
                 apart = std::abs(one - other) / std::max(one, other);
    const double gained = (one - other) * (1.0 - smoothstep((apart - alike[0]) / (alike[1] - alike[0])));
    const Decrease more{gained * patch.weight_decrease.force, gained * patch.weight_decrease.couple};
    const double cosine = more.force.normalized().dot(f) / before;
    const double most = before * (cosine * most_force > most_along ? most_along / cosine : most_force);
    const AddedForce added = added_force(f, place, more, most, most_shift * width);
    f += added.force, place += added.shift;
    depth = std::min(energy / f.norm(), std::max(depth, deepest * patch.top));
  }
  return {depth, f.normalized(), f.norm() / depth, place};
}

}  // namespace contactlib::geometry

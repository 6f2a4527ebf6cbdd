// Patches of one solid whose ways out compete: a tip of A that looks out of a side of B makes a patch of its own there,
// whose way out runs the whole length of A, although a short way, that of another patch, brings the tip out as well.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/overlap/springs/solve.hpp"

namespace contactlib::geometry {

// The contacts of patches, before they are added.
class WaysOut {
 public:
  static constexpr int capacity = 8;

  WaysOut(const OverlapSolver& solver, const OverlapScratch& scratch) noexcept : solver_(solver), scratch_(scratch) {}

  int count = 0;
  PatchPart part[capacity];
  PatchContact contact[capacity];

  bool is_full() const noexcept { return count == capacity; }
  void add(const PatchPart& one, const PatchContact& its) noexcept { part[count] = one, contact[count++] = its; }

  // Weight of patch i: 0 if a much shorter way of another patch, in another direction, brings all of i out of A; 1 if
  // none does; smooth between. `most`: no depth of i may exceed it, m.
  double weight_of(int i, double& most) const noexcept {
    double weight = 1.0, shortest = depth(i);
    for (int j = 0; j < count; ++j) {
      const double here = j == i ? 1.0 : 1.0 - replaced(i, j);
      if (here < 1.0) shortest = std::min(shortest, depth(j));
      weight *= here;
    }
    most = weight < 1.0 ? weight * depth(i) + (1.0 - weight) * shortest : std::numeric_limits<double>::infinity();
    return weight;
  }

 private:
  // Ratios of depths, cosines between normals, and ways that i needs along the normal of j, over the depth of j.
  static constexpr double longer[2] = {1.5, 2.0}, across[2] = {0.3, 0.6}, needed[2] = {1.05, 1.5};

  double depth(int i) const noexcept { return contact[i].moments.depth; }

  static double rise(double x, const double* from_to) noexcept {
    return smoothstep((x - from_to[0]) / (from_to[1] - from_to[0]));
  }

  double replaced(int i, int j) const noexcept {
    const Vec3& n = contact[j].single.n;
    const double much = rise(depth(i) / depth(j), longer) * (1.0 - rise(contact[i].single.n.dot(n), across));
    if (!(much > 0.0)) return 0.0;
    double way = 0.0;
    solver_.for_each_corner(part[i], [&](const Vec3& v) noexcept { way = std::max(way, exit_along(v, n)); });
    return much * (1.0 - rise(way / depth(j), needed));
  }

  // How far A moves along n until the point is out of it, m.
  double exit_along(const Vec3& x, const Vec3& n) const noexcept {
    double least = std::numeric_limits<double>::infinity();
    for (const Wall& wall : scratch_.walls) {
      const double down = -wall.n.dot(n);
      if (down > 1e-12) least = std::min(least, std::max(0.0, wall.d - wall.n.dot(x)) / down);
    }
    return least;
  }

  const OverlapSolver& solver_;
  const OverlapScratch& scratch_;
};

}  // namespace contactlib::geometry

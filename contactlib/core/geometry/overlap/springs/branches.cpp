// A patch whose thickness has several peaks. With D_i the peaks and S_i the saddles that connect them, all of the merge
// tree, the energy of the patch is that of its peaks minus that of its saddles:
//   E = k/2 (sum D_i^2 - sum S_i^2)
// Where two patches join, S is 0; where a peak vanishes, its S is its D; so E is continuous. Each D_i is measured as
// the depth of a patch of its own, above a level: its saddle, or the highest one that leads to a lower peak, if that
// rises clearly above it.
#include <algorithm>
#include <cmath>

#include "solve.hpp"

namespace contactlib::geometry {

namespace {

constexpr double clear_prominence = 0.5;  // relative to its saddle's thickness: such a peak sets a level
constexpr double near_wall = 1e-9;  // of the size of B
constexpr double corner = 1e-9;  // of an edge's length

}  // namespace

// With the way out u through the saddle y, on an edge e of B or in a corner of it, and over a face of A or an edge f:
//   grad S.u = 1,   grad S across e and f, or along the normal of A
Vec3 OverlapSolver::gradient_of(const Branch& branch) const noexcept {
  const Vec3& u = scratch_.up;
  const Edge& edge = B_.edges[branch.edge];
  const double part = edge.t.dot(branch.at - B_.vertices[edge.v0]) / edge.length;
  const Vec3 s = normal_below(branch.at - branch.saddle * u, edge.t, part > corner && part < 1.0 - corner);
  const double along = s.dot(u);
  return std::abs(along) > 0.5 * s.norm() ? Vec3(s / along) : u;
}

// Normal of A at x, not normalised; of two walls that meet there the direction across both their edge and t, if
// `between`.
Vec3 OverlapSolver::normal_below(const Vec3& x, const Vec3& t, bool between) const noexcept {
  if (curved_) return curved_->normal(x);
  const Vec3& u = scratch_.up;
  const Wall *lowest = nullptr, *next = nullptr;
  for (const Wall& wall : scratch_.walls) {
    if (!(std::abs(wall.n.dot(x) - wall.d) < near_wall * B_.size)) continue;
    const Wall* higher = &wall;
    if (!lowest || wall.n.dot(u) < lowest->n.dot(u)) std::swap(lowest, higher);
    if (higher && (!next || higher->n.dot(u) < next->n.dot(u))) next = higher;
  }
  if (!lowest) return u;
  const Vec3 across = between && next ? Vec3(lowest->n.cross(next->n).cross(t)) : Vec3::Zero();
  return across.norm() > 1e-6 ? across : lowest->n;
}

bool OverlapSolver::find_branches(Patch& patch) noexcept {
  surveyed_ = nullptr;
  const double norm = patch.area_vector.norm();
  if (scratch_.pieces[patch.first].next < 0 || !(norm > 0.0)) return false;
  scratch_.up = patch.area_vector / norm;
  survey_ = moments_.survey(patch, scratch_.up);
  surveyed_ = &patch;
  if (!find_peaks(B_, patch, scratch_)) return false;
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(scratch_.branches.size()); ++b) {
    Branch& branch = scratch_.branches[b];
    if (!(branch.saddle > 0.0)) continue;
    branch.gradient = gradient_of(branch);
    if (branch.level < branch.saddle) branch.level = branch.saddle, branch.level_of = b;
    const double prominence = branch.top - branch.saddle;
    const double level = smoothstep(prominence / (clear_prominence * branch.saddle)) * branch.saddle;
    Branch& parent = scratch_.branches[branch.parent];
    if (level > parent.level) parent.level = level, parent.level_of = b;
  }
  return true;
}

}  // namespace contactlib::geometry

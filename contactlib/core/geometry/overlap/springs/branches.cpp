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
constexpr double clear_part = 0.6;  // of the derivative of that: what counts
// D' - S over S: from here on the derivative of r counts, and in full from twice that.
constexpr double least_rise = 0.1;
constexpr double near_wall = 1e-9;  // of the size of B
constexpr double corner = 1e-9;  // of an edge's length
constexpr double upright = 1e-9;  // sine of the angle between u and a side of A

// A level over its saddle: 1 - m, near the greater of both.
double level_part(double r, double c) noexcept {
  const double a = 1.0 - r, b = 1.0 - c, both = a * a + b * b;
  return both > 0.0 ? 1.0 - a * b / std::sqrt(both) : 1.0;
}

}  // namespace

// With the way out u through the saddle y, on an edge e of B or in a corner of it, and over a face of A or an edge f:
//   grad S.u = 1,   grad S across e and f, or along the normal of A
// Where y is on a side w of A and over the face f, y moves along e with w, and S with both:
//   grad S = (n_f - (n_f.t)/(n_w.t) n_w)/(n_f.u)
Vec3 OverlapSolver::gradient_of(const Vec3& y, double height, const Edge& edge) const noexcept {
  return gradient_along(scratch_.up, y, height, edge);
}

Vec3 OverlapSolver::gradient_along(const Vec3& u, const Vec3& y, double height, const Edge& edge) const noexcept {
  const double part = edge.t.dot(y - B_.vertices[edge.v0]) / edge.length;
  const bool between = part > corner && part < 1.0 - corner;
  const Vec3 s = normal_below(u, y - height * u, edge.t, between);
  const double along = s.dot(u);
  if (!(std::abs(along) > 0.5 * s.norm())) return u;
  const Vec3* const side = between && !curved_ ? side_at(u, y) : nullptr;
  const double crosses = side ? side->dot(edge.t) : 0.0;
  if (!(std::abs(crosses) > 1e-6)) return s / along;
  return (s - s.dot(edge.t) / crosses * *side) / along;
}

// On an edge of B, grad D is found like grad S. Within a triangle the greatest thickness is over a corner of A, or
// where the surface of a curved solid is parallel to the triangle:
//   grad D = n_B/(n_B.u)
Vec3 OverlapSolver::top_gradient_of(const Branch& branch) const noexcept {
  const Heights& heights = scratch_.heights[branch.first];
  const Face& face = B_.faces[scratch_.pieces[branch.first].face];
  if (heights.peak_side >= 0)
    return gradient_of(heights.peak, heights.top, B_.edges[B_.loop_edges[face.first + heights.peak_side]]);
  const double along = face.n.dot(scratch_.up);
  return along > 0.5 ? Vec3(face.n / along) : scratch_.up;
}

// The same at the deepest point of a patch, along u; u itself where that is beside the patch.
Vec3 OverlapSolver::top_gradient_of(const PatchPart& part, const Vec3& u, const Moments& moments) const noexcept {
  const Vec3& y = moments.deepest;
  const double near = near_wall * B_.size;
  const Vec3* within = nullptr;
  for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next) {
    const Face& face = B_.faces[scratch_.pieces[k].face];
    if (!(face.n.dot(u) > 0.0) || std::abs(face.n.dot(y - B_.corner(face, 0))) > near) continue;
    const Edge* nearest = nullptr;
    double least = near;
    for (int i = 0; i < 3; ++i) {
      const Edge& edge = B_.edges[B_.loop_edges[face.first + i]];
      const Vec3 from = B_.corner(face, i), side = B_.corner(face, i == 2 ? 0 : i + 1) - from;
      const double inside = face.n.cross(side).dot(y - from) / edge.length;
      if (inside < least) least = inside, nearest = &edge;
    }
    if (least < -near) continue;
    if (nearest) return gradient_along(u, y, moments.depth, *nearest);
    within = &face.n;
  }
  return within && within->dot(u) > 0.5 ? Vec3(*within / within->dot(u)) : u;
}

// Of a level that a lower peak sets, L = S (1 - m), m = a b/(a^2 + b^2)^(1/2), a = 1 - r, b = 1 - c, with r = smoothstep(x)
// and c = smoothstep(y):
//   dL = (1 - m) dS + (b^3 S dr + a^3 S dc)/(a^2 + b^2)^(3/2)
//   x = (D - S)/(D' - S):  S dr = S r' (dD - x dD' - (1 - x) dS)/(D' - S)
//   y = (D - S)/(p S):     S dc = c' (dD - (1 + p y) dS)/p
// They count by weights. Where D' - S is small against S, rounding would be amplified: there the weight of dr is 0.
Decrease OverlapSolver::level_decrease_of(const Branch& branch) const noexcept {
  Decrease out;
  if (branch.level_of < 0) return out;
  const Branch& low = scratch_.branches[branch.level_of];
  if (&low == &branch) {
    out.add(1.0, low.at, low.gradient);
    return out;
  }
  const double S = low.saddle, rise = branch.top - S, r = rise_of(low, branch), c = clearness_of(low);
  const double x = rise > 0.0 ? std::min(1.0, (low.top - S) / rise) : 1.0;
  const double y = std::min(1.0, (low.top - S) / (clear_prominence * S));
  const double w = smoothstep(rise / (least_rise * S) - 1.0);
  const double a = 1.0 - r, b = 1.0 - c, root = std::sqrt(a * a + b * b), cube = root * root * root;
  const double by_rise = w > 0.0 && cube > 0.0 ? w * (b * b * b) / cube * 6.0 * x * (1.0 - x) * S / rise : 0.0;
  const double by_clear = cube > 0.0 ? clear_part * (a * a * a) / cube * 6.0 * y * (1.0 - y) / clear_prominence : 0.0;
  out.add(level_part(r, c) - by_rise * (1.0 - x) - by_clear * (1.0 + clear_prominence * y), low.at, low.gradient);
  if (by_rise + by_clear > 0.0) out.add(by_rise + by_clear, scratch_.heights[low.first].peak, top_gradient_of(low));
  if (by_rise > 0.0) out.add(-by_rise * x, scratch_.heights[branch.first].peak, top_gradient_of(branch));
  return out;
}

// Normal of the side of A on which y is, out of A; null: none.
const Vec3* OverlapSolver::side_at(const Vec3& u, const Vec3& y) const noexcept {
  for (const Wall& wall : scratch_.walls)
    if (wall.n.dot(u) > -upright && std::abs(wall.n.dot(y) - wall.d) < near_wall * B_.size) return &wall.n;
  return nullptr;
}

// Normal of A at x, not normalised; of two walls that meet there the direction across both their edge and t, if
// `between`.
Vec3 OverlapSolver::normal_below(const Vec3& u, const Vec3& x, const Vec3& t, bool between) const noexcept {
  if (curved_) return curved_->normal(x);
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

// With the peaks D and D' >= D on both sides of the saddle S: r = smoothstep((D - S)/(D' - S)), 1 where they are equal, 0
// where the lower one vanishes.
double OverlapSolver::rise_of(const Branch& lower, const Branch& higher) noexcept {
  const double rise = higher.top - lower.saddle;
  return rise > 0.0 ? smoothstep((lower.top - lower.saddle) / rise) : 1.0;
}

// c: 0 where a peak vanishes, 1 where it is well above its saddle.
double OverlapSolver::clearness_of(const Branch& lower) noexcept {
  return smoothstep((lower.top - lower.saddle) / (clear_prominence * lower.saddle));
}

// s = smoothstep((S/D)^2),   s' = r smoothstep((S/D')^2)
// They are equal where the peaks are, so that it does not matter which is the higher one. Of several saddles the one
// with the greatest s counts.
void OverlapSolver::share_direction(Branch& lower, Branch& higher) noexcept {
  const double low = lower.saddle / lower.top, high = lower.saddle / higher.top;
  lower.common = std::max(lower.common, smoothstep(low * low));
  higher.common = std::max(higher.common, rise_of(lower, higher) * smoothstep(high * high));
}

bool OverlapSolver::find_branches(Patch& patch) noexcept {
  surveyed_ = one_peak_ = nullptr;
  const double norm = patch.area_vector.norm();
  if (!(norm > 0.0)) return false;
  one_peak_ = &patch;
  if (scratch_.pieces[patch.first].next < 0) return false;
  scratch_.up = patch.area_vector / norm;
  survey_ = moments_.survey(patch, scratch_.up);
  surveyed_ = &patch;
  if (!find_peaks(B_, patch, scratch_)) return false;
  one_peak_ = nullptr;
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(scratch_.branches.size()); ++b) {
    Branch& branch = scratch_.branches[b];
    if (!(branch.saddle > 0.0)) continue;
    share_direction(branch, scratch_.branches[branch.parent]);
    branch.gradient = gradient_of(branch.at, branch.saddle, B_.edges[branch.edge]);
    if (branch.level < branch.saddle) branch.level = branch.saddle, branch.level_of = b;
    Branch& parent = scratch_.branches[branch.parent];
    const double level = level_part(rise_of(branch, parent), clearness_of(branch)) * branch.saddle;
    if (level > parent.level) parent.level = level, parent.level_of = b;
  }
  for (Branch& branch : scratch_.branches) branch.level_decrease = level_decrease_of(branch);
  return true;
}

}  // namespace contactlib::geometry

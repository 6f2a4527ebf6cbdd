// The normal of a patch: with delta = M_2/M_1, which grows with the depth, and d M_(p+1) = (p+1) U_p . dx,
//   G = grad delta = (2 U_1 M_1 - M_2 U_0)/M_1^2,   g = G.u
// points along the way out of the deepest point if the patch grows without a change of form. Two iterations of
//   u <- l G/g + (1 - l) U_1/|U_1|,  normalised,  l = clamp(4 g - 1, 0, 1)
// In the last one the gradient of the smooth depth is used, by its weight: phi_weight.hpp. More follow where that has
// not settled: follow.cpp
#include "solve.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/overlap/section/polygon.hpp"
#include "geometry/surface/boxes.hpp"
#include "math/elementary.hpp"
#include "phi_weight.hpp"

namespace contactlib::geometry {

namespace {

constexpr int turns = 2;
constexpr double rounding = 1e-12;  // of PatchContact::facing: a patch along u
constexpr double pierced = 0.2;  // of the patch's area: a shorter area vector tells of two sides

// A tip that is further off is another patch's: aside, times how far it is below; and below, times the depth.
constexpr double far_tip = 4.0, low_tip = 20.0;
// Tangent: where Phi is of no use, the force of a peak is no further off the common direction.
constexpr double most_lean = 0.7;
constexpr double wide = 30.0;    // area of a peak over its squared height: of hills it is some 100

// Depth of a point inside B below the nearest triangle along u; 0 if it is not inside, or the depth exceeds `most`.
double depth_below(const Surface& B, const Vec3& x, const Vec3& u, double most) noexcept {
  double nearest = most;
  bool leaves = false;
  const auto meets = [&](const BoxNode& node) noexcept {
    const Vec3 m = x + 0.5 * nearest * u - middle(node);
    const Vec3 reach = half(node) + 0.5 * nearest * u.cwiseAbs();
    return (m.cwiseAbs().array() <= reach.array()).all();
  };
  for_each_facet(B, meets, [&](const Facet& facet) noexcept {
    const double rising = facet.n.dot(u), height = facet.n.dot(facet.corner[0] - x);
    if (!(std::abs(rising) > 1e-9) || !(height / rising > 0.0) || !(height / rising < nearest)) return;
    const Vec3 hit = x + height / rising * u;
    for (int i = 0; i < 3; ++i) {
      const Vec3& p = facet.corner[i];
      if ((facet.corner[i == 2 ? 0 : i + 1] - p).cross(hit - p).dot(facet.n) < 0.0) return;
    }
    nearest = height / rising;
    leaves = rising > 0.0;
  });
  return leaves ? nearest : 0.0;
}

}  // namespace

int OverlapSolver::parts_of(const Patch& patch, PatchPart* out) const noexcept {
  out[0] = {&patch, Vec3::Zero()};
  if (patch.area_vector.norm() > pierced * patch.area) return 1;
  Mat3 spread = Mat3::Zero();
  for (std::int32_t k = patch.first; k >= 0; k = scratch_.pieces[k].next) {
    const Vec3& n = B_.faces[scratch_.pieces[k].face].n;
    spread += scratch_.pieces[k].area.norm() * n * n.transpose();
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.compute(spread);  // by iterations: computeDirect() would call the system's cos and atan2
  const Vec3 e = eigen.eigenvectors().col(2);
  out[0].side = e;
  out[1] = {&patch, -e};
  return 2;
}

bool OverlapSolver::solve(const PatchPart& part, PatchContact& out) noexcept {
  Vec3 u = Vec3::Zero();
  for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next)
    if (!(part.side.dot(B_.faces[scratch_.pieces[k].face].n) < across_side)) u += scratch_.pieces[k].area;
  if (!solve_from(part, u, Vec3::Zero(), out)) return false;
  follow(1.0, out);
  follow_weight(out);
  return true;
}

bool OverlapSolver::solve_from(const PatchPart& part, Vec3 u, const Vec3& plane, PatchContact& out) noexcept {
  const auto straighten = [&]() noexcept {
    u -= plane.dot(u) * plane;
    const double norm = u.norm();
    if (norm > 0.0) u /= norm;
    return norm > 0.0;
  };
  for (int turn = 0; turn < turns; ++turn) {
    if (!straighten()) return false;
    const bool last = turn + 1 == turns && plane == Vec3::Zero();
    HighMoments high;
    const bool known = turn == 0 && plane == Vec3::Zero() && part.side == Vec3::Zero() &&
                       std::exchange(surveyed_, nullptr) == part.patch;
    const Moments m = known ? survey_ : moments_.measure(*part.patch, part.side, u, nullptr, last ? &high : nullptr);
    const double M1 = u.dot(m.U[1]), M2 = u.dot(m.U[2]), U1 = m.U[1].norm();
    if (!(M1 > 0.0) || !(U1 > 0.0)) return false;
    const Vec3 G = (2.0 * M1 * m.U[1] - M2 * m.U[0]) / (M1 * M1);
    const double g = G.dot(u), l = blend_of(g);
    const Vec3 next = (1.0 - l) / U1 * m.U[1];
    Vec3 plain = next;
    if (l > 0.0) plain += l / g * G;
    SmoothDepth peak;
    const double weight =
        last && find_smooth_depth(high, u, peak) ? weight_of(peak, m.depth, u, part.patch->branch >= 0) : 0.0;
    u = plain;
    if (weight > 0.0) u = weight * peak.force.normalized() + (1.0 - weight) * plain.normalized();
  }
  if (!straighten() || !solve_along(part, u, out)) return false;
  if (has_walls_ && plane == Vec3::Zero()) settle(part, out);
  return true;
}

// Where two patches join, S = 0, each keeps its own normal. Where a peak vanishes, S = D, it is measured along the
// common direction, as its saddle is. With the weight s of Branch::common:
//   u = s' u_common + (1 - s') n,  normalised,   s' = s/(s + w (1 - s)),   w = smoothstep(|U_0|/(wide (D - L)^2))
// A peak that is narrow above its level L, against its height there, has a normal that turns quickly with the pose: its
// w is small, and s' is 1 but where S is nearly 0.
bool OverlapSolver::solve_branch(const PatchPart& part, PatchContact& out) noexcept {
  const Branch& branch = scratch_.branches[part.patch->branch];
  const Vec3 area = moments_.measure(*part.patch, part.side, scratch_.up, nullptr, nullptr).U[0];
  const double s = branch.common, height = branch.top - branch.level;
  const bool follows = std::exchange(follows_, follows_ && s == 0.0);  // else along another direction, below
  const bool found = s < 1.0 && solve_from(part, area, Vec3::Zero(), out);
  follows_ = follows;
  if (!found) return solve_along(part, scratch_.up, out);
  const double w = smoothstep(area.norm() / (wide * height * height));
  const double shared = s > 0.0 ? s / (s + w * (1.0 - s)) : 0.0;
  if (s > 0.0 && !solve_along(part, (shared * scratch_.up + (1.0 - shared) * out.n).normalized(), out)) return false;
  follow(1.0 - shared, out);
  follow_weight(out);
  return true;
}

void OverlapSolver::measure_along(const PatchPart& part, const Vec3& u, PatchContact& out) noexcept {
  out.n = u;
  out.high = HighMoments();
  out.is_branch = part.patch->branch >= 0, out.level = out.top = 0.0;
  out.turning = out.weight_decrease = Decrease();
  if (follows_) changes_ = AllChanges();
  out.moments = moments_.measure(*part.patch, part.side, u, &out.spread, &out.high, follows_ ? &changes_ : nullptr);
  if (part.patch->branch >= 0) {
    const Branch& branch = scratch_.branches[part.patch->branch];
    out.level = branch.level;
    // the middle between the surfaces is lower by half the level
    for (int p = 0; p < 2; ++p) out.spread.X[p][2] -= 0.5 * branch.level * u.dot(out.moments.U[p]);
    out.moments.depth += branch.level;
    out.level_decrease = branch.level_decrease;
    out.level_decrease.couple -= out.spread.origin.cross(branch.level_decrease.force);
    out.top = branch.top;
    find_top(scratch_.heights[branch.first].peak, scratch_.up, top_gradient_of(branch), out);
  }
  out.over_B = out.moments.depth;
  if (faceted_) {
    moments_.deepen(*part.patch, part.side, u, out.moments);
    reach_tip(u, out.moments);
  }
  if (part.patch == one_peak_ && (faceted_ || curved_) && !is_smooth(out)) {
    out.top = out.moments.depth;
    find_top(out.moments.deepest, u, top_gradient_of(part, u, out.moments), out);
  }
  out.facing = out.moments.facing(u);
  if (out.facing < faces) find_extent(part, out);
  const Vec3* const U = out.moments.U;
  const double M1 = u.dot(U[1]), M2 = u.dot(U[2]);
  out.taper = (2.0 * M1 * M1 - M2 * u.dot(U[0])) / (M1 * M1);
  out.blend = blend_of(out.taper);
}

// The greatest thickness along u is at x.
void OverlapSolver::find_top(const Vec3& x, const Vec3& u, const Vec3& gradient, PatchContact& out) const noexcept {
  const Vec3 across = gradient - u;
  out.top_decrease = Decrease();
  out.top_decrease.add(1.0, x - out.spread.origin, u + across / std::max(1.0, across.norm() / most_lean));
}

bool OverlapSolver::solve_along(const PatchPart& part, const Vec3& u, PatchContact& out) noexcept {
  measure_along(part, u, out);
  if (!(out.facing > rounding) || !(out.moments.depth > noise_)) return false;
  out.single = smooth_contact(out);
  return true;
}

void OverlapSolver::solve_way(const PatchPart& part, const Vec3& u, double depth, PatchContact& out) noexcept {
  measure_along(part, u, out);
  out.moments.depth = depth;
  out.single = thickest_contact(out);
}

// The middle is that of the area, so that it does not jump where a piece appears.
void OverlapSolver::find_extent(const PatchPart& part, PatchContact& out) const noexcept {
  Vec3 sum = Vec3::Zero();
  double area = 0.0;
  for (std::int32_t k = part.patch->first; k >= 0; k = scratch_.pieces[k].next) {
    const Piece& piece = scratch_.pieces[k];
    if (part.side.dot(B_.faces[piece.face].n) < across_side) continue;
    const auto polygon = moments_.inside(piece);
    Vec3 corners = Vec3::Zero();
    for (int i = 0; i < polygon.count; ++i) corners += polygon.v[i] - out.spread.origin;
    if (polygon.count > 0) sum += piece.area.norm() / polygon.count * corners, area += piece.area.norm();
  }
  if (area > 0.0) out.middle = sum / area;
  out.reach = 0.0;
  for_each_corner(part, [&](const Vec3& v) noexcept {
    out.reach = std::max(out.reach, (v - out.spread.origin - out.middle).norm());
  });
}

// An inclined spike of A may have its tip beside the part of B's surface that is inside A, and deeper: the lowest
// corner of the patch's walls, if it is inside B and near.
void OverlapSolver::reach_tip(const Vec3& u, Moments& m) const noexcept {
  const double low = u.dot(m.deepest) - m.depth;
  double least = low - 1e-9 * m.depth;
  const Vec3* tip = nullptr;
  for (std::size_t w = 0; w < scratch_.walls.size(); ++w) {
    const Wall& wall = scratch_.walls[w];
    if (!scratch_.met[w] || !(wall.n.dot(u) < 0.0)) continue;
    for (int i = 0; i < wall.count; ++i) {
      const Vec3& a = scratch_.corners[wall.first + i];
      if (u.dot(a) < least) least = u.dot(a), tip = &a;
    }
  }
  if (!tip) return;
  const Vec3 x = scratch_.sheet.there ? scratch_.sheet.in_sheet(*tip) : *tip, off = x - m.deepest;
  const double aside = (off - u.dot(off) * u).norm(), below = -u.dot(off);
  if (aside > far_tip * below || below > low_tip * m.depth) return;
  const double depth = depth_below(B_, x, u, far_tip * below);
  if (depth > m.depth) m.depth = depth, m.deepest = x + depth * u;
}

void OverlapSolver::limit(const PatchPart& part, const PatchContact& contact, Springs& springs) const noexcept {
  if (springs.count == 1 || contact.spread.along.there) return;
  double off[4][2], length[4], reach[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < springs.count; ++i) {
    for (int k = 0; k < 2; ++k) off[i][k] = springs.x[i][k] - springs.middle[k];
    length[i] = math::hypot(off[i][0], off[i][1]);
    if (!(length[i] > 0.0)) return;
  }
  const Spread& s = contact.spread;
  for_each_corner(part, [&](const Vec3& v) noexcept {
    const double x = s.e1.dot(v - s.origin) - springs.middle[0], y = s.e2.dot(v - s.origin) - springs.middle[1];
    for (int i = 0; i < springs.count; ++i) reach[i] = std::max(reach[i], (off[i][0] * x + off[i][1] * y) / length[i]);
  });
  // all by the same factor, so that their middle is unchanged
  double part_of = 1.0;
  for (int i = 0; i < springs.count; ++i) part_of = std::min(part_of, reach[i] / length[i]);
  for (int i = 0; i < springs.count; ++i)
    for (int k = 0; k < 2; ++k) springs.x[i][k] = springs.middle[k] + part_of * off[i][k];
}

}  // namespace contactlib::geometry

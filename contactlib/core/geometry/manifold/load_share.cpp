#include "load_share.hpp"

#include <algorithm>

#include "ball.hpp"

namespace contactlib::geometry {

namespace {

constexpr double nearly = 0.9;      // as deep as the deepest
constexpr double least_part = 0.1;  // of what no single other contact clears
constexpr double least_share = 1e-9;  // however little the others clear it

}  // namespace

// c_ij = max(0, n_i.n_j), slightly reduced off the diagonal: this makes lambda unique and changes its force by 1e-6 at
// most, in valleys as flat as `sharp`. Several shallower contacts together can relieve the deepest one. It keeps the
// part that no single other one relieves,
//   lambda_i = min(least_part (d_i - max_j max(nearly, c_ij) d_j), sum_j c_ij lambda_j - d_i)
// which is 0 where the others begin to relieve it, so that the force is continuous.
void load_share(const double* depths, const Vec3* normals, int count, double* shares) noexcept {
  const auto c = [&](int i, int j) noexcept {
    return i == j ? 1.0 : (1.0 - 1e-12) * std::max(0.0, normals[i].dot(normals[j]));
  };
  const auto d = [&](int i) noexcept { return depths[i]; };
  ActiveSetSolver<decltype(c), decltype(d)> active_set(c, d, count);
  active_set.solve(1e-15 * *std::max_element(depths, depths + count));
  std::fill(shares, shares + count, 0.0);
  for (int k = 0; k < active_set.carrying(); ++k)
    shares[active_set.member(k)] = active_set.lambda(k) / depths[active_set.member(k)];
  for (int i = 0; i < count && count > 2; ++i) {  // of two, one relieves the other or both have a share
    if (shares[i] > 0.0) continue;
    double others = 0.0, slack = -depths[i];
    for (int j = 0; j < count; ++j)
      if (j != i) others = std::max(others, std::max(nearly, c(i, j)) * depths[j]);
    for (int k = 0; k < active_set.carrying(); ++k) slack += c(i, active_set.member(k)) * active_set.lambda(k);
    const double alone = depths[i] - others;
    if (alone > 0.0) shares[i] = std::max(least_share, std::min(least_part * alone, slack) / depths[i]);
  }
}

void add(Manifold& out, const ManifoldPoint& point) noexcept {
  out.add(point.p_AC_W, point.n_AB_W, point.depth, point.feature);
  for (int i = out.count - 1; i >= 0; --i) {
    ManifoldPoint& slot = out.points[i];
    if (slot.feature != point.feature || slot.p_AC_W != point.p_AC_W) continue;
    slot.load_share = point.load_share;
    return;
  }
}

void Sharing::add(const ManifoldPoint& point) noexcept {
  const Vec3 place = place_on_b(point);
  int slot = count_;
  for (int i = 0; i < count_; ++i)
    if ((p_AC_W_[i] - 0.5 * depth_[i] * n_AB_W_[i] - place).squaredNorm() <= apart2_) slot = i;
  if (slot < count_ && depth_[slot] >= point.depth) return;
  if (slot == count_) ++count_;
  feature_[slot] = point.feature;
  depth_[slot] = point.depth;
  n_AB_W_[slot] = point.n_AB_W;
  p_AC_W_[slot] = point.p_AC_W;
  if (count_ > max_sharing) drop_one();
}

bool Sharing::has(const Vec3& p_AC_W, double apart) const noexcept {
  for (int i = 0; i < count_; ++i)
    if ((p_AC_W_[i] - p_AC_W).squaredNorm() <= apart * apart) return true;
  return false;
}

// Of the two normals that are nearest to parallel, drops the shallower contact: the other one replaces it.
void Sharing::drop_one() noexcept {
  const int last = count_ - 1;
  int drop = last;
  double most = -2.0;
  for (int i = 0; i < count_; ++i)
    for (int j = 0; j < i; ++j) {
      const double c = n_AB_W_[i].dot(n_AB_W_[j]);
      if (c > most) most = c, drop = depth_[i] > depth_[j] ? j : i;
    }
  feature_[drop] = feature_[last];
  depth_[drop] = depth_[last];
  n_AB_W_[drop] = n_AB_W_[last];
  p_AC_W_[drop] = p_AC_W_[last];
  --count_;
}

void Sharing::finish(Manifold& out) noexcept {
  if (count_ == 0) return;
  double shares[max_sharing] = {1.0};
  if (count_ > 1) load_share(depth_, n_AB_W_, count_, shares);
  for (int i = 0; i < count_; ++i)
    if (shares[i] > 0.0) geometry::add(out, {p_AC_W_[i], n_AB_W_[i], depth_[i], feature_[i], shares[i]});
}

}  // namespace contactlib::geometry

#include "share.hpp"

#include <algorithm>

#include "ball.hpp"

namespace contactlib {

// c_ij = max(0, n_i.n_j), a little less off the diagonal: that makes the shares unique and moves them by 1e-9.
void share(const double* depths, const Vec3* normals, int count, double* shares) noexcept {
  const auto c = [&](int i, int j) noexcept {
    return i == j ? 1.0 : (1.0 - 1e-9) * std::max(0.0, normals[i].dot(normals[j]));
  };
  const auto d = [&](int i) noexcept { return depths[i]; };
  Pushes<decltype(c), decltype(d)> pushes(c, d, count);
  pushes.solve(1e-13 * *std::max_element(depths, depths + count));
  std::fill(shares, shares + count, 0.0);
  for (int k = 0; k < pushes.carrying(); ++k) shares[pushes.member(k)] = pushes.lambda(k) / depths[pushes.member(k)];
}

void add(Manifold& out, const ManifoldPoint& point) noexcept {
  out.add(point.p_AC_W, point.n_AB_W, point.depth, point.feature);
  for (int i = out.count - 1; i >= 0; --i) {
    ManifoldPoint& slot = out.points[i];
    if (slot.feature != point.feature || slot.p_AC_W != point.p_AC_W) continue;
    slot.share = point.share;
    return;
  }
}

void Sharing::add(const ManifoldPoint& point) noexcept {
  const Vec3 place = place_on_b(point);
  int slot = count_;
  for (int i = 0; i < count_; ++i)
    if ((p_AC_W_[i] - 0.5 * depth_[i] * n_AB_W_[i] - place).squaredNorm() <= apart2_) slot = i;
  if (slot == most_sharing) slot = static_cast<int>(std::min_element(depth_, depth_ + count_) - depth_);
  if (slot < count_ && depth_[slot] >= point.depth) return;
  if (slot == count_) ++count_;
  feature_[slot] = point.feature;
  depth_[slot] = point.depth;
  n_AB_W_[slot] = point.n_AB_W;
  p_AC_W_[slot] = point.p_AC_W;
}

void Sharing::finish(Manifold& out) noexcept {
  if (count_ == 0) return;
  double shares[most_sharing] = {1.0};
  if (count_ > 1) share(depth_, n_AB_W_, count_, shares);
  for (int i = 0; i < count_; ++i)
    if (shares[i] > 0.0) contactlib::add(out, {p_AC_W_[i], n_AB_W_[i], depth_[i], feature_[i], shares[i]});
}

}  // namespace contactlib

// The traversal of two trees with a margin: all candidates of Walk::next() and those that may become some when the
// bodies move by less. Both traversals open the same nodes in the same order, which the volumes alone decide; so the
// candidates of next() stand in this list in their order.
#include <algorithm>

#include "math/lanes.hpp"
#include "tree.hpp"

namespace contactlib::bounding {

std::size_t Walk::leaves_within(double margin, const VolumeNode& A, const VolumeNode& B, double gap,
                                Candidate* out) noexcept {
  using Lanes = math::TwoLanes;
  constexpr auto step = static_cast<std::int32_t>(math::lanes<Lanes>);
  const ShapeBalls& balls = tree_.shapes;
  const std::int32_t first = A.first_shape;
  std::size_t count = 0;
  for (std::int32_t b = B.first_shape; b < B.first_shape + B.shape_count; ++b) {
    const Vec3 c = X_AB_.p_AB_A + X_AB_.R_AB * Vec3(balls.x[b], balls.y[b], balls.z[b]);
    double between[leaf_shapes];
    for (std::int32_t k = 0; k < leaf_shapes; k += step) {
      const Lanes dx = c[0] - math::load<Lanes>(&balls.x[first + k]),
                  dy = c[1] - math::load<Lanes>(&balls.y[first + k]),
                  dz = c[2] - math::load<Lanes>(&balls.z[first + k]);
      const Lanes distance = math::root(dx * dx + (dy * dy + dz * dz));
      math::store(between + k, distance - (math::load<Lanes>(&balls.radius[first + k]) + balls.radius[b]));
    }
    for (std::int32_t k = 0; k < A.shape_count; ++k) {
      const double apart = std::max(gap, between[k]);
      if (!(apart <= margin)) continue;
      out[count++] = {balls.shape[first + k], balls.shape[b], lower_bound(apart)};
    }
  }
  return count;
}

bool Walk::within(double margin, Candidate* out, std::size_t capacity, std::size_t& count) noexcept {
  count = 0;
  while (open_ > 0) {
    if (capacity - count <= leaf_shapes * leaf_shapes) return false;
    const Open open = stack_[--open_];
    const VolumeNode &A = tree_.nodes[open.a], &B = tree_.nodes[open.b];
    ++tests_;
    const double gap = gap_of(A.volume, B.volume, X_AB_, X_BA_);
    if (!(gap <= margin)) continue;
    if (A.child_count == 0 && B.child_count == 0)
      count += leaves_within(margin, A, B, gap, out + count);
    else
      descend(open);
  }
  return capacity - count > leaf_shapes * leaf_shapes;
}

double Walk::gap() const noexcept {
  return gap_of(tree_.nodes[stack_[0].a].volume, tree_.nodes[stack_[0].b].volume, X_AB_, X_BA_);
}

}  // namespace contactlib::bounding

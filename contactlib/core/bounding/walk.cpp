// The traversal of two trees. A stack holds pairs of nodes, the next one of a depth-first traversal on top. The
// uppermost pairs are tested together, in lanes; then pairs of children take their places, which keeps the order.
#include <algorithm>
#include <cstddef>

#include "math/columns.hpp"
#include "tree.hpp"

namespace contactlib::bounding {

namespace {

using math::greater, math::in_all_lanes, math::Lanes3, math::Lanes33;

// With eight lanes it takes longer to fill them than they save.
constexpr std::size_t most_lanes = 4;

// `a` if yes, else `b`, without a branch: the condition is random, so a processor cannot predict it.
std::int32_t pick(bool yes, std::int32_t a, std::int32_t b) noexcept {
  return b ^ ((a ^ b) & -static_cast<std::int32_t>(yes));
}

bool are_boxes(const Volume& A, const Volume& B) noexcept {
  return A.kind == VolumeKind::aabb && B.kind == VolumeKind::aabb;
}

// Pairs of boxes along their bodies' axes, in columns: the middles and half the side lengths, m.
struct BoxPairs {
  static constexpr int most = most_tested;

  using Columns = double[3][most];
  Columns p_a, half_a, p_b, half_b;
  double apart[most];  // > 0: they do not overlap

  // The boxes of one body, of(k) for pair k. That of the last pair fills the last lanes.
  template <class Lanes, class Of>
  static void set(Columns& p, Columns& half, int count, const Of& of) noexcept {
    static_assert(offsetof(Volume, half) == offsetof(Volume, p_BV) + 3 * sizeof(double));
    if constexpr (math::lanes<Lanes> >= 4) {
      for (int k = 0; k < count; k += 4) {
        const double* row[4];
        for (int i = 0; i < 4; ++i) row[i] = of(std::min(k + i, count - 1)).p_BV.data();
        double other[most];  // a column that is known or not needed yet
        math::transpose_four(row, {p[0] + k, p[1] + k, p[2] + k, other});
        math::transpose_four({row[0] + 2, row[1] + 2, row[2] + 2, row[3] + 2},
                             {other, half[0] + k, half[1] + k, half[2] + k});
      }
    } else {
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i) p[i][k] = of(k).p_BV[i], half[i][k] = of(k).half[i];
    }
  }

  // The test of `aabb_aabb`. What the last lanes hold beyond the pairs has no effect.
  template <class Lanes>
  void test(int count, const Relative& X) noexcept {
    const auto columns = [](const Mat3& M) noexcept {
      return Lanes33<Lanes>{in_all_lanes<Lanes>(M.col(0)), in_all_lanes<Lanes>(M.col(1)),
                            in_all_lanes<Lanes>(M.col(2))};
    };
    const auto at = [](const double (&column)[3][most], int k) noexcept {
      return Lanes3<Lanes>{math::load<Lanes>(column[0] + k), math::load<Lanes>(column[1] + k),
                           math::load<Lanes>(column[2] + k)};
    };
    const Lanes33<Lanes> R = columns(X.R_AB), spread = columns(X.spread);
    const Lanes3<Lanes> p_AB = in_all_lanes<Lanes>(X.p_AB_A);
    for (int k = 0; k < count; k += static_cast<int>(math::lanes<Lanes>)) {
      const Lanes3<Lanes> a = at(half_a, k), b = at(half_b, k), p = p_AB + R * at(p_b, k) - at(p_a, k);
      const Lanes3<Lanes> reach_b = spread * b, reach_a = spread.transposed_times(a), p_B = R.transposed_times(p);
      const auto magnitude = [](const Lanes& x) noexcept { return greater(x, -x); };
      Lanes most_apart = greater(magnitude(p.x) - (a.x + reach_b.x), Lanes{});  // 0 for what is not a number
      most_apart = greater(magnitude(p.y) - (a.y + reach_b.y), most_apart);
      most_apart = greater(magnitude(p.z) - (a.z + reach_b.z), most_apart);
      most_apart = greater(magnitude(p_B.x) - (b.x + reach_a.x), most_apart);
      most_apart = greater(magnitude(p_B.y) - (b.y + reach_a.y), most_apart);
      most_apart = greater(magnitude(p_B.z) - (b.z + reach_a.z), most_apart);
      math::store(apart + k, most_apart);
    }
  }
};

}  // namespace

// Pairs of shapes whose balls overlap. The balls of B are moved into A's axes and held against the box of A's leaf; of
// those that are near, the distances to all balls of A are too. A plane's ball is infinite.
template <class Lanes>
std::size_t Walk::leaves(const VolumeNode& A, const VolumeNode& B, Candidate* out) noexcept {
  constexpr auto step = static_cast<std::int32_t>(math::lanes<Lanes>);
  const std::int32_t first = A.first_shape, most = A.shape_count;
  if (most == 0) return 0;
  const double *const bx = tree_.shapes.x.data(), *const by = tree_.shapes.y.data(), *const bz = tree_.shapes.z.data(),
                      *const br = tree_.shapes.radius.data();
  const std::int32_t* const shape = tree_.shapes.shape.data();
  const LeafBox& box = tree_.boxes[static_cast<std::size_t>(first / leaf_shapes)];
  const Mat3& R = X_AB_.R_AB;
  const Vec3& p = X_AB_.p_AB_A;
  double cx[leaf_shapes], cy[leaf_shapes], cz[leaf_shapes], beyond[leaf_shapes] = {};
  for (std::int32_t k = 0; k < B.shape_count; k += step) {
    const std::int32_t b = B.first_shape + k;
    const Lanes x = math::load<Lanes>(bx + b), y = math::load<Lanes>(by + b), z = math::load<Lanes>(bz + b),
                r = math::load<Lanes>(br + b);
    Lanes most_beyond = Lanes{} - 1.0;
    double* const to[3] = {cx, cy, cz};
    for (int i = 0; i < 3; ++i) {
      const Lanes c = p[i] + (R(i, 0) * x + R(i, 1) * y + R(i, 2) * z);
      math::store(to[i] + k, c);
      most_beyond = greater(most_beyond, greater(box.low[i] - (c + r), (c - r) - box.high[i]));
    }
    math::store(beyond + k, most_beyond);
  }
  unsigned near = 0;  // bit i: ball i of B
  for (std::int32_t i = 0; i < leaf_shapes; ++i) near |= static_cast<unsigned>(!(beyond[i] > 0.0)) << i;
  near &= (1u << B.shape_count) - 1;
  std::size_t count = 0;
  for (; near != 0; near &= near - 1) {
    const std::int32_t i = __builtin_ctz(near), b = B.first_shape + i;
    double gap[leaf_shapes];
    Lanes least = Lanes{} + 1.0;
    for (std::int32_t k = 0; k < leaf_shapes; k += step) {
      const Lanes dx = cx[i] - math::load<Lanes>(bx + first + k), dy = cy[i] - math::load<Lanes>(by + first + k),
                  dz = cz[i] - math::load<Lanes>(bz + first + k), reach = br[b] + math::load<Lanes>(br + first + k);
      const Lanes gaps = dx * dx + dy * dy + dz * dz - reach * reach;
      least = math::lesser(gaps, least);
      math::store(gap + k, gaps);
    }
    if (!math::any(math::at_most(least, Lanes{}))) continue;
    for (std::int32_t k = 0; k < most; ++k) {
      out[count] = {shape[first + k], shape[b], 0.0f};
      count += gap[k] <= 0.0;
    }
  }
  return count;
}

// Whether A is the node that is opened: the larger one, so that both stay of similar size.
bool Walk::opens_a(const VolumeNode& A, const VolumeNode& B) noexcept {
  return (A.child_count > 0) & ((B.child_count == 0) | (A.size >= B.size));
}

void Walk::descend(const Open& open) noexcept {
  const VolumeNode* const nodes = tree_.nodes.data();
  const bool open_a = opens_a(nodes[open.a], nodes[open.b]);
  const VolumeNode& parent = nodes[pick(open_a, open.a, open.b)];
  const std::int32_t first = parent.first_child, other = pick(open_a, open.b, open.a);
  Open* top = stack_ + open_;
  open_ += static_cast<std::size_t>(parent.child_count);
  for (std::int32_t child = first + parent.child_count; child-- > first;)  // so that the first child is tested first
    *top++ = {pick(open_a, child, other), pick(open_a, other, child)};
}

// Takes the uppermost pairs of boxes that have not been tested from the stack: several of nodes with few children, or
// one.
int Walk::take(Open (&taken)[most_tested]) noexcept {
  constexpr std::int32_t few = most_opened / most_tested;
  const VolumeNode* const nodes = tree_.nodes.data();
  const Open* top = stack_ + open_;
  int count = 0;
  while (top > stack_ && count < most_tested && top[-1].b >= 0) {
    const Open open = *--top;
    const VolumeNode &A = nodes[open.a], &B = nodes[open.b];
    const bool many = (A.child_count > few) | (B.child_count > few);
    if (!are_boxes(A.volume, B.volume) || (many && count > 0)) break;
    taken[count++] = open;
    if (many) break;
  }
  open_ -= static_cast<std::size_t>(count);
  return count;
}

// Replaces the uppermost pairs, which are boxes, by those of their children. Pairs of leaves remain, marked as tested.
template <class Lanes>
void Walk::open() noexcept {
  const VolumeNode* const nodes = tree_.nodes.data();
  Open taken[most_tested], left[most_tested];
  BoxPairs boxes;
  const int count = take(taken);
  tests_ += static_cast<std::size_t>(count);
  boxes.set<Lanes>(boxes.p_a, boxes.half_a, count,
                   [&](int k) noexcept -> const Volume& { return nodes[taken[k].a].volume; });
  boxes.set<Lanes>(boxes.p_b, boxes.half_b, count,
                   [&](int k) noexcept -> const Volume& { return nodes[taken[k].b].volume; });
  boxes.test<Lanes>(count, X_AB_);
  int left_count = 0;
  for (int k = count; k-- > 0;) left[left_count] = taken[k], left_count += !(boxes.apart[k] > 0.0);
  for (int k = 0; k < left_count; ++k) {
    const auto [a, b] = left[k];
    if ((nodes[a].child_count | nodes[b].child_count) == 0)
      stack_[open_++] = {a, ~b};
    else
      descend(left[k]);
  }
}

struct Walk::Next {
  template <class Lanes>
  static void run(Walk* const& of, Candidate* const& out, const std::size_t& capacity,
                  std::size_t* const& found) noexcept {
    Walk& walk = *of;
    const VolumeNode* const nodes = walk.tree_.nodes.data();
    std::size_t count = 0;
    while (walk.open_ > 0 && capacity - count > leaf_shapes * leaf_shapes) {
      const Open top = walk.stack_[walk.open_ - 1];
      const bool tested = top.b < 0;
      const VolumeNode &A = nodes[top.a], &B = nodes[tested ? ~top.b : top.b];
      if (!tested && are_boxes(A.volume, B.volume)) {
        walk.open<Lanes>();
        continue;
      }
      --walk.open_;
      walk.tests_ += !tested;
      if (!tested && !may_meet(A.volume, B.volume, walk.X_AB_, walk.X_BA_)) continue;
      if ((A.child_count | B.child_count) == 0)
        count += walk.leaves<Lanes>(A, B, out + count);
      else
        walk.descend(top);
    }
    *found = count;
  }
};

std::size_t Walk::next(Candidate* out, std::size_t capacity) noexcept {
  std::size_t count = 0;
  math::in_lanes<Next>(most_lanes, this, out, capacity, &count);
  return count;
}

}  // namespace contactlib::bounding

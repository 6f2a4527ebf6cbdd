#include "near_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "data.hpp"

namespace contactlib::state {

using bounding::Volume, bounding::VolumeKind;

namespace {

// m, beyond all bodies; products of three such numbers are finite.
constexpr double far = 1e100;
// Rounding must not separate bodies that overlap: of the size of the numbers from which a box is computed.
constexpr double slack = 1e-14;
// A larger box exceeds the box by this part of its longest side, and along the last motion by so many times this motion,
// but by no more than its own side.
constexpr double margin = 0.1, ahead = 24.0;
// Capacity for pairs at first, per body.
constexpr std::size_t usual_pairs = 8;

double within(double x, double otherwise) noexcept { return std::abs(x) < far ? x : otherwise; }

// The bound of a body's bounding volume; without end for a half space, and wherever a number is not finite.
Bound bound_of(const Volume& volume, const Mat3& R_WB, const Vec3& r_WB, const Vec3& origin) noexcept {
  const Vec3 p_W = volume.p_BV.isZero(0.0) ? Vec3(Vec3::Zero()) : Vec3(R_WB * volume.p_BV),
             middle = r_WB - origin + p_W;
  const double numbers = (r_WB.cwiseAbs() + origin.cwiseAbs() + p_W.cwiseAbs()).maxCoeff();
  if (volume.kind == VolumeKind::sphere && std::abs(numbers) < far) {
    const double radius = volume.half[0] + slack * (numbers + volume.half[0]);
    return {middle, radius, BoundKind::ball, {middle.array() - radius, middle.array() + radius}};
  }
  Vec3 half = volume.half;
  if (volume.kind == VolumeKind::aabb) half = R_WB.cwiseAbs() * volume.half;
  if (volume.kind == VolumeKind::obb) half = (R_WB * volume.R_BV).cwiseAbs() * volume.half;
  const double rounding = slack * (numbers + half.maxCoeff());
  Bound bound{middle, half[0] + rounding, BoundKind::box, {}};
  for (int k = 0; k < 3; ++k) {
    bound.box.low[k] = within(middle[k] - half[k] - rounding, -far);
    bound.box.high[k] = within(middle[k] + half[k] + rounding, far);
  }
  if (volume.kind != VolumeKind::half_space || !(std::abs(numbers) < far)) return bound;
  bound.kind = BoundKind::half_space;
  bound.p = R_WB * volume.R_BV.col(2);
  bound.size = bound.p.dot(middle) + slack * numbers;
  return bound;
}

// The larger box of a body whose box moved from `before` to `now`.
Box enlarged(const Box& before, const Box& now) noexcept {
  const Vec3 side = now.high - now.low, moved = 0.5 * (now.low + now.high - before.low - before.high);
  const double longest = std::min(side.maxCoeff(), far);
  Box out;
  for (int k = 0; k < 3; ++k) {
    const double forth = std::clamp(within(ahead * moved[k], 0.0), -side[k], side[k]);
    out.low[k] = std::max(now.low[k] - margin * longest + std::min(forth, 0.0), -far);
    out.high[k] = std::min(now.high[k] + margin * longest + std::max(forth, 0.0), far);
  }
  return out;
}

// The origin is the mean position at first, and moves by the mean of what the bodies move by.
void move_origin(const Model& model, Data& data) noexcept {
  NearPairs& near = data.near;
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t i : model.pair_index.bodies) {
    const Vec3& r_WB = data.bodies()[i].r_WB;
    sum += near.complete ? Vec3(r_WB - near.before[i]) : r_WB;
    near.before[i] = r_WB;
  }
  const Vec3 mean = sum / static_cast<double>(model.pair_index.bodies.size());
  const Vec3 origin = near.complete ? Vec3(near.origin + mean) : mean;
  if (origin.allFinite()) near.origin = origin;
}

// Finds all pairs of body i with others, each once: of two leavers that of the lower index.
void find_pairs(const Model& model, NearPairs& near, std::int32_t i, std::size_t& found) noexcept {
  near.tree.visit(near.tree.box(i), [&](std::int32_t k) {
    if (k == i || (near.left[k] && k < i)) return;
    const BodyPair pair = model.pair_index.find(model.pairs, i, k);
    if (pair.pair < 0) return;
    if (found < near.found.size()) near.found[found] = pair;
    ++found;
  });
}

// Removes the pairs of all leavers; returns how many are left.
std::size_t remove_pairs(NearPairs& near) noexcept {
  BodyPair* const pairs = near.pairs.data();
  const unsigned char* const left = near.left.data();
  std::size_t kept = 0;
  for (std::size_t p = 0; p < near.count; ++p) {
    const BodyPair pair = pairs[p];
    pairs[kept] = pair;
    kept += !(left[pair.body_a] | left[pair.body_b]);
  }
  return kept;
}

// Merges the first `kept` pairs and those that were found, from the end on, so that both stay in one array.
void merge(NearPairs& near, std::size_t kept, std::size_t found) noexcept {
  BodyPair *const pairs = near.pairs.data(), *const fresh = near.found.data();
  std::sort(fresh, fresh + found, [](const BodyPair& x, const BodyPair& y) noexcept { return model::before(x, y); });
  near.count = kept + found;
  for (std::size_t at = near.count; found > 0;) {
    const bool old = kept > 0 && model::before(fresh[found - 1], pairs[kept - 1]);
    pairs[--at] = old ? pairs[--kept] : fresh[--found];
  }
}

}  // namespace

void NearPairs::make(const Model& model) {
  *this = NearPairs{};
  if (model.pair_index.bodies.empty()) return;
  const std::size_t bodies = model.bodies.size();
  tree.make(bodies);
  bounds.resize(bodies);
  lone.resize(bodies, -1);
  for (std::size_t i = 0; i < bodies; ++i) {
    const bounding::VolumeNode& node = model.tree.nodes[i];
    if (node.child_count == 0 && node.shape_count == 1) lone[i] = model.tree.shapes.shape[node.first_shape];
  }
  left.resize(bodies, 0);
  before.resize(bodies, Vec3::Zero());
  swept.resize(bodies), moved.resize(bodies), starts.resize(bodies), ends.resize(bodies), fast.resize(bodies);
  leavers.resize(bodies);
  grow_capacity(usual_pairs * bodies);
}

void NearPairs::grow_capacity(std::size_t wanted) {
  found.resize(wanted);
  pairs.resize(wanted);
}

Status update_near(const Model& model, Data& data) noexcept {
  NearPairs& near = data.near;
  move_origin(model, data);
  if (!near.complete) near.tree.clear(), near.count = 0;
  std::size_t leavers = 0, found = 0;
  for (const std::int32_t i : model.pair_index.bodies) {
    Bound& now = near.bounds[i];
    const Box old = now.box;
    now = bound_of(model.tree.nodes[i].volume, data.R_WB[i], data.bodies()[i].r_WB, near.origin);
    near.left[i] = !near.complete || !near.tree.box(i).contains(now.box);
    if (!near.left[i]) continue;
    near.leavers[leavers++] = i;
    if (near.complete) near.tree.remove(i);
    near.tree.insert(i, enlarged(near.complete ? old : now.box, now.box));
  }
  near.complete = true;
  if (leavers == 0) return {};
  for (std::size_t k = 0; k < leavers; ++k) find_pairs(model, near, near.leavers[k], found);
  const std::size_t kept = remove_pairs(near), needed = kept + found;
  if (needed <= near.pairs.size()) {
    merge(near, kept, found);
    return {};
  }
  near.complete = false;
  return {Code::near_overflow, static_cast<std::int32_t>(std::min<std::size_t>(needed, 0x7fffffff))};
}

}  // namespace contactlib::state

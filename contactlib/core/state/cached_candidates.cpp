#include "cached_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::state {

using bounding::Volume, bounding::VolumeKind, bounding::leaf_shapes;
using geometry::Shape, geometry::ShapeKind;
using model::BodyPair;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rounding of the bound, of the gaps and of the kernels, relative to the size of the coordinates.
constexpr double slack = 1e-12;
// A margin lasts for about so many evaluations at the present speed, and is worth a list from so many on.
constexpr double many_steps = 64.0, few_steps = 4.0;
// The largest margin is the mean radius of the shapes and this part of the body's; the least is this part of the largest.
constexpr double least_margin = 1.0 / 64.0;
// A list that lasted for less evaluations than this has failed; after k failures 4^k - 1 evaluations make none.
constexpr int lasting = 4, most_failures = 4;

// What a body's shapes have in common.
struct Content {
  Vec3 middle;  // m, of a ball around them
  double radius;  // m, of this ball
  double size = 0.0;  // m, of finite coordinates
  double sum = 0.0, count = 0.0;  // of the radii of bounded shapes, and their number
};

std::vector<Content> contents_of(const Model& model) {
  std::vector<Content> contents;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Volume& volume = model.tree.nodes[i].volume;
    contents.push_back({volume.p_BV, volume.kind == VolumeKind::sphere ? volume.half[0] : volume.half.norm()});
  }
  for (const Shape& shape : model.shapes) {
    Content& out = contents[shape.body];
    out.size = std::max(out.size, shape.p_BS.norm());
    if (shape.kind == ShapeKind::plane) continue;
    out.size = std::max(out.size, shape.p_BC.norm() + shape.bound);
    out.sum += shape.bound, out.count += 1.0;
  }
  return contents;
}

}  // namespace

// x = p + R (c + s), |s| <= rho, the middle c of the ball moves by d; R - R0 has the singular values 2 sin(angle/2), twice,
// and 0:
//   |x - x0| <= |d| + |R - R0|_F rho / sqrt(2)
double CachedPair::motion(const RelativePose& now) const noexcept {
  constexpr double root_half = 0.70710678118654757;
  const double turned = root_half * (now.R - reference.R).norm() * radius;
  return (1.0 + 1e-9) * ((now.middle - reference.middle).norm() + turned) + slack * std::max(now.far, reference.far);
}

double CachedPair::begin(const RelativePose& now, double moved) noexcept {
  const bool failed = margin >= 0.0 && uses < lasting;
  const double step = moved / std::max(uses, 1);
  if (margin >= 0.0) failures = failed ? std::min(failures + 1, most_failures) : 0;
  if (failed) pause = 1 << 2 * failures;
  reference = now;
  margin = -1.0;
  count = 0;
  uses = 0;
  if (pause > 0) --pause;
  if (pause > 0 || !(few_steps * step <= longest)) return -1.0;
  return std::clamp(many_steps * step, least_margin * longest, longest);
}

void CachedCandidates::make(const Model& model) {
  *this = CachedCandidates{};
  if (model.pair_index.listed.empty()) return;
  const std::vector<Content> contents = contents_of(model);
  for (const BodyPair& bodies : model.pair_index.listed) {
    const Content &a = contents[bodies.body_a], &b = contents[bodies.body_b];
    CachedPair pair;
    pair.a_moves = a.radius <= b.radius;
    const Content& moving = pair.a_moves ? a : b;
    pair.middle = moving.middle, pair.radius = moving.radius;
    pair.size = a.size + b.size;
    const double mean = (a.sum + b.sum) / std::max(a.count + b.count, 1.0);
    pair.longest = moving.radius < infinity ? mean + least_margin * moving.radius : 0.0;
    pair.reference = {Mat3::Identity(), Vec3::Zero(), infinity};
    pairs.push_back(pair);
  }
  entries_.resize(model.candidate_capacity - 2 * leaf_shapes * leaf_shapes);
  by_place_.resize(pairs.size());
}

Candidate* CachedCandidates::reserve(CachedPair& pair, std::size_t count) noexcept {
  pair.count = 0;
  if (entries_.size() - used_ < count) compact();
  if (entries_.size() - used_ < count) return nullptr;
  pair.first = used_;
  pair.count = count;
  used_ += count;
  return list(pair);
}

// Moves all lists to the front.
void CachedCandidates::compact() noexcept {
  for (std::size_t i = 0; i < pairs.size(); ++i) by_place_[i] = &pairs[i];
  std::sort(by_place_.begin(), by_place_.end(),
            [](const CachedPair* x, const CachedPair* y) noexcept { return x->first < y->first; });
  used_ = 0;
  for (CachedPair* pair : by_place_) {
    std::copy_n(entries_.data() + pair->first, pair->count, entries_.data() + used_);
    pair->first = used_;
    used_ += pair->count;
  }
}

}  // namespace contactlib::state

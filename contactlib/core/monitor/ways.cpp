#include "ways.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::monitor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double slack = 1e-14;  // rounding of positions, of their size

}  // namespace

Sorted sort_ways(const Model& model, Data& data, const Ways& ways) noexcept {
  state::NearPairs& near = data.near;
  Sorted count{0, 0};
  Vec3 mean = Vec3::Zero();
  for (const std::int32_t i : model.pair_index.bodies)  // nothing passes a plane
    if (std::isfinite(data.extents[i].thickness)) mean += near.moved[i], near.swept[count.bodies++] = i;
  mean /= static_cast<double>(std::max<std::size_t>(count.bodies, 1));
  for (std::size_t k = 0; k < count.bodies; ++k) {
    const std::int32_t i = near.swept[k];
    const state::BodyExtent& body = data.extents[i];
    const Vec3 &r_WB = ways.from[i].r_WB, d = near.moved[i] - mean;
    const double rounding = slack * r_WB.cwiseAbs().maxCoeff(), x1 = r_WB[0] + d[0];
    const double turned = ways.h * data.bodies()[i].w_WB.norm() * body.radius;
    const double slow = ways.part * body.thickness * (1.0 - 1e-9) - rounding;
    near.fast[i] = !(d.norm() + turned <= slow);
    count.fast += near.fast[i];
    near.starts[i] = std::isfinite(x1) ? std::min(r_WB[0], x1) - body.radius - rounding : -infinity;
    near.ends[i] = std::isfinite(x1) ? std::max(r_WB[0], x1) + body.radius + rounding : infinity;
  }
  if (count.fast == 0) return count;
  std::sort(near.swept.data(), near.swept.data() + count.bodies, [&](std::int32_t i, std::int32_t k) noexcept {
    return near.starts[i] != near.starts[k] ? near.starts[i] < near.starts[k] : i < k;
  });
  std::size_t fast = 0;
  for (std::size_t k = 0; k < count.bodies; ++k)
    if (near.fast[near.swept[k]]) near.leavers[fast++] = near.swept[k];
  return count;
}

}  // namespace contactlib::monitor

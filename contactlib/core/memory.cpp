#include "memory.hpp"

#include <algorithm>

#include "geometry/pairs.hpp"

namespace contactlib {

Recollection recollect(const Data& data, double key) noexcept {
  const Memory* const begin = data.memory();
  const Memory* const end = begin + static_cast<std::size_t>(data.globals().memory_count);
  const Memory* const first =
      std::lower_bound(begin, end, key, [](const Memory& memory, double k) { return memory.key < k; });
  const Memory* last = first;
  while (last != end && last->key == key) ++last;
  return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
}

namespace {

struct Search {
  Data& data;
  const Recollection& old;
  const Mat3& R_WB;

  // the unclaimed memory of the least badness below `worst`.
  template <class Badness>
  const Memory* take(const Vec3& n_W, double worst, const Badness& badness) const noexcept {
    std::size_t best = old.last;
    for (std::size_t k = old.first; k < old.last; ++k) {
      const Memory& memory = data.memory()[k];
      if (data.claimed[k] || !((R_WB * memory.n_B).dot(n_W) > 0.0)) continue;
      const double here = badness(memory);
      if (here < worst) worst = here, best = k;
    }
    if (best == old.last) return nullptr;
    data.claimed[best] = 1;
    return &data.memory()[best];
  }
};

}  // namespace

void claim(Data& data, const Recollection& old, const ManifoldPoint* points, std::size_t count, const Vec3& p_BA_W,
           const Mat3& R_WB, double reach, const Memory** out) noexcept {
  std::fill(data.claimed.begin() + old.first, data.claimed.begin() + old.last, 0);
  const Search search{data, old, R_WB};
  for (std::size_t i = 0; i < count; ++i) {
    const double feature = points[i].feature;
    const auto differs = [&](const Memory& memory) { return memory.feature == feature ? 0.0 : 2.0; };
    out[i] = old.first == old.last ? nullptr : search.take(points[i].n_AB_W, 1.0, differs);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i] || points[i].feature < roaming || old.first == old.last) continue;
    const Vec3 p_BC_B = R_WB.transpose() * (p_BA_W + points[i].p_AC_W);
    const auto away = [&](const Memory& memory) {
      return memory.feature < roaming ? 2.0 * reach * reach : (memory.p_BC - p_BC_B).squaredNorm();
    };
    out[i] = search.take(points[i].n_AB_W, reach * reach, away);
  }
}

void remember(const Model& model, Data& data) noexcept {
  std::uint32_t* const order = data.by_key.data();
  const auto key = [&](std::uint32_t i) {
    const Contact& c = data.contacts[i];
    const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
    return memory_key(model, pair_row_index(A.kind, B.kind), c.shape_a, c.shape_b);
  };
  // what was remembered is needed no more: its place holds the keys until all are in order
  Memory* const memory = data.memory();
  for (std::uint32_t i = 0; i < data.count; ++i) order[i] = i, memory[i].key = key(i);
  std::sort(order, order + data.count, [&](std::uint32_t i, std::uint32_t j) {
    const double a = memory[i].key, b = memory[j].key;
    return a != b ? a < b : i < j;
  });
  for (std::size_t k = 0; k < data.count; ++k) {
    const Contact& c = data.contacts[order[k]];
    const Mat3 R_BW = data.R_WB[c.body_b].transpose();
    memory[k] = {key(order[k]),
                 static_cast<double>(c.feature),
                 static_cast<double>(c.slipping),
                 R_BW * c.z_W,
                 R_BW * c.s_W,
                 R_BW * c.n_AB_W,
                 R_BW * c.p_BC_W};
  }
  data.globals().memory_count = static_cast<double>(data.count);
}

}  // namespace contactlib

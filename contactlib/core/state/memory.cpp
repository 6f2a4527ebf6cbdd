#include "memory.hpp"

#include <algorithm>

#include "geometry/pairs.hpp"

namespace contactlib::state {

using geometry::Shape, geometry::pair_row_index, geometry::roaming;
using model::Law;

Recollection recollect(const Data& data, double key) noexcept {
  const auto count = static_cast<std::size_t>(data.globals().memory_count);
  std::size_t first = 0;
  for (std::size_t left = count; left > 0;) {
    const std::size_t half = left / 2;
    const bool before = data.memory(first + half).key < key;
    first += before ? half + 1 : 0;
    left = before ? left - half - 1 : half;
  }
  std::size_t last = first;
  while (last != count && data.memory(last).key == key) ++last;
  return {first, last};
}

Recollection recollect_next(Data& data, double key) noexcept {
  constexpr std::size_t steps = 4;
  const auto count = static_cast<std::size_t>(data.globals().memory_count);
  std::size_t first = std::min(data.recalled, count);
  const bool ahead = first == 0 || data.memory(first - 1).key < key;
  const std::size_t end = std::min(first + steps, count);
  while (ahead && first != end && data.memory(first).key < key) ++first;
  Recollection found{first, first};
  if (!ahead || (first == end && end != count && data.memory(first).key < key)) found = recollect(data, key);
  for (found.last = found.first; found.last != count && data.memory(found.last).key == key;) ++found.last;
  data.recalled = found.last;
  return found;
}

Shapes shapes_of(const Model& model, const Memory& memory) noexcept {
  const auto shapes = static_cast<std::int64_t>(model.shapes.size()), key = static_cast<std::int64_t>(memory.key);
  const auto a = static_cast<std::int32_t>(key / shapes % shapes), b = static_cast<std::int32_t>(key % shapes);
  const Shape &A = model.shapes[a], &B = model.shapes[b];
  if (A.kind > B.kind || pair_row_index(A.kind, B.kind) != key / shapes / shapes) return {};
  if (A.body == B.body) return {};
  const std::int32_t pair = model.pair_index.find(model.pairs, A.body, B.body).pair;
  return pair < 0 ? Shapes{} : Shapes{a, b, pair, model.law_index(model.pairs[pair], A, B)};
}

namespace {

struct Search {
  Data& data;
  const Recollection& old;
  const Mat3& R_WB;

  // The unassigned state with the least badness below `worst`.
  template <class Badness>
  const Memory* take(const Vec3& n_W, double worst, const Badness& badness) const noexcept {
    std::size_t best = old.last;
    for (std::size_t k = old.first; k < old.last; ++k) {
      const Memory& memory = data.memory(k);
      if (data.claimed[k] || !((R_WB * memory.n_B).dot(n_W) > 0.0)) continue;
      const double here = badness(memory);
      if (here < worst) worst = here, best = k;
    }
    if (best == old.last) return nullptr;
    data.claimed[best] = 1;
    return &data.memory(best);
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

namespace {

// Vectors of user laws are stored like the bristle. Unused numbers are zero.
void remember_grip(const Model& model, const Data& data, std::size_t contact, const Mat3& R_BW, Memory& out) noexcept {
  const Contact& c = data.contacts[contact];
  const Law& law = model.laws[c.law];
  double* const own = own_of(out);
  std::fill_n(own, model.own_width, 0.0);
  attachment_of(out) =
      law.is_stateful() ? data.attachments[contact] : Attachment{Vec3::Zero(), Vec3::Zero(), 0.0, 0.0, 0.0};
  if (!law.is_user_law()) return;
  const double* const from = data.own.data() + contact * model.own_width;
  std::copy_n(from, law.own_width(), own);
  for (std::int32_t i = 0; i < law.tangents; ++i) {
    const Vec3 z_B = R_BW * Vec3(from + 3 * i);
    std::copy_n(z_B.data(), 3, own + 3 * i);
  }
}

// Whether `order` sorts the numbers below `count`: it is mostly that of the last step.
template <class Before>
bool is_order(const std::uint32_t* order, std::size_t count, const Before& before) noexcept {
  for (std::size_t k = 0; k < count; ++k)
    if (order[k] >= count || (k > 0 && !before(order[k - 1], order[k]))) return false;
  return true;
}

}  // namespace

void remember(const Model& model, Data& data) noexcept {
  std::uint32_t* const order = data.by_key.data();
  const auto key = [&](std::uint32_t i) {
    const Contact& c = data.contacts[i];
    const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
    return memory_key(model, pair_row_index(A.kind, B.kind), c.shape_a, c.shape_b);
  };
  const auto ends = [&](std::uint32_t i) {  // a detached contact with separated shapes
    return data.contacts[i].apart && data.contacts[i].phase >= Phase::ends;
  };
  std::size_t count = 0;
  // the old states are in use no more: their keys hold those of the contacts, by contact
  for (std::uint32_t i = 0; i < data.count; ++i)
    if (!ends(i)) data.memory(i).key = key(i), ++count;
  const auto before = [&](std::uint32_t i, std::uint32_t j) noexcept {
    const double a = data.memory(i).key, b = data.memory(j).key;
    return a != b ? a < b : i < j;
  };
  if (count != data.count || !is_order(order, count, before)) {
    count = 0;
    for (std::uint32_t i = 0; i < data.count; ++i)
      if (!ends(i)) order[count++] = i;
    if (!std::is_sorted(order, order + count, before)) std::sort(order, order + count, before);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Contact& c = data.contacts[order[k]];
    const Mat3 R_BW = data.R_WB[c.body_b].transpose();
    Memory& memory = data.memory(k);
    memory = {order[k] < k ? key(order[k]) : data.memory(order[k]).key,
              static_cast<double>(c.feature),
              static_cast<double>(c.slipping),
              c.age,
              R_BW * c.z_W,
              R_BW * c.s_W,
              R_BW * c.n_AB_W,
              R_BW * c.p_BC_W,
              R_BW * c.turn_W,
              c.stretch};
    if (model.attachments) remember_grip(model, data, order[k], R_BW, memory);
  }
  data.globals().memory_count = static_cast<double>(count);
}

}  // namespace contactlib::state

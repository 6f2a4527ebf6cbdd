#include "narrow_phase.hpp"

#include <algorithm>

#include "contact/contact_builder.hpp"
#include "contact/surface_contact.hpp"
#include "geometry/compounds.hpp"
#include "math/lanes.hpp"
#include "state/memory.hpp"

namespace contactlib::step {

using bounding::lower_bound;
using geometry::compound_of, geometry::Depth, geometry::Manifold, geometry::PairContacts, geometry::PairRow,
    geometry::SeparatingAxis, geometry::Placement, geometry::SurfaceScratch, geometry::many, geometry::pair_row,
    geometry::is_rounded;
using state::Pool, state::Recollection, state::memory_key, state::recollect;

namespace {

Vec3 last_normal(const Model& model, const Data& data, int row, const Candidate& c, const Mat3& R_WB) noexcept {
  if (data.globals().memory_count == 0.0) return Vec3::Zero();
  const Recollection old = recollect(data, memory_key(model, row, c.shape_a, c.shape_b));
  if (old.first == old.last) return Vec3::Zero();
  return R_WB * data.memory(old.first).n_B;
}

// The cached separating axis of two shapes. The cache is a hash table; a collision replaces the entry.
SeparatingAxis* separating_axis_of(Pool& pool, const Candidate& c) noexcept {
  const auto a = static_cast<std::int32_t>(c.shape_a), b = static_cast<std::int32_t>(c.shape_b);
  const std::uint32_t mixed =
      (static_cast<std::uint32_t>(a) * 2654435761u) ^ (static_cast<std::uint32_t>(b) * 2246822519u);
  SeparatingAxis& separating_axis = pool.separating_axes[(mixed >> 8) & (pool.separating_axes.size() - 1)];
  if (separating_axis.shape_a != a || separating_axis.shape_b != b) separating_axis = {a, b};
  return &separating_axis;
}

[[gnu::always_inline]] inline Placement placement_of(const Model& model, const Data& data, const Candidate& c,
                                                     const PairRow& row, int index) noexcept {
  const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  const Mat3 &R_WA = data.R_WB[A.body], &R_WB = data.R_WB[B.body];
  return {axes(R_WA, A), axes(R_WB, B), between(data, A.body, B.body) + (R_WB * B.p_BS - R_WA * A.p_BS),
          row.warm ? last_normal(model, data, index, c, R_WB) : Vec3(Vec3::Zero())};
}

// Candidate i has `needed` contacts, of which `count` stand at `points`: at the end of the pool or elsewhere.
inline void keep_contacts(Pool& pool, std::size_t capacity, std::size_t i, const ManifoldPoint* points,
                          std::size_t count, std::size_t needed) noexcept {
  if (count == 0) return;
  pool.needed += needed;
  if (pool.point_count + needed > capacity) return;
  ManifoldPoint* const end = pool.points.data() + pool.point_count;
  if (points != end) std::copy_n(points, count, end);
  pool.found[pool.found_count++] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(pool.point_count),
                                    static_cast<std::uint32_t>(count)};
  pool.point_count += count;
}

// Runs the kernel of a candidate. Returns whether it has pieces.
bool find_pieces(const Model& model, const Data& data, Pool& pool, Candidate& c, const PairRow& row,
                 int index) noexcept {
  SurfaceScratch& surface = pool.surface;
  row.surface(model.shapes[c.shape_a], model.shapes[c.shape_b], placement_of(model, data, c, row, index), surface);
  pool.pieces_needed = std::max(pool.pieces_needed, surface.needed);
  c.gap = surface.needed == 0 ? lower_bound(surface.gap) : 0.0f;
  return surface.needed != 0 && surface.needed <= surface.capacity();
}

// The candidates of two compounds have one contact, which the first of them finds. They follow each other.
Depth join_pieces(const Model& model, Data& data, Pool& pool, std::size_t i, std::size_t count, const PairRow& row,
                  int index) noexcept {
  constexpr Depth none{0.0, 0.0, 0.0, 0.0};
  const std::vector<Shape>& shapes = model.shapes;
  const auto first_a = [&](std::size_t j) { return compound_of(shapes, data.candidates[j].shape_a); };
  const auto first_b = [&](std::size_t j) { return compound_of(shapes, data.candidates[j].shape_b); };
  const auto with_i = [&](std::size_t j) { return first_a(j) == first_a(i) && first_b(j) == first_b(i); };
  if (i > 0 && with_i(i - 1) && row_of(model, data.candidates[i - 1]) == index) return none;
  const Shape& first = shapes[first_a(i)];
  geometry::JoinedPairs joined(pool.surface);
  geometry::Reference reference;
  for (std::size_t j = i; j < count && with_i(j) && row_of(model, data.candidates[j]) == index; ++j) {
    if (!find_pieces(model, data, pool, data.candidates[j], row, index)) continue;
    const Shape& A = shapes[data.candidates[j].shape_a];
    reference = pool.surface.reference;
    const Mat3 R = first.R_BS.transpose() * A.R_BS;
    const Vec3 p = first.R_BS.transpose() * (A.p_BS - first.p_BS);
    const bool fits = joined.add(R, p);
    pool.pieces_needed = std::max(pool.pieces_needed, joined.needed());
    if (!fits) return none;
  }
  return joined.needed() == 0 ? none : joined.finish(reference);
}

// The contact of two surfaces, with its force. Stateful laws get it as a point.
void collide_surfaces(const Model& model, Data& data, Pool& pool, std::size_t i, std::size_t count, const PairRow& row,
                      int index) noexcept {
  Candidate& c = data.candidates[i];
  std::int32_t shape_a = c.shape_a, shape_b = c.shape_b;
  const std::int32_t pair = data.present_pair;
  const std::int32_t law = model.law_index(model.pairs[pair], model.shapes[shape_a], model.shapes[shape_b]);
  SurfaceScratch& surface = pool.surface;
  surface.sharpness = model.laws[law].sharpness;
  Depth depth{0.0, 0.0, 0.0, 0.0};
  if (!model.laws[law].is_stateful() && is_joined(model, c)) {
    depth = join_pieces(model, data, pool, i, count, row, index);
    shape_a = compound_of(model.shapes, shape_a), shape_b = compound_of(model.shapes, shape_b);
  } else if (find_pieces(model, data, pool, c, row, index)) {
    depth = geometry::depth_of(surface);
  }
  if (!(depth.phi > 0.0)) return;
  const Shape &A = model.shapes[shape_a], &B = model.shapes[shape_b];
  if (model.laws[law].is_stateful()) {
    ManifoldPoint point;
    if (geometry::as_point(surface, depth, axes(data.R_WB[A.body], A), point))
      keep_contacts(pool, data.contacts.size(), i, &point, 1, 1);
    return;
  }
  if (pool.surface_count == pool.surface_contacts.size() || pool.found_count == pool.found.size()) {
    ++pool.needed;
    return;
  }
  const Vec3 r_AB_W = between(data, A.body, B.body), p_AS_W = data.R_WB[A.body] * A.p_BS;
  const ContactBuilder builder{model, data, pair, shape_a, shape_b, law, p_AS_W, r_AB_W, data.present_h};
  const Memory* old = nullptr;
  if (data.globals().memory_count > 0.0) {
    const Recollection found = recollect(data, memory_key(model, index, shape_a, shape_b));
    if (found.first != found.last) old = &data.memory(found.first);
  }
  build_surface_contact(builder, surface, depth, old, pool.surface_contacts[pool.surface_count]);
  pool.found[pool.found_count++] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(pool.surface_count++), 0};
}

[[gnu::always_inline]] inline void collide_one(const Model& model, Data& data, Pool& pool, std::size_t i,
                                               std::size_t count, const PairRow& row, int index) noexcept {
  Candidate& c = data.candidates[i];
  if (row.is_surface(model.shapes[c.shape_a], model.shapes[c.shape_b]))
    return collide_surfaces(model, data, pool, i, count, row, index);
  const std::size_t capacity = data.contacts.size(), left = capacity + Manifold::max_points - pool.point_count;
  const auto most = row.max_contacts == many ? left : std::min<std::size_t>(left, Manifold::max_points);
  Manifold manifold{pool.points.data() + pool.point_count, static_cast<int>(most)};
  manifold.separating_axis = row.warm ? separating_axis_of(pool, c) : nullptr;
  manifold.scratch = &pool.surface;
  pool.surface.needed = 0;
  row.kernel(model.shapes[c.shape_a], model.shapes[c.shape_b], placement_of(model, data, c, row, index), manifold);
  pool.pieces_needed = std::max(pool.pieces_needed, pool.surface.needed);
  c.gap = manifold.count == 0 ? lower_bound(manifold.gap) : 0.0f;
  keep_contacts(pool, capacity, i, manifold.points, manifold.count,
                row.max_contacts == many ? manifold.needed : manifold.count);
}

// Of fewer candidates of one row, or in two lanes, the kernel is as fast as the loop of pairs.
constexpr std::size_t least_together = 3;

// How many candidates from i on have the row of i.
std::size_t together(const Model& model, const Data& data, std::size_t i, std::size_t end, int index) noexcept {
  const std::size_t most = std::min(most_together, end - i);
  std::size_t count = 1;
  while (count < most && row_of(model, data.candidates[i + count]) == index) ++count;
  return count;
}

void collide_together(const Model& model, Data& data, Pool& pool, std::size_t first, std::size_t count,
                      const PairRow& row, int index) noexcept {
  const Shape *A[most_together], *B[most_together];
  Placement X[most_together];
  PairContacts found[most_together];
  for (std::size_t k = 0; k < count; ++k) {
    const Candidate& c = data.candidates[first + k];
    A[k] = &model.shapes[c.shape_a], B[k] = &model.shapes[c.shape_b];
    X[k] = placement_of(model, data, c, row, index);
  }
  ManifoldPoint* points = pool.points.data() + pool.point_count;
  row.pairs(A, B, X, count, points, found);
  for (std::size_t k = 0; k < count; ++k) {
    const auto here = static_cast<std::size_t>(found[k].count);
    data.candidates[first + k].gap = here == 0 ? lower_bound(found[k].gap) : 0.0f;
    keep_contacts(pool, data.contacts.size(), first + k, points, here, here);
    points += here;
  }
}

}  // namespace

void collide(const Model& model, Data& data, std::size_t chunk, std::size_t count) noexcept {
  Pool& pool = data.pools[chunk];
  pool.point_count = pool.found_count = pool.needed = pool.surface_count = 0;
  pool.pieces_needed = 0;
  const bool in_lanes = math::lane_count() >= 4;
  const std::size_t chunks = data.pools.size(), end = count * (chunk + 1) / chunks;
  for (std::size_t i = count * chunk / chunks; i < end;) {
    const int index = row_of(model, data.candidates[i]);
    const PairRow& row = pair_row(index);
    const std::size_t alike = in_lanes && row.pairs && !row.warm ? together(model, data, i, end, index) : 1;
    if (alike >= least_together)
      collide_together(model, data, pool, i, alike, row, index), i += alike;
    else
      collide_one(model, data, pool, i, count, row, index), ++i;
  }
}

void collide_serially(const Model& model, Data& data, std::size_t count) noexcept {
  for (std::size_t chunk = 0; chunk < data.pools.size(); ++chunk) collide(model, data, chunk, count);
}

}  // namespace contactlib::step

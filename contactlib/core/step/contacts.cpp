#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "contact/contact_builder.hpp"
#include "contact/contact_laws.hpp"
#include "geometry/compounds.hpp"
#include "geometry/manifold/ball.hpp"
#include "narrow_phase.hpp"
#include "state/memory.hpp"

namespace contactlib::step {

using bounding::Walk, bounding::lower_bound;
using geometry::compound_of, geometry::shape_kinds;
using model::BodyPair, model::Law, model::Pair;
using state::Bound, state::BoundKind, state::CachedPair, state::Found, state::Pool, state::Recollection,
    state::RelativePose, state::Shapes, state::are_near, state::ask_models, state::attachment_of, state::claim,
    state::memory_key, state::recollect_next, state::shapes_of, state::update_near;
namespace {

constexpr int full_pause = 256;  // evaluations without a list after one that did not fit into the memory

// Of each row first the candidates that have contacts of their own, then those of compounds.
int bucket_of(const Model& model, const Candidate& c) noexcept { return 2 * row_of(model, c) + is_joined(model, c); }

// Orders each candidate so that the simpler shape is A, drops ignored pairs, and sorts by row of the pair table, so
// that one narrow-phase function runs on all its candidates in sequence. Candidates of compounds are in an order of their
// own, so that neither it nor their sums depend on which of them have been found.
std::size_t sort_by_row(const Model& model, Data& data, const Pair& pair, std::size_t walked) noexcept {
  constexpr int buckets = 2 * shape_kinds * shape_kinds;
  std::uint32_t start[buckets];
  std::size_t kept = 0;
  int low = buckets, high = 0;
  for (std::size_t i = 0; i < walked; ++i) {
    Candidate c = data.walked[i];
    if (model.shapes[c.shape_a].kind > model.shapes[c.shape_b].kind) std::swap(c.shape_a, c.shape_b);
    if (pair.ignores(row_of(model, c))) continue;
    data.walked[kept++] = c;
    const int bucket = bucket_of(model, c);
    low = std::min(low, bucket), high = std::max(high, bucket);
  }
  if (kept <= 1) {
    data.candidates[0] = data.walked[0];
    return kept;
  }
  // counting sort over the buckets that occur
  for (int bucket = low; bucket <= high; ++bucket) start[bucket] = 0;
  for (std::size_t i = 0; i < kept; ++i) ++start[bucket_of(model, data.walked[i])];
  std::uint32_t at = 0;
  for (int bucket = low; bucket <= high; ++bucket) at += std::exchange(start[bucket], at);
  for (std::size_t i = 0; i < kept; ++i) data.candidates[start[bucket_of(model, data.walked[i])]++] = data.walked[i];
  const auto before = [&](const Candidate& c, const Candidate& d) noexcept {
    const std::int32_t keys[2][4] = {
        {compound_of(model.shapes, c.shape_a), compound_of(model.shapes, c.shape_b), c.shape_a, c.shape_b},
        {compound_of(model.shapes, d.shape_a), compound_of(model.shapes, d.shape_b), d.shape_a, d.shape_b}};
    return std::lexicographical_compare(keys[0], keys[0] + 4, keys[1], keys[1] + 4);
  };
  // after the loop above, each bucket ends where the next one began
  for (int bucket = low | 1; bucket <= high; bucket += 2) {
    const std::uint32_t first = bucket > low ? start[bucket - 1] : 0;
    if (start[bucket] > first + 1)
      std::sort(&data.candidates[first], &data.candidates[first] + (start[bucket] - first), before);
  }
  return kept;
}

// Builds the contacts of one candidate. Contacts beyond the capacity are counted, not stored.
void build_contacts(const Model& model, Data& data, std::int32_t pair, const Found& found, const ManifoldPoint* points,
                    const Contact* surface_contacts, double h) noexcept {
  data.needed += std::max<std::uint32_t>(found.count, 1);
  if (data.needed > data.contacts.size()) return;
  if (found.count == 0) {
    data.contacts[data.count++] = surface_contacts[found.first];
    return;
  }
  const Candidate& c = data.candidates[found.candidate];
  const Shape &A = model.shapes[c.shape_a], &B = model.shapes[c.shape_b];
  const Vec3 r_AB_W = between(data, A.body, B.body);
  const Vec3 p_AS_W = data.R_WB[A.body] * A.p_BS;
  const ContactBuilder builder{model,  data,   pair, c.shape_a, c.shape_b, model.law_index(model.pairs[pair], A, B),
                               p_AS_W, r_AB_W, h};
  if (data.globals().memory_count == 0.0) {
    for (std::uint32_t i = 0; i < found.count; ++i)
      builder.build_contact(points[i], nullptr, false, data.contacts[data.count++]);
    return;
  }
  const Recollection old =
      recollect_next(data, memory_key(model, pair_row_index(A.kind, B.kind), c.shape_a, c.shape_b));
  const double reach = 0.5 * std::min(A.bound > 0.0 ? A.bound : B.bound, B.bound > 0.0 ? B.bound : A.bound);
  const Memory** const claims = data.claims.data();
  claim(data, old, points, found.count, p_AS_W - r_AB_W, data.R_WB[B.body], reach, claims);
  for (std::uint32_t i = 0; i < found.count; ++i)
    builder.build_contact(points[i], claims[i], false, data.contacts[data.count++]);
}

// Builds the stateful contacts whose shapes have separated, half-way between their attachment points.
void build_separated_contacts(const Model& model, Data& data, double h) noexcept {
  const auto count = static_cast<std::size_t>(data.globals().memory_count);
  for (std::size_t k = 0; k < count; ++k) {
    if (data.claimed[k] || attachment_of(data.memory(k)).ended != 0.0) continue;
    const Memory& old = data.memory(k);
    const Shapes shapes = shapes_of(model, old);
    if (shapes.law < 0 || !model.laws[shapes.law].is_stateful()) continue;
    const Shape &A = model.shapes[shapes.a], &B = model.shapes[shapes.b];
    const Mat3 &R_WA = data.R_WB[A.body], &R_WB = data.R_WB[B.body];
    const Vec3 r_AB_W = between(data, A.body, B.body), p_AS_W = R_WA * A.p_BS, n_W = R_WB * old.n_B;
    const Vec3 p_AA_W = R_WA * attachment_of(old).p_A, d_W = r_AB_W + R_WB * attachment_of(old).p_B - p_AA_W;
    const Law& law = model.laws[shapes.law];
    const double gap = d_W.dot(n_W);
    if (law.is_user_law() && !(law.reach > 0.0 && d_W.norm() <= law.reach)) continue;
    if (++data.needed > data.contacts.size()) continue;
    data.claimed[k] = 1;
    const ManifoldPoint point{p_AA_W + 0.5 * d_W - p_AS_W, n_W, -gap, static_cast<std::int32_t>(old.feature),
                              attachment_of(old).load_share};
    const ContactBuilder builder{model, data, shapes.pair, shapes.a, shapes.b, shapes.law, p_AS_W, r_AB_W, h};
    builder.build_contact(point, &old, true, data.contacts[data.count++]);
  }
}

// Evaluates the sorted candidates of a pair.
void evaluate_candidates(const Model& model, Data& data, std::int32_t pair, std::size_t count,
                         ContactLaws& laws) noexcept {
  data.present_pair = pair, data.present_h = laws.h();
  data.narrow(model, data, count);
  data.candidate_pairs += count;
  for (const Pool& pool : data.pools) {
    for (std::size_t k = 0; k < pool.found_count; ++k)
      build_contacts(model, data, pair, pool.found[k], pool.points.data() + pool.found[k].first,
                     pool.surface_contacts.data(), laws.h());
    if (pool.needed > pool.point_count) data.needed += pool.needed - pool.point_count;
    data.pieces_needed = std::max(data.pieces_needed, pool.pieces_needed);
  }
  laws.apply_if_many();
}

// Whether a matrix is a rotation to rounding: that of a quaternion that is not a unit turns no length into itself.
bool is_rotation(const Mat3& R) noexcept { return std::abs(R.squaredNorm() - 3.0) < 1e-13; }

RelativePose relative_pose(const Data& data, const BodyPair& bodies, const CachedPair& cached) noexcept {
  const std::int32_t moving = cached.a_moves ? bodies.body_a : bodies.body_b,
                     other = cached.a_moves ? bodies.body_b : bodies.body_a;
  const Mat3 &R_WM = data.R_WB[moving], &R_WO = data.R_WB[other];
  const Vec3 p = R_WO.transpose() * between(data, other, moving);
  const Mat3 R = R_WO.transpose() * R_WM;
  const bool sound = is_rotation(R_WM) && is_rotation(R_WO);
  return {R, p + R * cached.middle, sound ? p.norm() + cached.size : std::numeric_limits<double>::infinity()};
}

// Makes the list of a pair of bodies at the present pose, if it is worth the work. Returns whether there is one.
bool make_list(const Model& model, Data& data, const BodyPair& bodies, CachedPair& cached, const RelativePose& now,
               double moved) noexcept {
  const double margin = cached.begin(now, moved);
  if (margin < 0.0) return false;
  const Mat3 R_AW = data.R_WB[bodies.body_a].transpose();
  Walk walk(model.tree, data.open.data(),
            {R_AW * data.R_WB[bodies.body_b], R_AW * between(data, bodies.body_a, bodies.body_b)});
  walk.start(bodies.body_a, bodies.body_b);
  const double gap = walk.gap();
  std::size_t walked = 0;
  const bool complete = walk.within(margin, data.walked.data(), data.walked.size(), walked);
  data.volume_tests += walk.tests();
  const std::size_t count = complete ? sort_by_row(model, data, model.pairs[bodies.pair], walked) : 0;
  Candidate* const list = complete ? data.cached.reserve(cached, count) : nullptr;
  if (!list) {
    cached.pause = full_pause;
    return false;
  }
  std::copy_n(data.candidates.begin(), count, list);
  cached.margin = std::max(margin, gap);
  return true;
}

// Evaluates the candidates in the list of a pair of bodies that the motion since the reference may have brought
// together. Returns false if there is no valid list.
//
// A gap g at the reference is at least g - D now. A kernel that finds a gap g now leaves one of g - D at the reference.
bool evaluate_cached(const Model& model, Data& data, const BodyPair& bodies, CachedPair& cached,
                     ContactLaws& laws) noexcept {
  if (!(cached.longest > 0.0)) return false;
  const RelativePose now = relative_pose(data, bodies, cached);
  double D = cached.motion(now);
  if (!(D < cached.margin)) {
    if (!make_list(model, data, bodies, cached, now, D)) return false;
    D = cached.motion(now);
  }
  ++cached.uses;
  Candidate *const list = data.cached.list(cached), *const candidates = data.candidates.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < cached.count; ++i) {
    candidates[count] = list[i];
    count += list[i].gap <= D;
  }
  if (count == 0) return true;
  evaluate_candidates(model, data, bodies.pair, count, laws);
  for (std::size_t i = 0, k = 0; k < count; ++i)
    if (list[i].gap <= D) list[i].gap = std::max(list[i].gap, lower_bound(candidates[k++].gap - D));
  return true;
}

// Evaluates one pair of bodies: candidates of its trees, in portions.
void evaluate_pair(const Model& model, Data& data, const BodyPair& bodies, ContactLaws& laws) noexcept {
  const auto [order, body_a, body_b, pair] = bodies;
  const Mat3 R_AW = data.R_WB[body_a].transpose();
  Walk walk(model.tree, data.open.data(), {R_AW * data.R_WB[body_b], R_AW * between(data, body_a, body_b)});
  walk.start(body_a, body_b);
  while (const std::size_t walked = walk.next(data.walked.data(), data.walked.size()))
    evaluate_candidates(model, data, pair, sort_by_row(model, data, model.pairs[pair], walked), laws);
  data.volume_tests += walk.tests();
}

// Candidates of near bodies of one shape each, of one pair and one row of the pair table. As the row is the same for all,
// they are in the order of the bodies' pairs, and they may be evaluated together.
struct Portion {
  const Model& model;
  Data& data;
  ContactLaws& laws;
  std::int32_t pair = -1;
  int row = -1;
  std::size_t count = 0;

  void add(std::int32_t of_pair, Candidate c) noexcept {
    if (model.shapes[c.shape_a].kind > model.shapes[c.shape_b].kind) std::swap(c.shape_a, c.shape_b);
    const int of_row = pair_row_index(model.shapes[c.shape_a].kind, model.shapes[c.shape_b].kind);
    if (of_pair != pair || of_row != row || count == data.candidates.size()) evaluate();
    ++data.volume_tests;
    if (model.pairs[of_pair].ignores(of_row)) return;
    pair = of_pair, row = of_row;
    data.candidates[count++] = c;
  }

  void evaluate() noexcept {
    if (count != 0) evaluate_candidates(model, data, pair, count, laws);
    count = 0;
  }
};

// The only shape of a body whose bound is that of this shape, so that nothing is left to traverse; or -1.
std::int32_t lone_shape(const Data& data, std::int32_t body) noexcept {
  const Bound& bound = data.near.bounds[body];
  return bound.kind == BoundKind::box ? -1 : data.near.lone[body];
}

// Evaluates the pairs of bodies whose bounds overlap.
void evaluate_near(const Model& model, Data& data, ContactLaws& laws) noexcept {
  const Bound* const bounds = data.near.bounds.data();
  Portion portion{model, data, laws};
  for (std::size_t k = 0; k < data.near.count; ++k) {
    const BodyPair& bodies = data.near.pairs[k];
    if (!are_near(bounds[bodies.body_a], bounds[bodies.body_b])) continue;
    const Candidate c{lone_shape(data, bodies.body_a), lone_shape(data, bodies.body_b), 0.0f};
    if (c.shape_a >= 0 && c.shape_b >= 0) {
      portion.add(bodies.pair, c);
    } else {
      portion.evaluate();
      evaluate_pair(model, data, bodies, laws);
    }
  }
  portion.evaluate();
}

}  // namespace

Status find_contacts(const Model& model, Data& data, double h) noexcept {
  data.count = data.needed = data.volume_tests = data.candidate_pairs = data.recalled = data.pieces_needed = 0;
  if (model.attachments) std::fill_n(data.claimed.begin(), static_cast<std::size_t>(data.globals().memory_count), 0);
  ContactLaws laws(model, data, h);
  for (std::size_t k = 0; k < model.pair_index.listed.size(); ++k) {
    const BodyPair& bodies = model.pair_index.listed[k];
    if (!evaluate_cached(model, data, bodies, data.cached.pairs[k], laws)) evaluate_pair(model, data, bodies, laws);
  }
  if (data.near.used()) {
    if (Status status = update_near(model, data); !status) return status;
    evaluate_near(model, data, laws);
  }
  laws.apply();
  if (model.attachments) build_separated_contacts(model, data, h);
  if (data.pieces_needed > data.pools[0].surface.capacity())
    return {Code::surface_overflow, static_cast<std::int32_t>(std::min<std::size_t>(data.pieces_needed, 0x7fffffff))};
  if (data.needed <= data.contacts.size()) return model.user_laws ? ask_models(model, data, h) : Status{};
  return {Code::contact_overflow, static_cast<std::int32_t>(std::min<std::size_t>(data.needed, 0x7fffffff))};
}

}  // namespace contactlib::step

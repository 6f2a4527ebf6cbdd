// Which bodies may touch: pairs of bodies that the scene names, and rules for all bodies of two classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/manifold/manifold.hpp"

namespace contactlib::model {

// All shapes of one body may touch all shapes of the other, except for ignored rows of the pair table.
struct Pair {
  std::int32_t a, b;      // bodies; of a rule: classes of bodies
  std::int32_t law;       // the law of the pair; -1: the law of the materials
  std::int32_t order;     // pairs are evaluated by increasing order, then by their bodies
  bool directed;          // of a rule: A is the body of class a; otherwise the body of the lower index
  std::uint32_t ignore[6];

  bool ignores(int row) const noexcept { return ignore[row >> 5] >> (row & 31) & 1u; }
  bool ignores_all() const noexcept {
    std::uint32_t all = ~0u;
    for (const std::uint32_t word : ignore) all &= word;
    return all == ~0u;
  }
};
static_assert(8 * sizeof(Pair::ignore) >= geometry::shape_kinds * geometry::shape_kinds,
              "a bit for every pair of kinds");

// Two bodies that may touch and their place in Model::pairs. Of the order of `pairs`, a law and its grain count for
// body_a and body_b in this order.
struct BodyPair {
  std::int32_t order, body_a, body_b, pair;
};

inline bool before(const BodyPair& x, const BodyPair& y) noexcept {
  if (x.order != y.order) return x.order < y.order;
  return x.body_a != y.body_a ? x.body_a < y.body_a : x.body_b < y.body_b;
}

// Finds the pair of two bodies: the pair that names both, or else the rule of their classes.
struct PairIndex {
  // Another body of a pair; those of body i are partners [first[i], first[i + 1]), by increasing index, each pair at its
  // body of the lower index.
  struct Partner {
    std::int32_t body, pair;
  };
  struct Rule {
    std::uint64_t key;  // rule_key of its classes
    std::int32_t pair;
  };
  std::vector<std::int32_t> first;
  std::vector<Partner> partners;
  std::vector<Rule> rules;                          // by increasing key
  std::vector<std::int32_t> class_of, object_of;    // per body
  std::size_t named = 0;                            // pairs of two bodies; the rules stand behind them
  std::vector<BodyPair> listed;                     // all pairs of a scene with few of them, in their order
  std::vector<std::int32_t> bodies;                 // of a scene with many pairs: those that may touch another

  // Makes everything but class_of and object_of. Returns false if two pairs name the same bodies, or two rules the same
  // classes. same_object: per rule. May throw bad_alloc.
  bool make(const std::vector<Pair>& pairs, const std::vector<bool>& same_object);

  // `pair` of bodies i and k, in its order of the two.
  BodyPair between(const std::vector<Pair>& pairs, std::int32_t pair, std::int32_t i, std::int32_t k) const noexcept;

  // The pair of two different bodies in either order; its `pair` is -1 if they may not touch.
  BodyPair find(const std::vector<Pair>& pairs, std::int32_t i, std::int32_t k) const noexcept;

 private:
  void list(const std::vector<Pair>& pairs);
};

}  // namespace contactlib::model

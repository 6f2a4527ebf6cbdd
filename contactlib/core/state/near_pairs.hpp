// The broad phase across bodies, of scenes with many pairs of bodies: those whose boxes overlap.
//
// Each body has a box along the world's axes, and a larger one in a tree. While the body's box stays in the larger one, so
// do its near pairs; a body that leaves it, however far it moves, gets another one and its pairs are found anew. All of
// this is scratch memory: the pairs that visit_near() calls depend on the present poses only.
#pragma once

#include "bounding/box_tree.hpp"
#include "model/model.hpp"

namespace contactlib::state {

using bounding::Box;
using model::BodyPair, model::Model;

struct Data;

// A body's place in the world's axes, from NearPairs::origin: a box and, of a ball, its middle and radius within it; of a
// half space, its normal n and height, n . x <= size.
enum class BoundKind { box, ball, half_space };
struct Bound {
  Box box;
  Vec3 p;
  double size;  // m
  BoundKind kind;
};

struct NearPairs {
  bounding::BoxTree tree;  // of the larger boxes, by body
  std::vector<Bound> bounds;  // per body
  std::vector<unsigned char> left;  // per body: it has left its larger box
  std::vector<std::int32_t> leavers;
  std::vector<BodyPair> pairs;  // whose larger boxes overlap, in their order
  std::vector<BodyPair> found;  // those of `leavers`
  std::size_t count = 0;  // of `pairs`
  Vec3 origin = Vec3::Zero();  // m, moves along with the bodies, so that bodies that move together stay in their boxes
  std::vector<Vec3> before;  // per body, position in the last update
  bool complete = false;  // whether `pairs` and `tree` are those of `bounds`
  // of monitor/ways.hpp
  std::vector<std::int32_t> swept;  // bodies by the start of their ways
  std::vector<Vec3> moved;  // m, per body
  std::vector<double> starts, ends;  // m, per body: of its way along the first axis
  std::vector<unsigned char> fast;  // per body

  bool used() const noexcept { return !bounds.empty(); }
  void make(const Model& model);  // nothing for a scene with few pairs; may throw bad_alloc
  void grow_capacity(std::size_t wanted);  // of pairs; may throw bad_alloc
};

// Updates all boxes and pairs for the present poses. near_overflow: the caller must grow the capacity.
Status update_near(const Model& model, Data& data) noexcept;

// How far a bound reaches below a plane's height, along its normal.
inline double lowest(const Bound& bound, const Vec3& n) noexcept {
  if (bound.kind == BoundKind::ball) return n.dot(bound.p) - bound.size;
  const Vec3 middle = 0.5 * (bound.box.low + bound.box.high), half = 0.5 * (bound.box.high - bound.box.low);
  return n.dot(middle) - n.cwiseAbs().dot(half);
}

// Whether the bounds of two bodies overlap.
inline bool are_near(const Bound& a, const Bound& b) noexcept {
  if (a.kind == BoundKind::ball && b.kind == BoundKind::ball) {
    const double reach = a.size + b.size;
    return (a.p - b.p).squaredNorm() <= reach * reach;
  }
  if (!a.box.overlaps(b.box)) return false;
  if (a.kind == BoundKind::half_space) return b.kind == BoundKind::half_space || lowest(b, a.p) <= a.size;
  return b.kind != BoundKind::half_space || lowest(a, b.p) <= b.size;
}

}  // namespace contactlib::state

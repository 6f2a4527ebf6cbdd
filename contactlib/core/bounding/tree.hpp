// The tree of bounding volumes over a scene's shapes: the given groups, and below a group of many shapes a binary tree
// that is built here.
#pragma once

#include <algorithm>
#include <vector>

#include "volumes.hpp"

namespace contactlib::bounding {

using geometry::Shape;

// A leaf has shapes, any other node has children: never both.
struct VolumeNode {
  Volume volume;
  std::int32_t first_child, child_count;
  std::int32_t first_shape, shape_count;  // places in VolumeTree::shapes
  double size;                            // m, the sum of volume.half
};

// A group of a body, as a scene defines it. kind: a VolumeKind, or -1 for the smallest that fits.
struct Group {
  std::int32_t body, parent;
  std::int32_t kind;
  Vec3 p_BG;
  Mat3 R_BG;
};

// The balls of shapes, in their bodies' axes, in columns: many are tested together.
struct ShapeBalls {
  std::vector<double> x, y, z, radius;  // m
  std::vector<std::int32_t> shape;
};

// The box around the balls of a leaf, in its body's axes, m.
struct LeafBox {
  Vec3 low, high;
};

struct VolumeTree {
  std::vector<VolumeNode> nodes;
  ShapeBalls shapes;           // leaf_shapes for each leaf; what it has not is infinitely far away
  std::vector<LeafBox> boxes;  // one for each leaf
  std::int32_t depth = 0;      // of the deepest leaf
  std::int32_t branching = 1;  // most children of a node
};

// groups: parents before children, each with groups or shapes; group_of[i] is the group of shape i, -1 for the body's
// own; `usual`: the kind of a group that leaves it open, -1 for the smaller one of box and ball. Returns false if a
// plane must fit into a box or a ball, or a group has both groups and shapes. May throw bad_alloc.
bool make_tree(std::size_t bodies, const std::vector<Group>& groups, const std::vector<Shape>& shapes,
               const std::vector<std::int32_t>& group_of, int usual, VolumeTree& out);

// The volume of one shape, in its body's axes: the smallest kind that is exact or nearly so.
Volume volume_of(const Shape& shape) noexcept;

// Shapes whose volumes may overlap, or are not further apart than a margin.
struct Candidate {
  std::int32_t shape_a, shape_b;
  float gap;  // m, a lower bound of their distance; 0: unknown
};

// A lower bound of a distance, rounded down; 0 for a negative one.
inline float lower_bound(double gap) noexcept { return gap > 0.0 ? static_cast<float>(gap * (1.0 - 1e-6)) : 0.0f; }

// Shapes of the largest leaf; a given group with more is divided.
inline constexpr int leaf_shapes = 8;

// Pairs of nodes that are tested together, and pairs of children that take their places, unless one has more.
inline constexpr std::int32_t most_tested = 16, most_opened = 32;

// The broad phase of two bodies: a traversal of their trees that returns candidates in portions. The order depends on
// the poses alone.
class Walk {
 public:
  // Two nodes whose volumes have not been tested against each other, or the leaves a and ~b, whose volumes may overlap.
  struct Open {
    std::int32_t a, b;
  };

  Walk(const VolumeTree& tree, Open* stack, const Relative& X_AB) noexcept
      : tree_(tree), stack_(stack), X_AB_(X_AB), X_BA_(X_AB.inverse()) {}

  void start(std::int32_t body_a, std::int32_t body_b) noexcept {
    stack_[0] = {body_a, body_b};
    open_ = 1;
  }

  // Up to `capacity` candidates; none when the traversal is complete. `capacity` must be at least leaf_shapes squared.
  std::size_t next(Candidate* out, std::size_t capacity) noexcept;

  // All candidates whose volumes are not further apart than `margin`, with their gaps, in the order of next(). Returns
  // false if there are too many for next() to return them in one portion of `capacity`.
  bool within(double margin, Candidate* out, std::size_t capacity, std::size_t& count) noexcept;

  // A lower bound of the distance of the two nodes at the start.
  double gap() const noexcept;

  std::size_t tests() const noexcept { return tests_; }  // of volumes, so far

 private:
  struct Next;

  template <class Lanes>
  std::size_t leaves(const VolumeNode& A, const VolumeNode& B, Candidate* out) noexcept;
  template <class Lanes>
  void open() noexcept;
  int take(Open (&taken)[most_tested]) noexcept;
  static bool opens_a(const VolumeNode& A, const VolumeNode& B) noexcept;
  std::size_t leaves_within(double margin, const VolumeNode& A, const VolumeNode& B, double gap,
                            Candidate* out) noexcept;
  void descend(const Open& open) noexcept;

  const VolumeTree& tree_;
  Open* stack_;
  std::size_t open_ = 0, tests_ = 0;
  Relative X_AB_, X_BA_;
};

// Capacity of a Walk's stack. Pairs that were opened together stand below pairs that were opened more often.
inline std::size_t walk_stack(const VolumeTree& tree) noexcept {
  return static_cast<std::size_t>(2 * (tree.depth + 1)) * std::max(tree.branching, most_opened) + 1;
}

}  // namespace contactlib::bounding

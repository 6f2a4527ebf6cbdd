// A balanced tree of boxes along common axes. A leaf is added and removed in logarithmic time; nothing is allocated after
// make().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vectors.hpp"

namespace contactlib::bounding {

struct Box {
  Vec3 low, high;  // m

  // Without branches, which no processor would predict.
  bool overlaps(const Box& other) const noexcept {
    return (low[0] <= other.high[0]) & (other.low[0] <= high[0]) & (low[1] <= other.high[1]) &
           (other.low[1] <= high[1]) & (low[2] <= other.high[2]) & (other.low[2] <= high[2]);
  }
  bool contains(const Box& other) const noexcept {
    return (low[0] <= other.low[0]) & (other.high[0] <= high[0]) & (low[1] <= other.low[1]) &
           (other.high[1] <= high[1]) & (low[2] <= other.low[2]) & (other.high[2] <= high[2]);
  }
};

class BoxTree {
 public:
  // For leaves 0 to `leaves` - 1, without any of them. May throw bad_alloc.
  void make(std::size_t leaves);
  void clear() noexcept;  // removes all leaves

  // The coordinates must be finite, and their products too.
  void insert(std::int32_t leaf, const Box& box) noexcept;
  void remove(std::int32_t leaf) noexcept;
  const Box& box(std::int32_t leaf) const noexcept { return nodes_[leaf].box; }

  // Calls found(leaf) for each leaf whose box overlaps `box`.
  template <class Found>
  void visit(const Box& box, const Found& found) const noexcept {
    std::int32_t open[2 * deepest];
    int count = 0;
    if (root_ >= 0 && nodes_[root_].box.overlaps(box)) open[count++] = root_;
    while (count > 0) {
      const std::int32_t at = open[--count];
      if (at < leaves_) {
        found(at);
        continue;
      }
      for (const std::int32_t child : nodes_[at].child) {
        open[count] = child;
        count += nodes_[child].box.overlaps(box);
      }
    }
  }

 private:
  // Greater than the height of a balanced tree of 2^31 leaves.
  static constexpr int deepest = 48;

  struct Node {
    Box box;
    std::int32_t parent, height;
    std::int32_t child[2];
  };

  void replace(std::int32_t parent, std::int32_t old, std::int32_t node) noexcept;
  void enclose(std::int32_t at) noexcept;
  std::int32_t balance(std::int32_t at) noexcept;
  void update_above(std::int32_t at) noexcept;
  std::int32_t sibling_of(const Box& box) const noexcept;

  std::vector<Node> nodes_;  // the leaves, then inner nodes; unused inner nodes are linked by their parents
  std::int32_t leaves_ = 0, root_ = -1, unused_ = -1;
};

}  // namespace contactlib::bounding

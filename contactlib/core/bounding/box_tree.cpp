#include "box_tree.hpp"

#include <algorithm>

namespace contactlib::bounding {

namespace {

Box both(const Box& a, const Box& b) noexcept { return {a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)}; }

// Half the surface.
double area(const Box& box) noexcept {
  const Vec3 d = box.high - box.low;
  return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

}  // namespace

void BoxTree::make(std::size_t leaves) {
  nodes_.resize(leaves > 0 ? 2 * leaves - 1 : 0);
  leaves_ = static_cast<std::int32_t>(leaves);
  clear();
}

void BoxTree::clear() noexcept {
  root_ = unused_ = -1;
  for (auto i = static_cast<std::int32_t>(nodes_.size()); i-- > leaves_;) nodes_[i].parent = unused_, unused_ = i;
}

// Puts `node` in the place of the child `old` of `parent`; -1: of the root.
void BoxTree::replace(std::int32_t parent, std::int32_t old, std::int32_t node) noexcept {
  nodes_[node].parent = parent;
  if (parent < 0)
    root_ = node;
  else
    nodes_[parent].child[nodes_[parent].child[0] == old ? 0 : 1] = node;
}

void BoxTree::enclose(std::int32_t at) noexcept {
  Node& node = nodes_[at];
  const Node &one = nodes_[node.child[0]], &other = nodes_[node.child[1]];
  node.box = both(one.box, other.box);
  node.height = 1 + std::max(one.height, other.height);
}

// Where the heights of the children of `at` differ by two, the higher child takes its place. Returns who is there.
std::int32_t BoxTree::balance(std::int32_t at) noexcept {
  Node& node = nodes_[at];
  const int side = nodes_[node.child[1]].height > nodes_[node.child[0]].height ? 1 : 0;
  const std::int32_t risen = node.child[side];
  Node& up = nodes_[risen];
  if (up.height - nodes_[node.child[1 - side]].height < 2) return at;
  const int kept = nodes_[up.child[1]].height > nodes_[up.child[0]].height ? 1 : 0;
  const std::int32_t given = up.child[1 - kept];
  replace(node.parent, at, risen);
  up.child[1 - kept] = at, node.parent = risen;
  node.child[side] = given, nodes_[given].parent = at;
  enclose(at), enclose(risen);
  return risen;
}

void BoxTree::update_above(std::int32_t at) noexcept {
  while (at >= 0) {
    enclose(at);
    at = nodes_[balance(at)].parent;
  }
}

// The node beside which a new leaf adds the least surface: to the node itself, or to one of its children.
std::int32_t BoxTree::sibling_of(const Box& box) const noexcept {
  std::int32_t at = root_;
  while (at >= leaves_) {
    const Node& node = nodes_[at];
    const double grown = area(both(node.box, box)), inherited = grown - area(node.box);
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      const Node& child = nodes_[node.child[k]];
      cost[k] = area(both(child.box, box)) + inherited - (node.child[k] < leaves_ ? 0.0 : area(child.box));
    }
    if (grown < cost[0] && grown < cost[1]) break;
    at = node.child[cost[1] < cost[0] ? 1 : 0];
  }
  return at;
}

void BoxTree::insert(std::int32_t leaf, const Box& box) noexcept {
  Node& node = nodes_[leaf];
  node.box = box, node.height = 0, node.parent = -1;
  if (root_ < 0) {
    root_ = leaf;
    return;
  }
  const std::int32_t sibling = sibling_of(box), inner = unused_;
  unused_ = nodes_[inner].parent;
  replace(nodes_[sibling].parent, sibling, inner);
  nodes_[inner].child[0] = sibling, nodes_[inner].child[1] = leaf;
  nodes_[sibling].parent = node.parent = inner;
  update_above(inner);
}

void BoxTree::remove(std::int32_t leaf) noexcept {
  const std::int32_t inner = nodes_[leaf].parent;
  if (inner < 0) {
    root_ = -1;
    return;
  }
  const Node& node = nodes_[inner];
  const std::int32_t sibling = node.child[node.child[0] == leaf ? 1 : 0], above = node.parent;
  replace(above, inner, sibling);
  nodes_[inner].parent = unused_, unused_ = inner;
  update_above(above);
}

}  // namespace contactlib::bounding

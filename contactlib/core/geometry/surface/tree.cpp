// The box tree over the faces of a surface. Faces are divided where the areas of the two boxes, each times its number
// of faces, have the least sum (surface area heuristic).
#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::geometry {

namespace {

constexpr int leaf_faces = 4;
constexpr int bins = 16;
constexpr int last_weighed = 28;  // deeper nodes are halved, so that no path is longer than 28 + 31

struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;

  void grow(const Vec3& p) noexcept { low = low.cwiseMin(p), high = high.cwiseMax(p); }
  void grow(const Box& box) noexcept { low = low.cwiseMin(box.low), high = high.cwiseMax(box.high); }
  double area() const noexcept {
    const Vec3 e = high - low;
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
  }
};

struct Part {
  std::int32_t node, first, count, depth;
};

struct Bin {
  Box box;
  std::int32_t count = 0;
};

class Builder {
 public:
  explicit Builder(Surface& out) : out_(out), boxes_(out.faces.size()), moved_(out.faces.size()) {
    out.order.resize(out.faces.size());
    for (std::size_t f = 0; f < out.faces.size(); ++f) {
      out.order[f] = static_cast<std::int32_t>(f);
      for (int i = 0; i < out.faces[f].count; ++i) boxes_[f].grow(out.corner(out.faces[f], i));
    }
  }

  void build() {
    if (out_.faces.empty()) return;
    out_.nodes.resize(1);
    std::vector<Part> open{{0, 0, static_cast<std::int32_t>(out_.faces.size()), 1}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      BoxNode& node = out_.nodes[part.node];
      const Box middles = measure(part, node);
      if (part.count <= leaf_faces) {
        node.first = part.first;
        node.count = part.count;
        continue;
      }
      const std::int32_t left = divide(part, middles), child = static_cast<std::int32_t>(out_.nodes.size());
      node.first = child;
      node.count = 0;
      out_.nodes.resize(child + 2);
      open.push_back({child + 1, part.first + left, part.count - left, part.depth + 1});
      open.push_back({child, part.first, left, part.depth + 1});
    }
  }

 private:
  Vec3 middle(std::int32_t face) const noexcept { return 0.5 * (boxes_[face].low + boxes_[face].high); }

  // Sets the node's box, and the box of the faces' middles.
  Box measure(const Part& part, BoxNode& node) const noexcept {
    Box whole, middles;
    for (std::int32_t i = part.first; i < part.first + part.count; ++i) {
      whole.grow(boxes_[out_.order[i]]);
      middles.grow(middle(out_.order[i]));
    }
    Eigen::Map<Vec3>(node.low) = whole.low;
    Eigen::Map<Vec3>(node.high) = whole.high;
    return middles;
  }

  // Moves the faces of the left child to the front; returns their number, at least one and not all.
  std::int32_t divide(const Part& part, const Box& middles) {
    int axis = 0;
    const double width = (middles.high - middles.low).maxCoeff(&axis);
    if (part.depth > last_weighed || !(width > 0.0)) return part.count / 2;
    const double low = middles.low[axis], scale = bins / width;
    const auto bin_of = [&](std::int32_t face) {
      return std::min(bins - 1, static_cast<int>((middle(face)[axis] - low) * scale));
    };
    Bin filled[bins];
    for (std::int32_t i = part.first; i < part.first + part.count; ++i) {
      Bin& bin = filled[bin_of(out_.order[i])];
      bin.box.grow(boxes_[out_.order[i]]);
      ++bin.count;
    }
    const int left_bins = cheapest(filled);
    std::int32_t* const begin = out_.order.data() + part.first;
    std::int32_t left = 0, right = 0;
    for (std::int32_t i = 0; i < part.count; ++i) {
      const std::int32_t face = begin[i];
      if (bin_of(face) < left_bins)
        begin[left++] = face;
      else
        moved_[right++] = face;
    }
    std::copy_n(moved_.begin(), right, begin + left);
    return left > 0 && right > 0 ? left : part.count / 2;
  }

  // The number of bins for the left child.
  static int cheapest(const Bin* filled) noexcept {
    double right_cost[bins];
    Bin sum;
    for (int b = bins - 1; b > 0; --b) {
      sum.box.grow(filled[b].box);
      sum.count += filled[b].count;
      right_cost[b] = sum.count > 0 ? sum.count * sum.box.area() : 0.0;
    }
    sum = Bin();
    double least = std::numeric_limits<double>::infinity();
    int best = bins / 2;
    for (int b = 1; b < bins; ++b) {
      sum.box.grow(filled[b - 1].box);
      sum.count += filled[b - 1].count;
      const double cost = sum.count * sum.box.area() + right_cost[b];
      if (cost < least) least = cost, best = b;
    }
    return best;
  }

  Surface& out_;
  std::vector<Box> boxes_;
  std::vector<std::int32_t> moved_;
};

}  // namespace

void make_surface_tree(Surface& out) {
  Builder(out).build();
  if (out.nodes.empty()) return;
  const Vec3 low(out.nodes[0].low), high(out.nodes[0].high);
  out.size = (high - low).norm();
  out.middle = 0.5 * (low + high);
}

}  // namespace contactlib::geometry

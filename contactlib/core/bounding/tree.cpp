#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "extent.hpp"

namespace contactlib::bounding {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;
constexpr double slack = 1.0 + 1e-12;  // rounding must not separate shapes that overlap

using Shapes = std::vector<std::int32_t>;

class Builder {
 public:
  Builder(std::size_t bodies, const std::vector<Group>& groups, const std::vector<Shape>& shapes,
          const std::vector<std::int32_t>& group_of, int usual, VolumeTree& out)
      : groups_(groups),
        shapes_(shapes),
        usual_(usual),
        children_(bodies + groups.size()),
        own_(bodies + groups.size()),
        out_(out) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t parent = groups[i].parent < 0 ? groups[i].body : bodies + groups[i].parent;
      children_[parent].push_back(static_cast<std::int32_t>(bodies + i));
    }
    for (std::size_t i = 0; i < shapes.size(); ++i)
      own_[group_of[i] < 0 ? shapes[i].body : bodies + group_of[i]].push_back(static_cast<std::int32_t>(i));
  }

  bool build(std::size_t bodies) {
    out_.nodes.resize(bodies);
    for (std::size_t i = 0; i < bodies; ++i)
      if (!given(i, static_cast<std::int32_t>(i), -1, bodies, 0)) return false;
    return true;
  }

 private:
  // Node `at` for the body or group `source`, and all nodes below it.
  bool given(std::size_t at, std::int32_t source, int group, std::size_t bodies, int depth) {
    const auto& children = children_[source];
    if (!children.empty() && !own_[source].empty()) return false;
    const int wanted = group < 0 || groups_[group].kind < 0 ? usual_ : groups_[group].kind;
    const Mat3 axes = group < 0 ? Mat3(Mat3::Identity()) : groups_[group].R_BG;
    if (!enclose(at, collect(source), wanted, axes) && group >= 0 && groups_[group].kind >= 0) return false;
    if (children.empty()) {
      divide(at, own_[source], wanted, axes, depth);
      return true;
    }
    const std::size_t first = grow(at, children.size(), depth);
    for (std::size_t k = 0; k < children.size(); ++k)
      if (!given(first + k, children[k], children[k] - static_cast<int>(bodies), bodies, depth + 1)) return false;
    return true;
  }

  Shapes collect(std::int32_t source) const {
    Shapes all = own_[source];
    for (std::int32_t child : children_[source]) {
      const Shapes part = collect(child);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  std::size_t grow(std::size_t at, std::size_t count, int depth) {
    const std::size_t first = out_.nodes.size();
    out_.nodes.resize(first + count);
    out_.nodes[at].first_child = static_cast<std::int32_t>(first);
    out_.nodes[at].child_count = static_cast<std::int32_t>(count);
    out_.depth = std::max(out_.depth, depth + 1);
    out_.branching = std::max(out_.branching, static_cast<std::int32_t>(count));
    return first;
  }

  // Divides at the median along the longest side of the middles, until a leaf is small; planes get leaves of their own.
  void divide(std::size_t at, Shapes shapes, int wanted, const Mat3& axes, int depth) {
    const auto below = [&](std::size_t node, const Shapes& part) {
      enclose(node, part, wanted, axes);
      divide(node, part, wanted, axes, depth + 1);
    };
    const auto planes = std::stable_partition(shapes.begin(), shapes.end(),
                                              [&](std::int32_t i) { return shapes_[i].kind != ShapeKind::plane; });
    if (planes != shapes.end() && shapes.size() > 1) {
      const Shapes rest(shapes.begin(), planes), flat(planes, shapes.end());
      const std::size_t first = grow(at, flat.size() + (rest.empty() ? 0 : 1), depth);
      for (std::size_t k = 0; k < flat.size(); ++k) below(first + k, {flat[k]});
      if (!rest.empty()) below(first + flat.size(), rest);
    } else if (shapes.size() <= leaf_shapes) {
      leaf(at, shapes);
    } else {
      halve(shapes);
      const std::size_t leaves = (shapes.size() + leaf_shapes - 1) / leaf_shapes;
      const auto half = shapes.begin() + static_cast<std::ptrdiff_t>(leaves / 2 * leaf_shapes);  // full leaves
      const std::size_t first = grow(at, 2, depth);
      below(first, {shapes.begin(), half});
      below(first + 1, {half, shapes.end()});
    }
  }

  void leaf(std::size_t at, const Shapes& shapes) {
    out_.nodes[at].first_shape = static_cast<std::int32_t>(out_.shapes.shape.size());
    out_.nodes[at].shape_count = static_cast<std::int32_t>(shapes.size());
    ShapeBalls& balls = out_.shapes;
    LeafBox box{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
    for (std::int32_t i : shapes) {
      const Vec3& p = middle(i);
      const double radius = slack * shapes_[i].bound + (slack - 1.0) * p.cwiseAbs().maxCoeff();
      box.low = box.low.cwiseMin(p - Vec3::Constant(radius)), box.high = box.high.cwiseMax(p + Vec3::Constant(radius));
      balls.x.push_back(p[0]), balls.y.push_back(p[1]), balls.z.push_back(p[2]);
      balls.radius.push_back(shapes_[i].bound), balls.shape.push_back(i);
    }
    if (!shapes.empty()) out_.boxes.push_back(box);
    while (balls.shape.size() % leaf_shapes != 0) {
      balls.x.push_back(infinity), balls.y.push_back(infinity), balls.z.push_back(infinity);
      balls.radius.push_back(0.0), balls.shape.push_back(-1);
    }
  }

  const Vec3& middle(std::int32_t i) const { return shapes_[i].p_BC; }

  void halve(Shapes& shapes) const {
    Vec3 low = Vec3::Constant(infinity), high = -low;
    for (std::int32_t i : shapes) low = low.cwiseMin(middle(i)), high = high.cwiseMax(middle(i));
    int axis = 0;
    (high - low).maxCoeff(&axis);
    std::sort(shapes.begin(), shapes.end(), [&](std::int32_t i, std::int32_t j) {
      const double a = middle(i)[axis], b = middle(j)[axis];
      return a != b ? a < b : i < j;
    });
  }

  // The volume of a node: of the requested kind or, without a request, the smaller of box and ball. Returns false if a
  // plane must fit into a requested kind: the node then contains everything.
  bool enclose(std::size_t at, const Shapes& shapes, int wanted, const Mat3& axes) {
    Volume& volume = out_.nodes[at].volume;
    const auto is_plane = [&](std::int32_t i) { return shapes_[i].kind == ShapeKind::plane; };
    if (shapes.size() == 1 && (wanted < 0 || is_plane(shapes[0]))) {
      volume = volume_of(shapes_[shapes[0]]);
      return wanted < 0 || !is_plane(shapes[0]);
    }
    if (std::any_of(shapes.begin(), shapes.end(), is_plane)) {
      volume = {VolumeKind::sphere, Vec3::Zero(), Vec3::Constant(infinity), Mat3::Identity()};
      return wanted < 0;
    }
    const bool own_axes = wanted == static_cast<int>(VolumeKind::obb);
    const Volume box =
        around(shapes, own_axes ? axes : Mat3(Mat3::Identity()), own_axes ? VolumeKind::obb : VolumeKind::aabb);
    const double radius = reach(shapes, box.p_BV);
    const bool smaller = 4.0 / 3.0 * pi * radius * radius * radius < 8.0 * box.half.prod();
    const bool round = wanted < 0 ? smaller : wanted == static_cast<int>(VolumeKind::sphere);
    volume = round ? Volume{VolumeKind::sphere, box.p_BV, Vec3::Constant(radius), Mat3::Identity()} : box;
    return true;
  }

  Volume around(const Shapes& shapes, const Mat3& R_BV, VolumeKind kind) const {
    Vec3 low = Vec3::Constant(infinity), high = -low;
    for (std::int32_t i : shapes)
      for (int k = 0; k < 3; ++k) {
        const Extent extent = extent_along(shapes_[i], R_BV.col(k));
        low[k] = std::min(low[k], extent.low), high[k] = std::max(high[k], extent.high);
      }
    if (shapes.empty()) low = high = Vec3::Zero();
    return {kind, R_BV * (0.5 * (low + high)), 0.5 * slack * (high - low), R_BV};
  }

  double reach(const Shapes& shapes, const Vec3& p_B) const {
    double radius = 0.0;
    for (std::int32_t i : shapes) radius = std::max(radius, (middle(i) - p_B).norm() + shapes_[i].bound);
    return slack * radius;
  }

  const std::vector<Group>& groups_;
  const std::vector<Shape>& shapes_;
  int usual_;
  std::vector<std::vector<std::int32_t>> children_;
  std::vector<Shapes> own_;
  VolumeTree& out_;
};

}  // namespace

bool make_tree(std::size_t bodies, const std::vector<Group>& groups, const std::vector<Shape>& shapes,
               const std::vector<std::int32_t>& group_of, int usual, VolumeTree& out) {
  if (!Builder(bodies, groups, shapes, group_of, usual, out).build(bodies)) return false;
  for (VolumeNode& node : out.nodes) node.size = node.volume.half.sum();
  return true;
}

Volume volume_of(const Shape& shape) noexcept {
  switch (shape.kind) {
    case ShapeKind::point:
    case ShapeKind::sphere:
      return {VolumeKind::sphere, shape.p_BC, Vec3::Constant(slack * shape.bound), Mat3::Identity()};
    case ShapeKind::plane: return {VolumeKind::half_space, shape.p_BS, Vec3::Constant(infinity), shape.R_BS};
    default: break;
  }
  Vec3 low, high;
  for (int k = 0; k < 3; ++k) {
    const Extent extent = extent_along(shape, shape.R_BS.col(k));
    low[k] = extent.low, high[k] = extent.high;
  }
  const VolumeKind kind = shape.R_BS.isIdentity(0.0) ? VolumeKind::aabb : VolumeKind::obb;
  return {kind, shape.R_BS * (0.5 * (low + high)), 0.5 * slack * (high - low), shape.R_BS};
}

}  // namespace contactlib::bounding

// The traversal of two trees in lanes against one that tests a pair of volumes and a pair of balls at a time: random
// trees of all kinds of volumes, with planes and with nodes of many children, any placements, and numbers that are odd
// or none. Argument: how many traversals. Prints how many there were, and their candidates.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "bounding/tree.hpp"
#include "math/lanes.hpp"

using namespace contactlib;
using namespace contactlib::bounding;
using geometry::ShapeKind;

namespace {

std::mt19937_64 engine(1);

double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53); }

Vec3 vector(double most) { return {uniform(-most, most), uniform(-most, most), uniform(-most, most)}; }

double odd() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double values[] = {0.0, -0.0, 1e300, 5e-324, -1e-310, inf, -inf, std::numeric_limits<double>::quiet_NaN()};
  return values[engine() % (sizeof values / sizeof *values)];
}

// A ball, one of a regular grid, or a plane.
Shape any_shape(int body, bool grid, bool planes) {
  Shape shape{};
  shape.kind = planes && engine() % 16 == 0 ? ShapeKind::plane : ShapeKind::sphere;
  shape.body = body;
  shape.R_BS = Mat3::Identity();
  shape.p_BS = vector(1.0);
  if (grid) shape.p_BS = 0.125 * (8.0 * shape.p_BS).array().round().matrix();
  shape.p_BC = shape.p_BS;
  shape.size[0] = grid ? 0.0625 : uniform(0.0, 0.1);
  shape.bound = shape.kind == ShapeKind::plane ? std::numeric_limits<double>::infinity() : shape.size[0];
  return shape;
}

struct Scene {
  std::vector<Group> groups;
  std::vector<Shape> shapes;
  std::vector<std::int32_t> group_of;
  VolumeTree tree;

  // Of two bodies. Returns false if a plane does not fit into a volume.
  bool make() {
    const bool grid = engine() % 4 == 0, planes = engine() % 4 == 0;
    for (int body = 0; body < 2; ++body) {
      const std::size_t parts = engine() % 3 ? 0 : 1 + engine() % 40, count = 1 + engine() % 300;
      const std::size_t first = groups.size();
      for (std::size_t i = 0; i < parts; ++i)
        groups.push_back({body, -1, engine() % 2 ? -1 : static_cast<std::int32_t>(engine() % 3), Vec3::Zero(),
                          Eigen::AngleAxisd(uniform(0, 6), vector(1.0).normalized()).matrix()});
      for (std::size_t i = 0; i < count; ++i) {
        shapes.push_back(any_shape(body, grid, planes));
        group_of.push_back(parts ? static_cast<std::int32_t>(first + engine() % parts) : -1);
      }
    }
    return make_tree(2, groups, shapes, group_of, static_cast<int>(engine() % 4) - 1, tree);
  }
};

Relative any_placement() {
  Mat3 R =
      engine() % 4 ? Mat3(Eigen::AngleAxisd(uniform(0, 6), vector(1.0).normalized()).matrix()) : Mat3(Mat3::Identity());
  Vec3 p = vector(engine() % 2 ? 2.5 : 1.0);
  if (engine() % 8 == 0) R.data()[engine() % 9] = odd();
  if (engine() % 8 == 0) p[static_cast<int>(engine() % 3)] = odd();
  return {R, p};
}

struct Reference {
  const VolumeTree& tree;
  Relative X_AB, X_BA;
  std::size_t tests = 0;
  std::vector<Candidate> found;

  Reference(const VolumeTree& of, const Relative& X) : tree(of), X_AB(X), X_BA(X.inverse()) {}

  void visit(std::int32_t a, std::int32_t b) {
    const VolumeNode &A = tree.nodes[a], &B = tree.nodes[b];
    ++tests;
    if (!may_meet(A.volume, B.volume, X_AB, X_BA)) return;
    if (A.child_count == 0 && B.child_count == 0) return leaves(A, B);
    const bool open_a = A.child_count > 0 && (B.child_count == 0 || A.volume.half.sum() >= B.volume.half.sum());
    const VolumeNode& parent = open_a ? A : B;
    for (std::int32_t child = parent.first_child; child < parent.first_child + parent.child_count; ++child)
      open_a ? visit(child, b) : visit(a, child);
  }

  void leaves(const VolumeNode& A, const VolumeNode& B) {
    const ShapeBalls& s = tree.shapes;
    const Mat3& R = X_AB.R_AB;
    for (std::int32_t b = B.first_shape; b < B.first_shape + B.shape_count; ++b)
      for (std::int32_t a = A.first_shape; a < A.first_shape + A.shape_count; ++a) {
        double squared = 0.0;
        const double own[3] = {s.x[a], s.y[a], s.z[a]}, reach = s.radius[b] + s.radius[a];
        for (int i = 0; i < 3; ++i) {
          const double d = X_AB.p_AB_A[i] + (R(i, 0) * s.x[b] + R(i, 1) * s.y[b] + R(i, 2) * s.z[b]) - own[i];
          squared = i == 0 ? d * d : squared + d * d;
        }
        if (squared - reach * reach <= 0.0) found.push_back({s.shape[a], s.shape[b], 0.0f});
      }
  }
};

// The candidates of the traversal in portions, one after the other.
bool alike(const Scene& scene, const Relative& X, std::size_t& candidates) {
  Reference expected(scene.tree, X);
  expected.visit(0, 1);
  std::vector<Walk::Open> stack(walk_stack(scene.tree) + 1, {-7, -7});
  std::vector<Candidate> portion(engine() % 2 ? 65 + engine() % 64 : 4224), all;
  Walk walk(scene.tree, stack.data(), X);
  walk.start(0, 1);
  while (const std::size_t count = walk.next(portion.data(), portion.size()))
    all.insert(all.end(), portion.begin(), portion.begin() + static_cast<std::ptrdiff_t>(count));
  candidates += all.size();
  if (stack.back().a != -7) return std::printf("the stack is too small\n"), false;
  if (walk.tests() != expected.tests)
    return std::printf("%zu tests in lanes, %zu alone\n", walk.tests(), expected.tests), false;
  if (all.size() != expected.found.size())
    return std::printf("%zu candidates in lanes, %zu alone\n", all.size(), expected.found.size()), false;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].shape_a != expected.found[i].shape_a || all[i].shape_b != expected.found[i].shape_b)
      return std::printf("candidate %zu differs\n", i), false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 10000;
  std::size_t candidates = 0;
  bool same = true;
  for (long done = 0; done < wanted && same;) {
    Scene scene;
    if (!scene.make()) continue;
    for (int k = 0; k < 20 && done < wanted && same; ++k, ++done) same = alike(scene, any_placement(), candidates);
  }
  std::printf("%ld traversals, %zu candidates, %d lanes\n", wanted, candidates, math::lane_count());
  return same ? 0 : 1;
}

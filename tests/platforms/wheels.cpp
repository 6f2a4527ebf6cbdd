// The searches among the incident edges of a corner in two, four and eight lanes against the loops over them: random
// solids, solids whose corners are equally high, directions along their faces, and numbers that are odd or none.
// Argument: how many searches of each kind. Prints how many there were.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "geometry/convex/turn.hpp"

using namespace contactlib;
using namespace contactlib::geometry;

namespace {

std::mt19937_64 engine(1);

double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53); }

Vec3 vector() { return {uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)}; }

double odd() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double values[] = {0.0,     -0.0,   1e300, -1e300, 1e160, 1e-160, 5e-324,
                               -5e-324, 1e-300, inf,   -inf,   1.0,   -1.0,   std::numeric_limits<double>::quiet_NaN()};
  return values[engine() % (sizeof values / sizeof *values)];
}

// A prism of `sides` on a circle, between two planes: of four sides a box. `sharp`: a pyramid of so many edges that its
// tip has no wheel if there are more than eight.
std::unique_ptr<Surface> solid(int sides, bool sharp, bool shaken) {
  std::vector<double> vertices;
  std::vector<std::int32_t> loops, counts;
  for (int end = 0; end < (sharp ? 1 : 2); ++end)
    for (int i = 0; i < sides; ++i) {
      const double angle = 6.283185307179586 * i / sides;
      for (const double x : {std::cos(angle), std::sin(angle), end - 0.5}) vertices.push_back(x);
    }
  if (sharp) vertices.insert(vertices.end(), {0.0, 0.0, 0.5});
  const auto face = [&](std::initializer_list<int> corners) {
    for (const int v : corners) loops.push_back(v);
    counts.push_back(static_cast<std::int32_t>(corners.size()));
  };
  for (int i = 0; i < sides; ++i) {
    const int next = (i + 1) % sides;
    if (sharp)
      face({i, next, sides});
    else
      face({i, next, sides + next}), face({i, sides + next, sides + i});
  }
  for (int i = 1; i + 1 < sides; ++i) {
    face({0, i + 1, i});
    if (!sharp) face({sides, sides + i, sides + i + 1});
  }
  if (shaken)
    for (double& x : vertices) x += uniform(-1e-3, 1e-3);
  auto made = std::make_unique<Surface>();
  if (!make_surface(vertices.data(), vertices.size() / 3, loops.data(), counts.data(), counts.size(), *made))
    std::abort();
  return made;
}

struct Body {
  std::unique_ptr<Surface> surface;
  Shape shape{};
  Corners corners, alone;  // the second without wheels

  explicit Body(std::unique_ptr<Surface> made) : surface(std::move(made)) {
    shape.kind = ShapeKind::polyhedron;
    shape.surface = surface.get();
    corners = alone = Solid({shape}).corners;
    alone.wheels = nullptr;
  }
  int any() const { return static_cast<int>(engine() % static_cast<std::size_t>(corners.count)); }
};

// Any direction, along a face or an edge, or with odd numbers.
Vec3 direction(const Surface& surface) {
  switch (engine() % 8) {
    case 0:
    case 1: return surface.faces[engine() % surface.faces.size()].n;
    case 2: return surface.edges[engine() % surface.edges.size()].t;
    case 3: return Vec3::Unit(static_cast<int>(engine() % 3)) * (engine() % 2 ? 1.0 : -1.0);
    case 4: return 1e-310 * vector();
    case 5: {
      Vec3 n = vector().normalized();
      n[static_cast<int>(engine() % 3)] = odd();
      return n;
    }
    default: return vector().normalized();
  }
}

struct Case {
  const Body &A, &B;
  Vec3 n, tau;
  Mat3 R;
  int a, b;
  double most;
};

bool differ(const char* what, int found, int expected) {
  return std::printf("%s: %d in lanes, %d in the loop\n", what, found, expected), false;
}

struct Search {
  template <class Lanes>
  static void run(const Case& c, bool* const& alike) noexcept {
    const int found = furthest_corner_in_lanes<Lanes>(c.A.corners, c.n, c.a),
              expected = furthest_corner_in_lanes<Lanes>(c.A.alone, c.n, c.a);
    if (found != expected) *alike = differ("support vertex", found, expected);
    const MinkowskiDifference D({c.A.shape, &c.A.corners}, {c.B.shape, &c.B.corners}, c.R, c.n),
        E({c.A.shape, &c.A.alone}, {c.B.shape, &c.B.alone}, c.R, c.n);
    const ActiveVertex at{D.corner(c.a, c.b), c.a, c.b};
    const Tie tie = first_to_tie<Lanes>(D, at, c.n, c.tau, c.most),
              loop = first_to_tie<Lanes>(E, at, c.n, c.tau, c.most);
    if (tie.a != loop.a) *alike = differ("next active vertex of A", tie.a, loop.a);
    if (tie.b != loop.b) *alike = differ("next active vertex of B", tie.b, loop.b);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 100000;
  std::vector<Body> bodies;
  for (const int sides : {3, 4, 6, 8, 12})
    for (const bool sharp : {false, true})
      for (const bool shaken : {false, true}) bodies.emplace_back(solid(sides, sharp, shaken));
  bool alike = true;
  for (long i = 0; i < wanted && alike; ++i) {
    const Body &A = bodies[engine() % bodies.size()], &B = bodies[engine() % bodies.size()];
    const Vec3 n = direction(*A.surface);
    const Mat3 R = engine() % 2 ? Mat3(Mat3::Identity()) : Eigen::AngleAxisd(uniform(0, 6), n.normalized()).matrix();
    const double most = engine() % 8 ? uniform(0.0, 2.0) : std::abs(odd());
    const Case c{A, B, n, direction(*B.surface), R, A.any(), B.any(), most};
    math::in_lanes<Search>(2, c, &alike);
    math::in_lanes<Search>(4, c, &alike);
    math::in_lanes<Search>(8, c, &alike);
  }
  std::printf("%ld searches, %d lanes\n", wanted, math::lane_count());
  return alike ? 0 : 1;
}

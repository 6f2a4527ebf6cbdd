// The loops of balls at many placements of two shapes, as `manifolds` has them, and their random placements.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "geometry/ball_loop.hpp"
#include "geometry/plane.hpp"
#include "geometry/socket/socket.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/round.hpp"
#include "geometry/sweep/triangle.hpp"
#include "lanes.hpp"
#include "math/lanes.hpp"

namespace contactlib::geometry {

namespace {

struct Balls {
  const char* name;
  Kernel kernel;
  KernelLoop loop;
  ShapeKind on;
};

constexpr Balls kinds[] = {
    {"ball plane", sphere_plane, sphere_plane_loop, ShapeKind::plane},
    {"ball ball", sphere_sphere, sphere_sphere_loop, ShapeKind::sphere},
    {"ball capsule", sphere_capsule, sphere_capsule_loop, ShapeKind::capsule},
    {"ball box", sphere_box, sphere_box_loop, ShapeKind::box},
    {"ball socket", sphere_socket, sphere_socket_loop, ShapeKind::socket},
    {"ball triangle", sphere_triangle, sphere_triangle_loop, ShapeKind::triangle},
};

}  // namespace

void draw_ball(ShapeKind on, Shape& A, Shape& B) {
  A.kind = ShapeKind::sphere, B.kind = on;
  A.size[0] = any_of({0.1, 0.1, 0.02, 0.0});
  const bool is_box = on == ShapeKind::box;
  B.size[0] = is_box ? 0.2 : any_of({0.1, 0.05, 0.0}), B.size[1] = any_of({0.1, 0.2, 0.0}), B.size[2] = 0.3;
  std::size_t of_B = 1;
  if (on == ShapeKind::socket) {
    const double sizes[] = {0.3, 0.4, any_of({0.2, 0.3}), any_of({0.1, 0.1, 0.11}), any_of({0.1, 0.15}), 4.0};
    std::copy(sizes, sizes + 6, B.size);
    B.rim = engine() % 16 ? RimMethod::exact : RimMethod::subdivision;
    of_B = 5;
  }
  if (on == ShapeKind::triangle) B.surface = &triangle(), A.size[0] = any_of({0.1, 0.2});
  if (engine() % 16 == 0) (engine() % 2 ? A.size[0] : B.size[engine() % of_B]) = odd();
}

// Random, on a ball about a point of the z axis, which is a cap of a socket, on a grid of faces, corners and centres, so
// near that squares vanish, or with numbers that are odd. The loop for a triangle is for rotations only.
Placement ball_placement(ShapeKind on) {
  const std::uint64_t kind = engine() % 8;
  Placement X{any_rotation(), any_rotation(), vector(0.2), Vec3::Zero()};
  if (kind >= 4) X.R_WB = square();
  if (kind == 4 && engine() % 2)
    X.p_AB_W = X.R_WB * (any_of({0.1, 0.11}) * vector(1.0).normalized() + Vec3(0.0, 0.0, any_of({0.0, 0.1, 0.15})));
  if (kind >= 5)
    X.p_AB_W = 0.05 * Vec3(static_cast<double>(engine() % 7) - 3.0, static_cast<double>(engine() % 5) - 2.0,
                           static_cast<double>(engine() % 9) - 4.0);
  if (kind == 6) X.p_AB_W *= any_of({0.0, -0.0, 1e-160, 1e-162, 1e-170});
  if (kind == 7) {
    const std::size_t i = on == ShapeKind::triangle ? 18 + engine() % 3 : engine() % 21;
    (i < 9 ? X.R_WA.data()[i] : i < 18 ? X.R_WB.data()[i - 9] : X.p_AB_W.data()[i - 18]) = odd();
  }
  return X;
}

namespace {

// The number of contacts, or -1 after the first difference has been printed.
long compare(const Balls& balls, const Shape& A, const Shape& B, const std::vector<Placement>& X) {
  const std::size_t n = X.size();
  std::vector<double> p(3 * n, 1.0), normal(3 * n, 1.0), depth(n, 1.0), load_share(n, 1.0);
  balls.loop(A, B, X.data(), n, {{p.data(), 3}, {normal.data(), 3}, {depth.data(), 1}, {load_share.data(), 1}});
  long contacts = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ManifoldPoint expected{Vec3::Zero(), Vec3::Zero(), 0.0, 0, 0.0};
    Manifold out{&expected, 1};
    balls.kernel(A, B, X[i], out);
    const ManifoldPoint found{Vec3(p.data() + 3 * i), Vec3(normal.data() + 3 * i), depth[i], 0, load_share[i]};
    const bool is_zero =
        found.p_AC_W.isZero(0.0) && found.n_AB_W.isZero(0.0) && depth[i] == 0.0 && load_share[i] == 0.0;
    if (out.count == 0 ? !is_zero : !same(found, expected)) {
      std::printf("%s, placement %zu: depth %.17g, the kernel has %.17g\n", balls.name, i, depth[i], expected.depth);
      return -1;
    }
    contacts += out.count;
  }
  return contacts;
}

}  // namespace

bool balls_alike(long wanted) {
  for (const Balls& balls : kinds) {
    long placements = 0, contacts = 0;
    while (placements < wanted) {
      Shape A{}, B{};
      draw_ball(balls.on, A, B);
      std::vector<Placement> X;
      for (std::size_t k = 1 + engine() % 150; k > 0; --k) X.push_back(ball_placement(balls.on));
      const long found = compare(balls, A, B, X);
      if (found < 0) return false;
      contacts += found;
      placements += static_cast<long>(X.size());
    }
    std::printf("%s: %ld placements, %ld contacts, %d lanes\n", balls.name, placements, contacts, math::lane_count());
  }
  return true;
}

}  // namespace contactlib::geometry

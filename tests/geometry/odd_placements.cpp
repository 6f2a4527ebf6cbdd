// Capsules and segments at placements that are no rotations, with numbers of every magnitude: no contact may have a
// normal that is not a number. Prints the number of contacts.
#include <cstdio>
#include <limits>
#include <random>

#include "geometry/sweep/box.hpp"
#include "geometry/sweep/cylinder.hpp"
#include "geometry/sweep/polyhedron.hpp"
#include "geometry/sweep/triangle.hpp"

using namespace contactlib;
using namespace contactlib::geometry;

namespace {

std::mt19937_64 engine(1);

double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(engine); }

// Of any magnitude in one of ten cases, else of order one, or zero.
double number() {
  constexpr double odd[] = {1e300,
                            -1e300,
                            1e160,
                            1e-160,
                            1e-300,
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()};
  const double kind = uniform();
  if (kind < 0.1) return odd[engine() % 7];
  return kind < 0.3 ? 0.0 : 2.0 * uniform() - 1.0;
}

Mat3 matrix() {
  Mat3 R = Mat3::Identity();
  if (uniform() < 0.3) return R;
  for (int i = 0; i < 9; ++i) R.data()[i] = number();
  return R;
}

}  // namespace

int main() {
  constexpr double size[9] = {0.1, 0.06, 0.08}, wide[9] = {0.05, 0.1};
  constexpr Kernel kernels[] = {capsule_triangle, capsule_box, capsule_polyhedron, capsule_cylinder};
  Surface box;
  make_box_surface(size, box);
  long seen = 0;
  for (int k = 0; k < 200000; ++k) {
    double corners[9];
    for (double& x : corners) x = 0.1 * (2.0 * uniform() - 1.0);
    Surface sheet;
    if (!make_triangle_surface(corners, sheet)) continue;
    Shape A{}, B{};
    const bool round = uniform() < 0.5;
    A.kind = round ? ShapeKind::capsule : ShapeKind::segment;
    A.size[0] = round ? 0.02 : 0.0;
    A.size[1] = uniform() < 0.9 ? 0.1 : 0.0;
    const Placement X{matrix(), matrix(), 0.1 * Vec3(number(), number(), number()), Vec3::Zero()};
    B.surface = k % 4 == 0 ? &sheet : &box;
    std::copy(k % 4 == 3 ? wide : size, (k % 4 == 3 ? wide : size) + 9, B.size);
    ManifoldPoint points[Manifold::max_points];
    Manifold out{points, Manifold::max_points};
    kernels[k % 4](A, B, X, out);
    seen += out.count;
    for (int i = 0; i < out.count; ++i)
      if (!(points[i].n_AB_W.squaredNorm() > 0.25 && points[i].depth > 0.0)) return 1;
  }
  std::printf("%ld\n", seen);
}

// Random numbers, rotations and the comparison of bits for the tests of loops in lanes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

inline std::mt19937_64 engine(1);

inline double uniform(double low = 0.0, double high = 1.0) {
  return low + (high - low) * (static_cast<double>(engine() >> 11) * 0x1p-53);
}

template <std::size_t count>
double any_of(const double (&values)[count]) {
  return values[engine() % count];
}

inline double odd() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double values[] = {0.0,     -0.0,   1e300, -1e300, 1e160, 1e-160, 5e-324,
                               -5e-324, 1e-300, inf,   -inf,   1.0,   -1.0,   std::numeric_limits<double>::quiet_NaN()};
  return any_of(values);
}

inline Mat3 rotation(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

inline Vec3 vector(double most) { return {uniform(-most, most), uniform(-most, most), uniform(-most, most)}; }

inline Mat3 any_rotation() { return rotation(vector(1.0), uniform(0.0, 7.0)); }

// A turn by a multiple of 90 degrees, whose numbers are 0, 1 and -1.
inline Mat3 square() {
  Mat3 R = Mat3::Zero();
  const int i = static_cast<int>(engine() % 3), j = (i + 1 + static_cast<int>(engine() % 2)) % 3;
  R(i, 0) = any_of({1.0, -1.0}), R(j, 1) = any_of({1.0, -1.0});
  R.col(2) = R.col(0).cross(R.col(1));
  return R;
}

// With corners on a grid, one of an obtuse angle, and a sliver.
inline const Surface& triangle() {
  static const std::vector<Surface> all = [] {
    constexpr double corners[][9] = {{0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.15, 0.0},
                                     {-0.1, 0.05, 0.05, 0.2, 0.05, 0.05, 0.0, -0.1, 0.05},
                                     {0.0, 0.0, 0.0, 0.1, 0.01, 0.0, -0.12, 0.05, 0.02},
                                     {0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.1, 1e-5, 1e-5}};
    std::vector<Surface> made(4);
    for (std::size_t i = 0; i < 4; ++i) make_triangle_surface(corners[i], made[i]);
    return made;
  }();
  return all[engine() % all.size()];
}

// The sign and the payload of what is not a number mean nothing: compilers exchange the operands of a sum.
inline bool equal(const double* a, const double* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (std::memcmp(a + i, b + i, sizeof *a) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

inline bool same(const ManifoldPoint& a, const ManifoldPoint& b) {
  return equal(a.p_AC_W.data(), b.p_AC_W.data(), 3) && equal(a.n_AB_W.data(), b.n_AB_W.data(), 3) &&
         equal(&a.depth, &b.depth, 1) && equal(&a.load_share, &b.load_share, 1) && a.feature == b.feature;
}

// A ball and a shape of the kind `on`, and a placement of such shapes.
void draw_ball(ShapeKind on, Shape& A, Shape& B);
Placement ball_placement(ShapeKind on);

// Whether the loops for a ball of one shape against one shape have the bits of their kernels at `wanted` placements each.
bool balls_alike(long wanted);

}  // namespace contactlib::geometry

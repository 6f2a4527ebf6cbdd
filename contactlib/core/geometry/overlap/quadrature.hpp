// Quadrature over triangles.
#pragma once

namespace contactlib::geometry {

// Barycentric coordinates and weights, which are positive and add up to 1. Exact for polynomials up to `degree`.
struct Quadrature {
  struct Point {
    double a, b, c, weight;
  };
  int degree, count;
  const Point* points;
};

inline constexpr int least_sharpness = 2, usual_sharpness = 4, most_sharpness = 16;

// The rule with the fewest points that is exact for extents to the power of `sharpness`, which are linear on a triangle.
const Quadrature& quadrature(int sharpness) noexcept;

}  // namespace contactlib::geometry

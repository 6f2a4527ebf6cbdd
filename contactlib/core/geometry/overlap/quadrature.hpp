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

// The rule with the fewest points that is exact up to this degree, at most 18.
const Quadrature& quadrature(int degree) noexcept;

}  // namespace contactlib::geometry

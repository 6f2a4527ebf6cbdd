// Integrals of powers of a linear function over triangles, in closed form.
#pragma once

#include <cstddef>

namespace contactlib::geometry {

// Triangles in columns, for loops in lanes.
struct PieceTriangles {
  static constexpr std::size_t most = 256;  // a multiple of eight

  double a[most], b[most], c[most];               // e at the corners
  double bu[most], bv[most], cu[most], cv[most];  // corners b and c, from corner a
  // With q = p - 1, u and v from corner a, and a triangle turned clockwise counted as empty: twice
  //   int dA, int e^p dA, int e^q (1, u, v, u^2, v^2, u v) dA
  enum Moment : int { area, power, weight, u, v, uu, vv, uv, moments };
  double integral[moments][most];
  std::size_t count = 0;

  void integrate(int p) noexcept;
};

}  // namespace contactlib::geometry

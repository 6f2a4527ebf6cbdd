// a force-depth curve as a table: straight pieces from (0, 0) through the points, the last one going on for ever.
#pragma once

#include <cstddef>

namespace contactlib::law {

struct CurvePoint {
  double depth;         // m
  double force;         // N
  double slope = 0.0;   // N/m, of the piece that ends here
  double stored = 0.0;  // J, area under the curve up to here
};

struct Curve {
  const CurvePoint* points = nullptr;
  std::size_t count = 0;
};

// fills in slopes and areas. false if a number is not finite, a depth not greater than the one before (the first: than
// zero), a force below zero, or the last one below the one before.
bool complete_curve(CurvePoint* points, std::size_t count) noexcept;

// the curve at x >= 0.
CurvePoint curve_at(const Curve& curve, double x) noexcept;

}  // namespace contactlib::law

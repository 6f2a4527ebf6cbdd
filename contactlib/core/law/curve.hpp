// A force-depth curve as a table: linear pieces from (0, 0) through the points; the last one continues without limit.
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

// Fills in slopes and areas. Returns false if a number is not finite, a depth is not greater than the one before (the
// first: than zero), a force is below zero, or the last force is below the one before.
bool complete_curve(CurvePoint* points, std::size_t count) noexcept;

// The curve at x >= 0.
CurvePoint curve_at(const Curve& curve, double x) noexcept;

}  // namespace contactlib::law

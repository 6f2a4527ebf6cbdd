// The deepest point of a sweep's axis inside a closed mesh. Along the axis phi changes by no more than the distance: an
// interval with phi at its middle contains nothing below phi - half its length.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/surface/nearest.hpp"
#include "geometry/sweep/through.hpp"

namespace contactlib::geometry {

class DeepestInMesh {
 public:
  DeepestInMesh(const Surface& mesh, const Sweep& sweep) noexcept : mesh_(mesh), sweep_(sweep) {}

  // Returns a point whose depth is within a fiftieth of the greatest. If no point is deeper than `most`, any point may
  // be returned: its contact would not count, and an exact search there would use all evaluations.
  double find(double most) noexcept {
    const double counts = std::min(0.0, sweep_.r - most);
    Span stack[64];
    int open = 0;
    stack[open++] = span(0.0, sweep_.length);
    while (open > 0 && evaluations_ < max_evaluations) {
      const Span top = stack[--open];
      const double half = 0.5 * (top.high - top.low), middle = top.low + half;
      const double rival = std::min(least_, counts);
      if (!(top.phi - half < rival - 0.02 * (sweep_.r - rival)) || half < finest * sweep_.length) continue;
      const Span left = span(top.low, middle), right = span(middle, top.high);
      stack[open++] = left.phi < right.phi ? right : left;
      stack[open++] = left.phi < right.phi ? left : right;
    }
    sharpen();
    return best_;
  }

  Nearest nearest(const Vec3& x) noexcept {
    Place place;
    ++evaluations_;
    if (!nearest_place(mesh_, x, std::numeric_limits<double>::infinity(), place)) return {0.0, Vec3::UnitX(), true};
    face_ = place.face;
    return {place.phi, place.g, true};
  }

  std::int32_t face() const noexcept { return face_; }  // that had the last nearest place

 private:
  static constexpr int max_evaluations = 2000;
  static constexpr double finest = 1e-6;  // of the axis
  struct Span {
    double low, high, phi;  // phi in the middle
  };

  double evaluate(double s, double half) noexcept {
    const double phi = nearest(sweep_.at(s)).phi;
    if (phi < least_) least_ = phi, best_ = s, half_ = half;
    return phi;
  }

  Span span(double low, double high) noexcept { return {low, high, evaluate(0.5 * (low + high), 0.5 * (high - low))}; }

  // Golden-section search for the local minimum nearby.
  void sharpen() noexcept {
    constexpr double part = 0.61803398874989485;
    double low = std::max(0.0, best_ - half_), high = std::min(sweep_.length, best_ + half_);
    double a = high - part * (high - low), b = low + part * (high - low), at_a = evaluate(a, 0.0),
           at_b = evaluate(b, 0.0);
    evaluate(low, 0.0);
    evaluate(high, 0.0);
    for (int i = 0; i < 60; ++i) {
      if (at_a < at_b) {
        high = b, b = a, at_b = at_a;
        a = high - part * (high - low), at_a = evaluate(a, 0.0);
      } else {
        low = a, a = b, at_a = at_b;
        b = low + part * (high - low), at_b = evaluate(b, 0.0);
      }
    }
  }

  const Surface& mesh_;
  const Sweep& sweep_;
  double least_ = std::numeric_limits<double>::infinity(), best_ = 0.0, half_ = 0.0;
  int evaluations_ = 0;
  std::int32_t face_ = 0;
};

}  // namespace contactlib::geometry

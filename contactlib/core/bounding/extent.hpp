// The extent of a shape along a direction, from which every bounding volume is made.
#pragma once

#include <cmath>
#include <limits>

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::bounding {

using geometry::Shape, geometry::ShapeKind;

struct Extent {
  double low, high;  // m
};

// Of the shape about its own origin; d_S is a unit direction in its axes.
inline Extent extent_in_shape(const Shape& shape, const Vec3& d_S) noexcept {
  const double* s = shape.size;
  const auto even = [](double reach) { return Extent{-reach, reach}; };
  switch (shape.kind) {
    case ShapeKind::point:
    case ShapeKind::sphere: return even(s[0]);
    case ShapeKind::segment:
    case ShapeKind::capsule: return even(s[0] + 0.5 * s[1] * std::abs(d_S[2]));
    case ShapeKind::ellipsoid: return even(Vec3(s[0] * d_S[0], s[1] * d_S[1], s[2] * d_S[2]).norm());
    case ShapeKind::cylinder:
      return even(s[0] * std::sqrt(d_S[0] * d_S[0] + d_S[1] * d_S[1]) + 0.5 * s[1] * std::abs(d_S[2]));
    case ShapeKind::socket: {
      const double reach = 0.5 * (std::abs(s[0] * d_S[0]) + std::abs(s[1] * d_S[1]) + std::abs(s[2] * d_S[2]));
      return {-0.5 * s[2] * d_S[2] - reach, -0.5 * s[2] * d_S[2] + reach};
    }
    case ShapeKind::triangle:
    case ShapeKind::box:
    case ShapeKind::polyhedron:
    case ShapeKind::mesh: {
      Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (const Vec3& vertex : shape.surface->vertices) {
        const double at = vertex.dot(d_S);
        extent.low = at < extent.low ? at : extent.low;
        extent.high = at > extent.high ? at : extent.high;
      }
      const double reach = geometry::swept_radius(shape);
      return {extent.low - reach, extent.high + reach};
    }
    case ShapeKind::plane: break;
  }
  return even(std::numeric_limits<double>::infinity());
}

// Of the shape in its body; d_B is a unit direction in the body's axes.
inline Extent extent_along(const Shape& shape, const Vec3& d_B) noexcept {
  const Extent extent = extent_in_shape(shape, shape.R_BS.transpose() * d_B);
  const double at = shape.p_BS.dot(d_B);
  return {at + extent.low, at + extent.high};
}

}  // namespace contactlib::bounding

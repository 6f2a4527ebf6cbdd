// Points of a surface contact: where integrals over the surface of one solid inside the other are evaluated.
#pragma once

#include <vector>

#include "geometry/manifold/manifold.hpp"
#include "quadrature.hpp"

namespace contactlib::geometry {

// A part of the surface of one solid that is inside the other one, as a point. In the axes of shape A, from its origin.
struct SurfacePoint {
  Vec3 x;         // m
  Vec3 n_AB;      // unit: a pressure there pushes B along it
  double extent;  // m, > 0: distance to the surface of the other solid
  double area;    // m2
  double facing;  // 0 to 1: how much the two surfaces face each other there, minus the product of their normals
};

// A point with its share of the load, from the centre of pressure.
struct SlidingPoint {
  Vec3 x, n;  // m; unit normal
  double share;
};

// The points of a pair of shapes, and working memory. Allocated with Data, reused from pair to pair, never saved.
struct SurfaceScratch {
  std::vector<SurfacePoint> points;  // its size is the capacity
  std::size_t count = 0, needed = 0;  // needed: including those beyond the capacity
  const Quadrature* rule = nullptr;
  double gap = 0.0;  // m, without a point: a lower bound of the distance; 0: unknown

  // per point, for the laws (step/contact/surface_contact.cpp): m/s, N, and what rubs
  std::vector<double> closing, load;
  std::vector<SlidingPoint> sliding;

  std::vector<Vec3> vertices;  // of one surface in the axes of the other
  std::vector<Vec3> polygon[3];
  std::vector<double> heights;
  std::vector<std::int32_t> nearest;  // faces that can be the nearest somewhere on a polygon

  // Allocates the working memory for these two shapes. May throw std::bad_alloc.
  void grow_capacity(const Shape& A, const Shape& B);

  // Room for so many points. May throw std::bad_alloc.
  void resize(std::size_t points);

  void clear() noexcept { count = needed = 0, gap = 0.0; }
};

// Adds the points of all parts of a surface contact. The scratch has a rule.
using SurfaceKernel = void (*)(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept;

}  // namespace contactlib::geometry

// Corners and edges of a small polytope that lives on the stack: a facet of a mesh, or a box.
#pragma once

#include "support.hpp"

namespace contactlib::geometry {

// `degree` edges meet at each of the `count` corners.
template <int count, int degree>
class HeldCorners {
 public:
  Vec3 x[count];

  Corners corners() const noexcept { return {x, first_, incident_edges_, nullptr, edges_, nullptr, count}; }

  // Call when all x are set; other(v, k): the corner at the end of edge k of corner v.
  template <class Other>
  void connect(const Other& other) noexcept {
    int edges = 0;
    for (int v = 0; v < count; ++v) {
      first_[v] = v * degree;
      for (int k = 0; k < degree; ++k) {
        const int to = other(v, k);
        const Vec3 along = x[to] - x[v];
        const double length = along.norm();
        const Vec3 t = along / length;
        if (v < to) edges_[edges++] = {v, to, -1, -1, t, length, 0.0};
        incident_edges_[v * degree + k] = {t, to, v < to ? edges - 1 : edge_between(to, v, edges), -1, -1};
      }
    }
    first_[count] = count * degree;
  }

 private:
  int edge_between(int v, int to, int edges) const noexcept {
    int e = 0;
    while (e < edges - 1 && !(edges_[e].v0 == v && edges_[e].v1 == to)) ++e;
    return e;
  }

  std::int32_t first_[count + 1];
  IncidentEdge incident_edges_[count * degree];
  Edge edges_[count * degree / 2];
};

// A shape of which only the kind matters: its corners are held elsewhere, or it is a point.
inline Shape bare_shape(ShapeKind kind) noexcept {
  Shape shape;
  shape.kind = kind;
  shape.surface = nullptr;
  for (double& number : shape.size) number = 0.0;
  return shape;
}

// A facet about the mean of its corners.
class FacetSolid {
 public:
  explicit FacetSolid(const Facet& facet) noexcept
      : middle((facet.corner[0] + facet.corner[1] + facet.corner[2]) / 3.0), shape_(bare_shape(ShapeKind::triangle)) {
    for (int i = 0; i < 3; ++i) {
      held_.x[i] = facet.corner[i] - middle;
      const double squared = held_.x[i].squaredNorm();
      radius = squared > radius ? squared : radius;
    }
    radius = std::sqrt(radius);
    held_.connect([](int v, int k) noexcept { return (v + 1 + k) % 3; });
    corners_ = held_.corners();
  }
  FacetSolid(const FacetSolid&) = delete;
  FacetSolid& operator=(const FacetSolid&) = delete;

  SolidSource source() const noexcept { return {shape_, &corners_}; }

  Vec3 middle;          // m, in the mesh's axes
  double radius = 0.0;  // m, of a ball about the middle that holds the facet

 private:
  Shape shape_;
  HeldCorners<3, 2> held_;
  Corners corners_;
};

// The box of a socket, about its middle.
class BoxAround {
 public:
  explicit BoxAround(const Vec3& half) noexcept : shape_(bare_shape(ShapeKind::box)) {
    for (int v = 0; v < 8; ++v)
      held_.x[v] = Vec3(v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]);
    held_.connect([](int v, int k) noexcept { return v ^ (1 << k); });
    corners_ = held_.corners();
  }
  BoxAround(const BoxAround&) = delete;
  BoxAround& operator=(const BoxAround&) = delete;

  SolidSource source() const noexcept { return {shape_, &corners_}; }

 private:
  Shape shape_;
  HeldCorners<8, 3> held_;
  Corners corners_;
};

}  // namespace contactlib::geometry

// Working memory of the extent field of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vectors.hpp"

namespace contactlib::geometry {

struct Facet;

// A corner of a polygon in a plane with coordinates, and its extent.
struct Corner {
  double u, v;
  double e;  // m
};

// A linear function on such a plane:  c + u du + v dv
struct Slope {
  double c, du, dv;

  double at(const Corner& x) const noexcept { return c + du * x.u + dv * x.v; }
  Slope operator-(const Slope& other) const noexcept { return {c - other.c, du - other.du, dv - other.dv}; }
  Slope operator-() const noexcept { return {-c, -du, -dv}; }
};

// Corners first .. first + count of MeshScratch::corners.
struct PolygonPart {
  int first, count;
};

// A face, an edge or a vertex of the mesh, with the part of the polygon in its normal cone.
struct MeshFeature {
  enum Kind { face, edge, vertex } kind;
  bool inside;        // the part is behind it
  Vec3 n;             // unit, of a face
  Slope distance;     // m, of a face
  Vec3 w0, w_u, w_v;  // m, of the others: from it to x is  w0 + u w_u + v w_v
  PolygonPart part;
  std::size_t first_wall;  // of its cone
  int wall_count;
};

// The distance of a feature, and the rectangle around its part.
struct FeatureBounds {
  double low_u, high_u, low_v, high_v;
  double low, high;  // m
  std::int32_t feature;
};

struct LowestPart {
  std::size_t feature;
  PolygonPart part;  // in MeshScratch::lowest_corners
};

struct MeshScratch {
  std::vector<Corner> corners, lowest_corners;
  std::vector<double> heights;
  std::vector<const Facet*> near;
  std::vector<MeshFeature> features;
  std::vector<FeatureBounds> bounds;  // of every feature, in the order of low_u
  std::vector<std::int32_t> others;  // features that may be nearer than one
  std::vector<Slope> walls;
  std::vector<PolygonPart> parts;
  std::vector<LowestPart> lowest;

  // Room for some hundred features, and for vertices with so many edges. May throw std::bad_alloc.
  void grow_capacity(std::size_t most_edges);
};

}  // namespace contactlib::geometry

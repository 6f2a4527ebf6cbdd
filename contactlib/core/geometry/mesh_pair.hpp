// a polytope or a mesh A against a mesh B, as the walks over both see them.
#pragma once

#include "mesh_report.hpp"
#include "mesh_target.hpp"

namespace contactlib {

struct MeshPair {
  Target A, B;
  bool hollow;        // A is a triangle, which nothing can be inside of
  Axes B_to_A, A_to_B;
  const Placement& X;
  double tol, noise;  // m
  Manifold& out;

  // C and n in A's axes
  void add(const Vec3& C, const Vec3& n, double depth, std::int64_t feature, double share) const noexcept {
    add_once(out, {X.R_WA * C, X.R_WA * n, depth, feature_number(feature), share}, tol);
  }
  // corners of A come first, then those of B, then the pairs of edges.
  std::int64_t corner_number(bool of_a, std::int32_t v) const noexcept {
    return of_a ? v : static_cast<std::int64_t>(A.surface.vertices.size()) + v;
  }
  std::int64_t ridge_number(std::int32_t a, std::int32_t b) const noexcept {
    const auto corners = static_cast<std::int64_t>(A.surface.vertices.size() + B.surface.vertices.size());
    return corners + a * static_cast<std::int64_t>(B.surface.edges.size()) + b;
  }
};

// of a box or the like: a walk over its tree would cost more than it spares.
inline bool is_few(const Surface& surface) noexcept { return surface.facets.size() <= 64; }

// adds the convex edges of both that cross.
void add_crossings(const MeshPair& pair) noexcept;

}  // namespace contactlib

// The trees of two surfaces against each other: boxes by their six face axes, groups of facets by balls and normal
// cones.
#pragma once

#include <cmath>

#include "nearest.hpp"

namespace contactlib::geometry {

// The transformation from one set of axes to another: x_other = R x + p.
struct Axes {
  Mat3 R;
  Vec3 p;

  Vec3 operator()(const Vec3& x) const noexcept { return R * x + p; }
  Axes inverse() const noexcept { return {R.transpose(), R.transpose() * -p}; }
};

inline Vec3 middle(const BoxNode& node) noexcept { return 0.5 * (Vec3(node.low) + Vec3(node.high)); }
inline Vec3 half(const BoxNode& node) noexcept { return 0.5 * (Vec3(node.high) - Vec3(node.low)); }

// Whether two boxes, b's given in a's axes by X, are nearer to each other than `reach`. spread = |X.R|.
inline bool boxes_near(const BoxNode& a, const BoxNode& b, const Axes& X, const Mat3& spread, double reach) noexcept {
  const Vec3 half_a = half(a), half_b = half(b), apart = X(middle(b)) - middle(a);
  for (int i = 0; i < 3; ++i)
    if (std::abs(apart[i]) > half_a[i] + spread.row(i).dot(half_b) + reach) return false;
  for (int i = 0; i < 3; ++i)
    if (std::abs(apart.dot(X.R.col(i))) > half_b[i] + spread.col(i).dot(half_a) + reach) return false;
  return true;
}

// Whether the box is within `reach` of some leaf of the surface.
inline bool touches(const Surface& surface, const BoxNode& box, const Axes& X, const Mat3& spread,
                    double reach) noexcept {
  bool found = false;
  const auto meets = [&](const BoxNode& node) noexcept { return !found && boxes_near(node, box, X, spread, reach); };
  for_each_facet(surface, meets, [&](const Facet&) noexcept { found = true; });
  return found;
}

// Slot k of a Bvh4Node: some facets in a ball, and a cone that contains the outward directions of their edges, between
// the normals of the faces.
struct FacetGroup {
  Vec3 middle;            // m
  double radius;          // m; < 0: none
  Vec3 axis;              // unit, or zero: the cone is open
  double sine, cosine;    // of the cone's half-angle alpha; 1 and 0: open
  std::int32_t child;     // a bvh4_node, or ~ a facet

  FacetGroup(const Surface& surface, const Bvh4Node& bvh4_node, int k) noexcept
      : middle(surface.middle + Vec3(bvh4_node.middle[0][k], bvh4_node.middle[1][k], bvh4_node.middle[2][k])),
        radius(bvh4_node.radius[k] < 0.0f ? -1.0 : bvh4_node.radius[k] + 1e-6 * surface.size),
        axis(bvh4_node.axis[0][k], bvh4_node.axis[1][k], bvh4_node.axis[2][k]),
        sine(bvh4_node.sine[k]),
        cosine(bvh4_node.cosine[k]),
        child(bvh4_node.child[k]) {}

  bool is_open() const noexcept { return sine == 1.0 || axis.squaredNorm() < 0.5; }
  // Whether no edge is bent by more than `sharp`: at such an edge the cone's axis would be half of this angle off a
  // normal.
  bool is_flat() const noexcept { return sine < 0.4 * sharp && !is_open(); }
};

// Whether some convex edge of a may cross one of b. An outward direction of an edge may lean out of the cone by at most
// half the angle between the edge's faces (geometry/mesh/ridge.hpp): it is within 2 alpha of the axis.
//   -axis_a . axis_b >= cos(2 alpha_a + 2 alpha_b)
inline bool may_oppose(const FacetGroup& a, const FacetGroup& b, const Mat3& R_ab) noexcept {
  const double cos_a = 1.0 - 2.0 * a.sine * a.sine, sin_a = 2.0 * a.sine * a.cosine;
  const double cos_b = 1.0 - 2.0 * b.sine * b.sine, sin_b = 2.0 * b.sine * b.cosine;
  if (a.is_open() || b.is_open() || sin_a * cos_b + cos_a * sin_b <= 0.0) return true;
  return -a.axis.dot(R_ab * b.axis) >= cos_a * cos_b - sin_a * sin_b - 1e-5;
}

// Visits every facet all of whose groups, from the root on, satisfy `meets`.
template <class Meets, class Visit>
void for_each_in_groups(const Surface& surface, const Meets& meets, const Visit& visit) noexcept {
  std::int32_t stack[3 * deepest_bvh4_node + 2];
  int open = 0;
  if (!surface.bvh4_nodes.empty()) stack[open++] = 0;
  while (open > 0) {
    const std::int32_t top = stack[--open];
    if (top < 0) {
      visit(surface.facets[~top]);
      continue;
    }
    for (int k = 3; k >= 0; --k) {
      const FacetGroup group(surface, surface.bvh4_nodes[top], k);
      if (group.radius >= 0.0 && meets(group)) stack[open++] = group.child;
    }
  }
}

}  // namespace contactlib::geometry

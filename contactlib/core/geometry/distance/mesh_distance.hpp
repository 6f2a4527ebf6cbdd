// The nearest points of a mesh and another shape.
#pragma once

#include <limits>

#include "geometry/convex/convex_distance.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

// A: a convex shape, B: a mesh; `out` in B's axes. As convex_distance(), but spheres and capsules have their radius.
Nearness convex_mesh_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                              NearestPoints& out) noexcept;
Nearness mesh_mesh_distance(const Shape& A, const Shape& B, const Axes& A_to_B, double longest,
                            NearestPoints& out) noexcept;

// Searches keep what is nearer than the best so far, so that a distance of exactly `longest` is found.
inline double just_above(double longest) noexcept {
  return math::nextafter(longest, std::numeric_limits<double>::infinity());
}

// Visits the facets box by box, the nearest box first, and leaves out boxes that are not nearer than `best`, which
// visits may reduce. bound(node): m, a lower bound of the distance of all that is in the node's box.
template <class Bound, class Visit>
void visit_nearest_first(const Surface& surface, const double& best, const Bound& bound, Visit&& visit) noexcept {
  struct Open {
    double bound;
    std::int32_t node;
  };
  Open stack[deepest_node + 2];
  int open = 0;
  if (!surface.nodes.empty()) stack[open++] = {bound(surface.nodes[0]), 0};
  while (open > 0) {
    const Open top = stack[--open];
    if (!(top.bound < best)) continue;
    const BoxNode& node = surface.nodes[top.node];
    if (node.count == 0) {
      Open near{bound(surface.nodes[node.first]), node.first},
          far{bound(surface.nodes[node.first + 1]), node.first + 1};
      if (far.bound < near.bound) std::swap(near, far);
      stack[open++] = far;
      stack[open++] = near;
      continue;
    }
    const std::int32_t end = surface.first_facet[node.first + node.count];
    for (std::int32_t i = surface.first_facet[node.first]; i < end; ++i) visit(surface.facets[i]);
  }
}

}  // namespace contactlib::geometry

#include "target.hpp"

#include <algorithm>

#include "ridge.hpp"

namespace contactlib::geometry {

namespace {

constexpr double everywhere = std::numeric_limits<double>::infinity();

// Whether x, which is behind a border, is on the inner side of the skirts below it.
bool above_skirts(const Surface& surface, const Vec3& x, const Place& place, double tol) noexcept {
  const Vec3 w = x - place.S;
  const auto within = [&](const Edge& edge) noexcept {
    return edge.f1 >= 0 || skirt(edge.t, surface.faces[edge.f0].n).dot(w) <= tol;
  };
  if (place.part == Part::edge) return within(surface.edges[place.index]);
  for (std::int32_t k = surface.first_incident_edge[place.index]; k < surface.first_incident_edge[place.index + 1]; ++k)
    if (!within(surface.edges[surface.incident_edges[k].edge])) return false;
  return true;
}

}  // namespace

double Target::above(const Vec3& x) const noexcept {
  double most = -everywhere;
  for (const Face& face : surface.faces) most = std::max(most, face.n.dot(x) - face.d);
  return most;
}

// phi < tol; under the border of an open mesh, where phi > 0, its skirts decide.
bool Target::is_inside(const Vec3& x, const Place& nearest) const noexcept {
  if (nearest.phi <= tol) return true;
  return nearest.behind && above_skirts(surface, x, nearest, tol);
}

bool Target::contains(const Vec3& x) const noexcept {
  if (convex) return above(x) <= tol;
  Place place;
  return nearest_place(surface, x, everywhere, place) && is_inside(x, place);
}

// If no leaf of the mesh intersects a box, all of the box is inside or all is outside. The exception is a skirt through
// the box: then the path from its middle, outside, to below the border passes around that border, and is no longer than
// half the box.
bool Target::may_contain(const BoxNode& box, const Axes& X, const Mat3& spread) const noexcept {
  if (touches(surface, box, X, spread, tol)) return true;
  Place place;
  if (!nearest_place(surface, X(middle(box)), everywhere, place)) return false;
  return place.behind || (!uniform && place.phi <= 2.0 * half(box).norm());
}

// Whether nothing in the ball sees a border before another feature: a point that is nearest to some point of the ball
// is no further from the ball's middle than |phi| + 2 radius.
bool is_uniform(const Surface& surface, const Vec3& middle, double radius) noexcept {
  Place place;
  if (!nearest_place(surface, middle, everywhere, place)) return true;
  const double reach = std::abs(place.phi) + 2.0 * radius;
  bool found = false;
  const auto meets = [&](const FacetGroup& group) noexcept {
    const double far = reach + group.radius;
    return !found && group.is_open() && (group.middle - middle).squaredNorm() < far * far;
  };
  for_each_in_groups(surface, meets, [&](const Facet& facet) noexcept {
    for (const std::int32_t e : facet.edge) found = found || (e >= 0 && surface.edges[e].f1 < 0);
  });
  return !found;
}

}  // namespace contactlib::geometry

// A polytope or a mesh as the target of another body's corners and edges, in its own axes.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/surface/boxes.hpp"

namespace contactlib::geometry {

// The way out of a solid: `depth` along the outward normal g.
struct Exit {
  Vec3 g;
  double depth;  // m, > 0
};

// A corner can leave through a face with normal n if none of its edges, unit directions t from it, leads down from n by
// more than 30 degrees. This excludes the side of a box beside a corner on its top, and the far side of a thin plate.
//   t.n >= -1/2
inline constexpr double least_slope = -0.5;

// The directions of a corner's edges, tested against a normal in other axes.
struct CornerFaces {
  const Surface& surface;
  std::int32_t corner;
  const Mat3& R;  // from the normal's axes to the corner's

  bool operator()(const Vec3& normal) const noexcept {
    const Vec3 n = R * normal;
    for (std::int32_t k = surface.first_incident_edge[corner]; k < surface.first_incident_edge[corner + 1]; ++k)
      if (n.dot(surface.incident_edges[k].t) < least_slope) return false;
    return true;
  }
};

struct Target {
  const Surface& surface;
  bool convex;  // whether the solid is the intersection of the half spaces of its faces
  double tol;    // m, how far outside still counts as inside
  double noise;  // m, rounding: no depth
  bool uniform;  // no skirt under the border of an open mesh parts what is asked for
  double limit;  // m, largest depth; a deeper corner leaves through the nearest point

  // Returns false if no corner in the box, mapped by X (spread = |X.R|), is inside; of a convex solid also if none in
  // the ball is.
  bool may_contain(const BoxNode& box, const Axes& X, const Mat3& spread) const noexcept;
  bool may_contain(const Vec3& middle, double radius) const noexcept { return above(middle) <= radius + tol; }
  bool contains(const Vec3& x) const noexcept;

  // The way out from x through the nearest of the faces for whose normals `faces(n)` holds.
  template <class Faces>
  bool find_exit(const Vec3& x, const Faces& faces, Exit& out) const noexcept {
    return convex ? find_exit_convex(x, faces, out) : find_exit_mesh(x, faces, out);
  }

 private:
  // The greatest height n.x - d over the faces.
  double above(const Vec3& x) const noexcept;
  bool is_inside(const Vec3& x, const Place& nearest) const noexcept;

  template <class Faces>
  bool find_exit_convex(const Vec3& x, const Faces& faces, Exit& out) const noexcept;
  template <class Faces>
  bool find_exit_mesh(const Vec3& x, const Faces& faces, Exit& out) const noexcept;
};

// Whether no skirt passes through the ball.
bool is_uniform(const Surface& surface, const Vec3& middle, double radius) noexcept;

// depth = min_f (d - n.x)
template <class Faces>
bool Target::find_exit_convex(const Vec3& x, const Faces& faces, Exit& out) const noexcept {
  if (!(above(x) <= tol)) return false;
  out.depth = std::numeric_limits<double>::infinity();
  for (const Face& face : surface.faces) {
    const double depth = face.d - face.n.dot(x);
    if (depth < out.depth && faces(face.n)) out = {face.n, depth};
  }
  return out.depth > noise && std::isfinite(out.depth);
}

// The nearest of some facets. Where several are equally near, at an edge, the facet below or above which x is furthest.
struct NearestOf {
  double squared;  // m2, distance
  const Facet* facet = nullptr;
  Foot foot = {0.0, 0};
  double height = 0.0;  // m, of x over the facet's plane, or under it

  template <class Faces>
  void evaluate(const Facet& other, const Vec3& x, const Faces& faces) noexcept {
    constexpr double more = 1.0 + 1e-9;
    Foot there;
    if (!foot_on(other, x, squared * more, there)) return;
    const double h = std::abs(other.n.dot(x - other.corner[0]));
    const bool tie = facet && there.squared * more > squared, level = h < height * more;
    if (tie && (h * more < height || (level && there.squared >= squared))) return;
    if (faces(other.n)) *this = {there.squared, &other, there, h};
  }
};

// depth = |x - S|,  g = (S - x)/depth
template <class Faces>
bool Target::find_exit_mesh(const Vec3& x, const Faces& faces, Exit& out) const noexcept {
  Place place;
  if (!nearest_place(surface, x, std::numeric_limits<double>::infinity(), place) || !is_inside(x, place)) return false;
  const Vec3& n = surface.faces[place.face].n;
  const bool faced = faces(n);
  if (faced && place.part == Part::face) {
    out = {n, -place.phi};
    return out.depth > noise;
  }
  const double far = faced ? 0.0 : limit;
  NearestOf nearest{std::max(place.phi * place.phi, far * far)};
  const auto meets = [&](const BoxNode& node) noexcept {
    return squared_distance(node, x) <= nearest.squared * (1.0 + 1e-9);
  };
  for_each_facet(surface, meets, [&](const Facet& facet) noexcept { nearest.evaluate(facet, x, faces); });
  if (!nearest.facet || !(nearest.facet->n.dot(x - nearest.facet->corner[0]) < -noise)) return false;
  NearestFoot foot(x, std::numeric_limits<double>::infinity());
  foot.evaluate(*nearest.facet, nearest.foot);
  const double depth = std::sqrt(nearest.squared);
  out = {nearest.foot.where == 0 ? nearest.facet->n : Vec3((foot.place(surface).S - x) / depth), depth};
  return true;
}

}  // namespace contactlib::geometry

// a polytope or a mesh as corners and edges of another body meet it, in its own axes.
#pragma once

#include <cmath>

#include "mesh_boxes.hpp"

namespace contactlib {

// out of the solid: `depth` along the outward normal g.
struct Push {
  Vec3 g;
  double depth;  // m, > 0
};

// a corner faces a face n if none of its edges, unit directions t from it, leads down from n by more than 30 degrees:
// the side of a box beside a corner that stands on its top does not answer, nor does the far side of a thin plate.
//   t.n >= -1/2
inline constexpr double least_slope = -0.5;

struct Target {
  const Surface& surface;
  bool convex;   // what lies behind all planes of its faces
  double tol;    // m, how far outside still counts as inside
  double noise;  // m, rounding: no depth
  double limit;  // m, no corner is pushed further than that to a face that is not the nearest

  // false if no corner in the box, seen through X (spread = |X.R|), is inside; nor in the ball, of a convex solid.
  bool may_hold(const BoxNode& box, const Axes& X, const Mat3& spread) const noexcept;
  bool may_hold(const Vec3& middle, double radius) const noexcept { return above(middle) <= radius + tol; }
  bool holds(const Vec3& x) const noexcept;

  // the way out from x through the nearest of the faces for whose normals `faces(n)` holds.
  template <class Faces>
  bool push(const Vec3& x, const Faces& faces, Push& out) const noexcept {
    return convex ? push_convex(x, faces, out) : push_mesh(x, faces, out);
  }

 private:
  // d - n.x is least, but for the sign, on the face that x is furthest above.
  double above(const Vec3& x) const noexcept;
  bool is_inside(const Vec3& x, const Place& nearest) const noexcept;

  template <class Faces>
  bool push_convex(const Vec3& x, const Faces& faces, Push& out) const noexcept;
  template <class Faces>
  bool push_mesh(const Vec3& x, const Faces& faces, Push& out) const noexcept;
};

// depth = min_f (d - n.x)
template <class Faces>
bool Target::push_convex(const Vec3& x, const Faces& faces, Push& out) const noexcept {
  if (!(above(x) <= tol)) return false;
  out.depth = std::numeric_limits<double>::infinity();
  for (const Face& face : surface.faces) {
    const double depth = face.d - face.n.dot(x);
    if (depth < out.depth && faces(face.n)) out = {face.n, depth};
  }
  return out.depth > noise && std::isfinite(out.depth);
}

// the nearest of some facets. where several are equally near, at an edge, the one tells that x is furthest below or above.
struct NearestOf {
  double squared;  // m2, distance
  const Facet* facet = nullptr;
  Foot foot = {0.0, 0};
  double above = 0.0;  // m, of x over the facet's plane

  template <class Faces>
  void look(const Facet& other, const Vec3& x, const Faces& faces) noexcept {
    constexpr double same = 1e-9;
    Foot there;
    if (!foot_on(other, x, squared * (1.0 + same), there)) return;
    const double height = other.n.dot(x - other.corner[0]);
    const bool tie = facet && there.squared > squared * (1.0 - same);
    if ((tie && !(std::abs(height) > std::abs(above))) || !faces(other.n)) return;
    *this = {there.squared, &other, there, height};
  }
};

// depth = |x - S|,  g = (S - x)/depth
template <class Faces>
bool Target::push_mesh(const Vec3& x, const Faces& faces, Push& out) const noexcept {
  Place place;
  if (!nearest_place(surface, x, std::numeric_limits<double>::infinity(), place) || !is_inside(x, place)) return false;
  const Vec3& n = surface.faces[place.face].n;
  const bool faced = faces(n);
  if (faced && place.part == Part::face) {
    out = {n, -place.phi};
    return out.depth > noise;
  }
  NearestOf nearest{faced ? place.phi * place.phi : limit * limit};
  const auto meets = [&](const BoxNode& node) noexcept { return squared_distance(node, x) <= nearest.squared * (1.0 + 1e-9); };
  for_each_facet(surface, meets, [&](const Facet& facet) noexcept { nearest.look(facet, x, faces); });
  if (!nearest.facet || !(nearest.above < -noise)) return false;
  NearestFoot foot(x, std::numeric_limits<double>::infinity());
  foot.look(*nearest.facet, nearest.foot);
  const double depth = std::sqrt(nearest.squared);
  out = {nearest.foot.where == 0 ? nearest.facet->n : Vec3((foot.place(surface).S - x) / depth), depth};
  return true;
}

}  // namespace contactlib

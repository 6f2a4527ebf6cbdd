#include "mesh_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"
#include "quadrature.hpp"

namespace contactlib::geometry {

namespace {

using Feature = MeshFeature;
using Part = PolygonPart;

constexpr double endless = std::numeric_limits<double>::infinity();

// Sine of the angle between two faces below which their edge has no wedge: less than rounding of the field.
constexpr double no_wedge = 1e-9;
constexpr double rounding = 1e-15, thinnest = 1e-13;  // of the mesh's size: on a line; a part that is thinner
constexpr int most_facets = 24;  // near a polygon; with more it is divided
constexpr int most_divisions = 40;
// Beside so many facets, a part whose radius is below this part of its depth is sampled: no single edge counts there.
constexpr double sampled_radius = 0.2;
constexpr int curved_degree = 4;  // of the quadrature where an edge or a corner is the nearest

// A ball around a polygon.
struct Around {
  Vec3 middle;
  double radius;
};

struct Range {
  double low = endless, high = -endless;
  void add(double value) noexcept { low = std::min(low, value), high = std::max(high, value); }
};

class Envelope {
 public:
  Envelope(const Surface& mesh, const PolygonPlane& plane, SurfaceScratch& out) noexcept
      : mesh_(mesh), plane_(plane), out_(out), s_(out.mesh), on_line_(rounding * mesh.size) {}

  // The polygon in out.polygon[0].
  void add(int count) noexcept;

 private:
  void add(const Part& polygon, int divisions) noexcept;
  void add_samples(const Part& polygon) noexcept;
  void add_flat(const Part& polygon, const Region& region) noexcept;
  bool add_near(const Vec3& middle, double reach) noexcept;
  Around around(const Part& polygon) noexcept;
  Vec3 at(const Corner& x) const noexcept { return plane_.o + x.u * plane_.t_u + x.v * plane_.t_v; }
  Corner* corners(const Part& part) noexcept { return s_.corners.data() + part.first; }
  Slope slope(const Vec3& n, double d) const noexcept {  // of n.x - d
    return {n.dot(plane_.o) - d, n.dot(plane_.t_u), n.dot(plane_.t_v)};
  }
  void divide(const Part& polygon, int divisions) noexcept;
  bool add_features(const Facet& facet) noexcept;
  bool add_face(const Facet& facet) noexcept;
  bool add_edge(const Facet& facet, int i) noexcept;
  bool add_vertex(const Facet& facet, int i) noexcept;
  bool add_wall(const Vec3& n, const Vec3& p) noexcept;
  bool within_walls(std::size_t first, Part& part) noexcept;
  bool keep(Feature feature, const Part& part) noexcept;
  bool add_lowest(std::size_t i) noexcept;
  bool take_away(const Feature& f, const Feature& g, bool later, const Part& part) noexcept;
  bool take_curved(const Feature& f, const Feature& g, const Part& part) noexcept;
  void add_part(const Feature& feature, const Part& part) noexcept;
  bool split(const Part& part, const Slope& height, Part& below, Part& above) noexcept;
  bool push(const Part& part) noexcept;
  Range range(const Slope& height, const Part& part) noexcept;

  const Surface& mesh_;
  const PolygonPlane& plane_;
  SurfaceScratch& out_;
  MeshScratch& s_;
  const double on_line_;
  Part polygon_{};
  std::size_t feature_count_ = 0, wall_count_ = 0, corner_count_ = 0, part_count_ = 0, lowest_count_ = 0,
              kept_count_ = 0;
};

double distance(const Feature& f, const Corner& x) noexcept {
  if (f.kind == Feature::face) return f.distance.at(x);
  return (f.w0 + x.u * f.w_u + x.v * f.w_v).norm();
}

// Unit, out of the solid, where the feature is the nearest, from inside.
Vec3 outward(const Feature& f, const Corner& x) noexcept {
  if (f.kind == Feature::face) return f.n;
  const Vec3 w = f.w0 + x.u * f.w_u + x.v * f.w_v;
  const double length = w.norm();
  return length > 0.0 ? Vec3(w / -length) : Vec3(Vec3::UnitZ());
}

Range Envelope::range(const Slope& height, const Part& part) noexcept {
  Range out;
  for (const Corner *x = corners(part), *end = x + part.count; x < end; ++x) out.add(height.at(*x));
  return out;
}

// Two parts of a polygon, which together are the polygon. Corners within rounding of the line lie on it, and belong to
// the part above. Returns false if there is no room.
bool Envelope::split(const Part& part, const Slope& height, Part& below, Part& above) noexcept {
  const int room = part.count + 2;
  if (corner_count_ + 2 * room > s_.corners.size()) return false;
  below = {static_cast<int>(corner_count_), 0}, above = {below.first + room, 0};
  const Corner* const in = corners(part);
  Corner *const low = corners(below), *const high = corners(above);
  double before = height.at(in[part.count - 1]);
  bool was_below = before < -on_line_;
  for (int i = 0; i < part.count; ++i) {
    const double here = height.at(in[i]);
    const bool is_below = here < -on_line_;
    if (is_below != was_below) {
      const Corner& last = in[i == 0 ? part.count - 1 : i - 1];
      const double from = was_below ? before : std::max(0.0, before), to = is_below ? here : std::max(0.0, here);
      low[below.count++] = high[above.count++] = between(last, in[i], from / (from - to));
    }
    (is_below ? low[below.count++] : high[above.count++]) = in[i];
    before = here, was_below = is_below;
  }
  corner_count_ += 2 * room;
  return true;
}

bool Envelope::push(const Part& part) noexcept {
  if (part.count < 3) return true;
  if (part_count_ == s_.parts.size()) return false;
  s_.parts[part_count_++] = part;
  return true;
}

bool Envelope::keep(Feature feature, const Part& part) noexcept {
  if (part.count < 3) return true;
  if (feature_count_ == s_.features.size()) return false;
  feature.part = part;
  Range d, u, v;
  for (const Corner *x = corners(part), *end = x + part.count; x < end; ++x)
    d.add(distance(feature, *x)), u.add(x->u), v.add(x->v);
  feature.low = d.low, feature.high = d.high;
  feature.low_u = u.low, feature.high_u = u.high, feature.low_v = v.low, feature.high_v = v.high;
  // an edge or a corner can be nearest between the corners of the polygon
  if (feature.kind != Feature::face)
    feature.low -= (u.high - u.low) * plane_.t_u.norm() + (v.high - v.low) * plane_.t_v.norm();
  s_.features[feature_count_++] = feature;
  return true;
}

// A wall of a cone: x is inside where n.(x - p) <= 0; n need not be a unit vector, but not much longer than one.
bool Envelope::add_wall(const Vec3& n, const Vec3& p) noexcept {
  if (wall_count_ == s_.walls.size()) return false;
  s_.walls[wall_count_++] = slope(n, n.dot(p));
  return true;
}

// The part of the polygon inside the walls from `first` on; with count 0 if there is none. Returns false without room.
bool Envelope::within_walls(std::size_t first, Part& part) noexcept {
  part = polygon_;
  for (std::size_t k = first; k < wall_count_; ++k)
    if (range(s_.walls[k], part).low >= 0.0) {
      part.count = 0, wall_count_ = first;
      return true;
    }
  for (std::size_t k = first; k < wall_count_; ++k) {
    const Range heights = range(s_.walls[k], part);
    if (heights.high <= 0.0) continue;
    const std::size_t room = part.count + 1;
    if (corner_count_ + room > s_.corners.size()) return false;
    double* const at = s_.heights.data();
    const Corner* const x = corners(part);
    for (int i = 0; i < part.count; ++i) at[i] = -s_.walls[k].at(x[i]);
    const int count = heights.low >= 0.0 ? 0 : cut(x, at, part.count, s_.corners.data() + corner_count_);
    part = {static_cast<int>(corner_count_), count};
    if (count < 3) {
      part.count = 0, wall_count_ = first;
      return true;
    }
    corner_count_ += room;
  }
  return true;
}

bool Envelope::add_face(const Facet& facet) noexcept {
  const std::size_t first = wall_count_;
  for (int i = 0; i < 3; ++i) {
    const Vec3 side = facet.corner[(i + 1) % 3] - facet.corner[i];
    if (!add_wall(side.cross(facet.n) / side.norm(), facet.corner[i])) return false;
  }
  Part part;
  if (!within_walls(first, part)) return false;
  if (part.count == 0) return true;
  const Slope height = slope(facet.n, facet.n.dot(facet.corner[0]));
  Part behind, before;
  if (!split(part, height, behind, before)) return false;
  Feature feature{
      Feature::face, true, facet.n, -height, Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), {}, first, 3, 0, 0, 0, 0, 0, 0};
  if (!keep(feature, behind)) return false;
  feature.inside = false, feature.distance = height;
  return keep(feature, before);
}

bool Envelope::add_edge(const Facet& facet, int i) noexcept {
  const Edge& edge = mesh_.edges[facet.edge[i]];
  if (edge.f1 < 0 || std::abs(edge.bend) < no_wedge) return true;
  const Vec3 &p = mesh_.vertices[edge.v0], &q = mesh_.vertices[edge.v1], &t = edge.t;
  const std::size_t first = wall_count_;
  if (!add_wall(mesh_.faces[edge.f0].n.cross(t), p) || !add_wall(t.cross(mesh_.faces[edge.f1].n), p) ||
      !add_wall(-t, p) || !add_wall(t, q))
    return false;
  Part part;
  if (!within_walls(first, part)) return false;
  const auto across = [&](const Vec3& x) { return Vec3(x - t.dot(x) * t); };
  return keep({Feature::edge,
               edge.bend < 0.0,
               Vec3::Zero(),
               {},
               across(plane_.o - p),
               across(plane_.t_u),
               across(plane_.t_v),
               {},
               first,
               4,
               0,
               0,
               0,
               0,
               0,
               0},
              part);
}

bool Envelope::add_vertex(const Facet& facet, int i) noexcept {
  const std::int32_t v = facet.vertex[i];
  const Vec3& p = mesh_.vertices[v];
  const std::size_t first = wall_count_;
  for (std::int32_t k = mesh_.first_incident_edge[v]; k < mesh_.first_incident_edge[v + 1]; ++k)
    if (!add_wall(mesh_.incident_edges[k].t, p)) return false;
  const int walls = static_cast<int>(wall_count_ - first);
  Part part;
  if (!within_walls(first, part)) return false;
  if (part.count == 0) return true;
  Vec3 middle = Vec3::Zero();
  for (int k = 0; k < part.count; ++k) middle += at(corners(part)[k]);
  const bool inside = (middle / part.count - p).dot(mesh_.vertex_normals[v]) < 0.0;
  return keep({Feature::vertex,
               inside,
               Vec3::Zero(),
               {},
               plane_.o - p,
               plane_.t_u,
               plane_.t_v,
               {},
               first,
               walls,
               0,
               0,
               0,
               0,
               0,
               0},
              part);
}

bool Envelope::add_features(const Facet& facet) noexcept {
  if (!add_face(facet)) return false;
  for (int i = 0; i < 3; ++i) {
    if ((facet.owns & its_edge << i) && !add_edge(facet, i)) return false;
    if ((facet.owns & its_vertex << i) && (facet.owns & near_vertex << i) && !add_vertex(facet, i)) return false;
  }
  return true;
}

void Envelope::add_part(const Feature& feature, const Part& part) noexcept {
  Corner* const x = s_.lowest_corners.data() + part.first;
  double around = 0.0, twice = 0.0;
  for (int i = 0; i < part.count; ++i) {
    const Corner& next = x[i + 1 < part.count ? i + 1 : 0];
    around += (next.u - x[i].u) * (next.u - x[i].u) * plane_.t_u.squaredNorm() +
              (next.v - x[i].v) * (next.v - x[i].v) * plane_.t_v.squaredNorm();
  }
  for (int i = 2; i < part.count; ++i)
    twice += (x[i - 1].u - x[0].u) * (x[i].v - x[0].v) - (x[i].u - x[0].u) * (x[i - 1].v - x[0].v);
  if (!(twice * plane_.unit_area > thinnest * mesh_.size * std::sqrt(around))) return;
  if (feature.kind == Feature::face) {
    for (int i = 0; i < part.count; ++i) x[i].e = feature.distance.at(x[i]);
    return add_piece(plane_, x, part.count, feature.n, out_);
  }
  const Quadrature& rule = quadrature(curved_degree);
  for (int i = 2; i < part.count; ++i) {
    const double area = 0.5 * plane_.unit_area *
                        ((x[i - 1].u - x[0].u) * (x[i].v - x[0].v) - (x[i].u - x[0].u) * (x[i - 1].v - x[0].v));
    for (const Quadrature::Point* p = rule.points; p < rule.points + rule.count; ++p) {
      const Corner y{p->a * x[0].u + p->b * x[i - 1].u + p->c * x[i].u,
                     p->a * x[0].v + p->b * x[i - 1].v + p->c * x[i].v, 0.0};
      add_point(at(y), distance(feature, y), p->weight * area, plane_.n, outward(feature, y), 1.0, out_);
    }
  }
}

// Pushes what is left of a part of f where f or g is not linear, so that their border is a curve: triangle by triangle.
bool Envelope::take_curved(const Feature& f, const Feature& g, const Part& part) noexcept {
  if (corner_count_ + 1 > s_.corners.size()) return false;
  Corner middle{0.0, 0.0, 0.0};
  for (int k = 0; k < part.count; ++k) middle.u += corners(part)[k].u, middle.v += corners(part)[k].v;
  middle.u /= part.count, middle.v /= part.count;
  const auto excess = [&](const Corner& x) { return distance(g, x) - distance(f, x); };
  for (int k = 0; k < part.count; ++k) {
    if (corner_count_ + 3 + 5 > s_.corners.size()) return false;
    Part triangle{static_cast<int>(corner_count_), 3};
    Corner* const x = corners(triangle);
    x[0] = middle, x[1] = corners(part)[k], x[2] = corners(part)[(k + 1) % part.count];
    double* const heights = s_.heights.data();
    for (int i = 0; i < 3; ++i) heights[i] = excess(x[i]);
    for (int i = 0; i < 3; ++i) heights[i] = std::abs(heights[i]) <= on_line_ ? 0.0 : heights[i];
    corner_count_ += 3;
    const Part left{static_cast<int>(corner_count_), cut(x, heights, 3, s_.corners.data() + corner_count_)};
    corner_count_ += 5;
    if (!push(left)) return false;
  }
  return true;
}

// Pushes what is left of a part of f's polygon where g is not nearer; where both are equally near everywhere, the earlier
// one has it.
bool Envelope::take_away(const Feature& f, const Feature& g, bool later, const Part& part) noexcept {
  const bool linear = f.kind == Feature::face && g.kind == Feature::face;
  Part both = part;
  const std::size_t first = part_count_;
  if (linear) {  // first, as it tells most often that nothing is taken away
    const Range excess = range(g.distance - f.distance, both);
    if (excess.low >= 0.0 && (excess.high > on_line_ || !later)) return push(part);
  }
  for (int k = -1; k < g.wall_count; ++k) {  // the side of the face, and its walls
    if (k < 0 && g.kind != Feature::face) continue;
    const Slope wall = k >= 0 ? s_.walls[g.first_wall + k] : -g.distance;
    const Range heights = range(wall, both);
    if (heights.high <= on_line_) continue;
    Part inside{0, 0}, outside = both;
    if (heights.low < -on_line_ && !split(both, wall, inside, outside)) return false;
    if (inside.count < 3) {  // g's cone is elsewhere: nothing is taken away
      part_count_ = first;
      return push(part);
    }
    if (!push(outside)) return false;
    both = inside;
  }
  Range excess;
  Corner middle{0.0, 0.0, 0.0};
  for (int k = 0; k < both.count; ++k) {
    const Corner& x = corners(both)[k];
    excess.add(distance(g, x) - distance(f, x)), middle.u += x.u / both.count, middle.v += x.v / both.count;
  }
  if (!linear) excess.low = std::min(excess.low, distance(g, middle) - distance(f, middle));
  const bool tie = excess.high <= on_line_ && excess.low >= -on_line_;
  if (tie ? !later : excess.low >= 0.0) {
    part_count_ = first;
    return push(part);
  }
  if (tie || excess.high <= 0.0) return true;
  if (!linear) return take_curved(f, g, both);
  Part nearer, left;
  return split(both, g.distance - f.distance, nearer, left) && push(left);
}

// The part of feature i's polygon on which no other feature is nearer.
bool Envelope::add_lowest(std::size_t i) noexcept {
  const Feature& f = s_.features[i];
  const std::size_t corners_before = corner_count_;
  part_count_ = 0;
  if (!push(f.part)) return false;
  for (std::size_t j = 0; j < feature_count_ && part_count_ > 0; ++j) {
    const Feature& g = s_.features[j];
    if (j == i || g.low > f.high || g.low_u > f.high_u || g.high_u < f.low_u || g.low_v > f.high_v ||
        g.high_v < f.low_v)
      continue;
    const std::size_t count = part_count_;
    for (std::size_t k = 0; k < count; ++k)
      if (!take_away(f, g, j < i, s_.parts[k])) return false;
    std::copy(s_.parts.begin() + count, s_.parts.begin() + part_count_, s_.parts.begin());
    part_count_ -= count;
  }
  for (std::size_t k = 0; k < part_count_; ++k) {
    const Part& part = s_.parts[k];
    if (lowest_count_ == s_.lowest.size() || kept_count_ + part.count > s_.lowest_corners.size()) return false;
    std::copy_n(corners(part), part.count, s_.lowest_corners.data() + kept_count_);
    s_.lowest[lowest_count_++] = {i, {static_cast<int>(kept_count_), part.count}};
    kept_count_ += part.count;
  }
  corner_count_ = corners_before;
  return true;
}

// Facets of any other region within this distance of x.
bool is_alone(const Surface& mesh, const Vec3& x, double reach, std::int32_t region) noexcept {
  std::int32_t stack[deepest_node + 2];
  int open = 0;
  const double squared = reach * reach;
  const auto add = [&](std::int32_t k) {
    if (mesh.region_of_node[k] != region && squared_distance(mesh.nodes[k], x) <= squared) stack[open++] = k;
  };
  add(0);
  while (open > 0) {
    const BoxNode& node = mesh.nodes[stack[--open]];
    if (node.count == 0) {
      add(node.first), add(node.first + 1);
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      if (mesh.region_of_face[mesh.order[i]] == region) continue;
      for (std::int32_t k = mesh.first_facet[i]; k < mesh.first_facet[i + 1]; ++k) {
        Foot foot;
        if (foot_on(mesh.facets[k], x, squared, foot)) return false;
      }
    }
  }
  return true;
}

Around Envelope::around(const Part& polygon) noexcept {
  Corner middle{0.0, 0.0, 0.0};
  const Corner* const x = corners(polygon);
  for (int i = 0; i < polygon.count; ++i) middle.u += x[i].u, middle.v += x[i].v;
  middle.u /= polygon.count, middle.v /= polygon.count;
  double squared = 0.0;
  for (int i = 0; i < polygon.count; ++i)
    squared = std::max(squared, ((x[i].u - middle.u) * plane_.t_u + (x[i].v - middle.v) * plane_.t_v).squaredNorm());
  return {at(middle), std::sqrt(squared)};
}

// Divides the polygon across its longer side.
void Envelope::divide(const Part& polygon, int divisions) noexcept {
  Range u, v;
  for (const Corner *x = corners(polygon), *end = x + polygon.count; x < end; ++x) u.add(x->u), v.add(x->v);
  const bool along_u = (u.high - u.low) * plane_.t_u.norm() > (v.high - v.low) * plane_.t_v.norm();
  const Slope height = along_u ? Slope{-0.5 * (u.low + u.high), 1.0, 0.0} : Slope{-0.5 * (v.low + v.high), 0.0, 1.0};
  const std::size_t base = corner_count_;
  for (const Slope& side : {height, -height}) {
    double* const heights = s_.heights.data();
    for (int i = 0; i < polygon.count; ++i) heights[i] = side.at(corners(polygon)[i]);
    if (corner_count_ + polygon.count + 1 > s_.corners.size()) return;
    const int count = cut(corners(polygon), heights, polygon.count, s_.corners.data() + base);
    corner_count_ = base + count;
    if (count > 2) add({static_cast<int>(base), count}, divisions + 1);
    corner_count_ = base;
  }
}

bool Envelope::add_near(const Vec3& middle, double reach) noexcept {
  feature_count_ = wall_count_ = lowest_count_ = kept_count_ = 0;
  bool room = true;
  const auto meets = [&](const BoxNode& node) noexcept { return squared_distance(node, middle) <= reach * reach; };
  for_each_facet(mesh_, meets, [&](const Facet& facet) noexcept {
    Foot foot;
    if (room && foot_on(facet, middle, reach * reach, foot)) room = add_features(facet);
  });
  for (std::size_t i = 0; room && i < feature_count_; ++i)
    if (s_.features[i].inside) room = add_lowest(i);
  if (!room) return false;
  for (std::size_t k = 0; k < lowest_count_; ++k) add_part(s_.features[s_.lowest[k].feature], s_.lowest[k].part);
  return true;
}

void Envelope::add(const Part& polygon, int divisions) noexcept {
  const auto [middle, radius] = around(polygon);
  Place place;
  if (squared_distance(mesh_.nodes[0], middle) > radius * radius) return;
  if (!nearest_place(mesh_, middle, endless, place) || place.phi > radius) return;
  const double reach = std::abs(place.phi) + 2.0 * radius;
  if (const std::int32_t region = mesh_.region_of_face[place.face]; is_alone(mesh_, middle, reach, region))
    return add_flat(polygon, mesh_.regions[region]);
  int near = 0;
  const auto meets = [&](const BoxNode& node) noexcept {
    return near <= most_facets && squared_distance(node, middle) <= reach * reach;
  };
  for_each_facet(mesh_, meets, [&](const Facet& facet) noexcept {
    Foot foot;
    near += foot_on(facet, middle, reach * reach, foot);
  });
  const bool divisible = divisions < most_divisions;
  if (near > most_facets) {
    if (radius < sampled_radius * std::abs(place.phi)) return add_samples(polygon);
    if (divisible) return divide(polygon, divisions);
  }
  const std::size_t base = corner_count_;
  polygon_ = polygon;
  const bool room = add_near(middle, reach);
  corner_count_ = base;
  if (!room && divisible) divide(polygon, divisions);
}

// Extents at the nodes of a quadrature, which are fixed places of the surface.
void Envelope::add_samples(const Part& polygon) noexcept {
  const Quadrature& rule = quadrature(curved_degree);
  const Corner* const x = corners(polygon);
  Place place;
  for (int i = 0; i < polygon.count; ++i)  // the deepest place is often a corner
    if (nearest_place(mesh_, at(x[i]), endless, place))
      out_.sums.deepest = std::max(out_.sums.deepest, -place.phi / extent_unit);
  for (int i = 2; i < polygon.count; ++i) {
    const Corner &a = x[0], &b = x[i - 1], &c = x[i];
    const double twice = (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
    for (const Quadrature::Point* q = rule.points; q < rule.points + rule.count; ++q) {
      const Vec3 p = at({q->a * a.u + q->b * b.u + q->c * c.u, q->a * a.v + q->b * b.v + q->c * c.v, 0.0});
      if (nearest_place(mesh_, p, endless, place))
        add_point(p, -place.phi, 0.5 * q->weight * twice * plane_.unit_area, plane_.n, place.g, 1.0, out_);
    }
  }
}

// Where only one plane of the mesh is near.
void Envelope::add_flat(const Part& polygon, const Region& region) noexcept {
  const Slope extent = slope(-region.n, -region.d);
  double* const heights = s_.heights.data();
  for (int i = 0; i < polygon.count; ++i) heights[i] = extent.at(corners(polygon)[i]);
  Corner* const x = s_.lowest_corners.data();
  const int count = cut(corners(polygon), heights, polygon.count, x);
  for (int i = 0; i < count; ++i) x[i].e = extent.at(x[i]);
  if (count > 2) add_piece(plane_, x, count, region.n, out_);
}

void Envelope::add(int count) noexcept {
  if (static_cast<std::size_t>(count) > s_.corners.size()) return;
  std::copy_n(out_.polygon[0].data(), count, s_.corners.data());
  corner_count_ = count;
  add({0, count}, 0);
}

}  // namespace

// A polygon that lies exactly in a plane where two features are equally near, as meshes do that are set on a grid, belongs to
// neither or to both. It is moved by less than the rounding of its corners, in a direction that no mesh has.
void add_in_mesh(const Surface& mesh, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  constexpr double shift = 1e-13;  // of the size
  PolygonPlane moved = plane;
  moved.o += shift * mesh.size * Vec3(0.5257311, -0.4338886, 0.7315459);
  Envelope(mesh, moved, out).add(count);
}

}  // namespace contactlib::geometry

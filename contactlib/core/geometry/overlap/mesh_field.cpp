#include "mesh_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "envelope.hpp"
#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"
#include "quadrature.hpp"

namespace contactlib::geometry {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
// Near a polygon; with more it pays to bound the part of it that is inside. It changes no result.
constexpr std::size_t few_facets = 24;
constexpr int most_divisions = 40;
// Of the mesh's size, around its box: more than rounding, and too little to cost anything. It changes no result.
constexpr double margin = 1e-6;
// Beside so many facets, a part whose radius is below this part of its depth is sampled: no single edge counts there.
constexpr double sampled_radius = 0.2;
constexpr int curved_degree = 4;  // of the quadrature where an edge or a corner is the nearest

// Unit, out of the solid, where the feature is the nearest, from inside.
Vec3 outward(const MeshFeature& f, const Corner& x) noexcept {
  if (f.kind == MeshFeature::face) return f.n;
  const Vec3 w = f.w0 + x.u * f.w_u + x.v * f.w_v;
  const double length = w.norm();
  return length > 0.0 ? Vec3(w / -length) : Vec3(Vec3::UnitZ());
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

}  // namespace

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
  if (out_.outlines)
    outline_polygon(plane_, x, part.count, [&](const Corner& y) { return distance(feature, y); }, out_);
  const Quadrature& rule = quadrature(curved_degree);
  for (int i = 2; i < part.count; ++i) {
    const double area = 0.5 * plane_.unit_area *
                        ((x[i - 1].u - x[0].u) * (x[i].v - x[0].v) - (x[i].u - x[0].u) * (x[i - 1].v - x[0].v));
    for (const Quadrature::Point* p = rule.points; p < rule.points + rule.count; ++p) {
      const Corner y{p->a * x[0].u + p->b * x[i - 1].u + p->c * x[i].u,
                     p->a * x[0].v + p->b * x[i - 1].v + p->c * x[i].v, 0.0};
      if (distance(feature, y) > limit_) continue;
      add_point(at(y), distance(feature, y), p->weight * area, plane_.n, outward(feature, y), 1.0, out_);
    }
  }
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

PolygonBox Envelope::box_of(const Part& polygon) noexcept {
  const Vec3 axes[] = {along_, plane_.n.cross(along_), plane_.n};
  Range ranges[3];
  for (const Corner *x = corners(polygon), *end = x + polygon.count; x < end; ++x)
    for (int k = 0; k < 3; ++k) ranges[k].add(axes[k].dot(at(*x)));
  return {axes, ranges};
}

// Along the side of the polygon whose box has the least perimeter: a rectangle's, or a leg of a right triangle. Of sides
// that are equal but for rounding, the first one.
Vec3 Envelope::box_axis(const Part& polygon) noexcept {
  const Corner* const x = corners(polygon);
  Vec3 best = Vec3::UnitX();
  double least = endless;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3 side = at(x[(i + 1) % polygon.count]) - at(x[i]);
    if (!(side.squaredNorm() > 0.0)) continue;
    along_ = side.normalized();
    const PolygonBox box = box_of(polygon);
    const double perimeter = box.range[0].high - box.range[0].low + box.range[1].high - box.range[1].low;
    if (perimeter < least * (1.0 - 1e-9)) least = perimeter, best = along_;
  }
  return best;
}

// Divides the polygon across its longer side.
void Envelope::divide(const Part& polygon, int divisions, double limit) noexcept {
  Range u, v;
  for (const Corner *x = corners(polygon), *end = x + polygon.count; x < end; ++x) u.add(x->u), v.add(x->v);
  const bool along_u = (u.high - u.low) * plane_.t_u.norm() > (v.high - v.low) * plane_.t_v.norm();
  const Slope height = along_u ? Slope{-0.5 * (u.low + u.high), 1.0, 0.0} : Slope{-0.5 * (v.low + v.high), 0.0, 1.0};
  const std::size_t base = corner_count_;
  for (const Slope& side : {height, -height}) {
    Part half = polygon;
    if (!cut_by(side, half)) return;
    if (half.count > 2) add(half, divisions + 1, limit);
    corner_count_ = base;
  }
}

// Keeps the part of a polygon where a linear function is not negative. Returns false if there is no room.
bool Envelope::cut_by(const Slope& height, Part& polygon) noexcept {
  if (corner_count_ + polygon.count + 1 > s_.corners.size()) return false;
  double* const heights = s_.heights.data();
  for (int i = 0; i < polygon.count; ++i) heights[i] = height.at(corners(polygon)[i]);
  const int count = cut(corners(polygon), heights, polygon.count, s_.corners.data() + corner_count_);
  polygon = {static_cast<int>(corner_count_), count}, corner_count_ += count;
  return true;
}

// Lists the facets that meet a box. Returns whether there are no more than `most`.
bool Envelope::find_near(const PolygonBox& box, std::size_t most) noexcept {
  near_count_ = 0;
  bool all = true;
  const auto meets = [&](const BoxNode& node) noexcept { return all && box.meets(node); };
  for_each_facet(mesh_, meets, [&](const Facet& facet) noexcept {
    if (!all || !box.meets(facet)) return;
    all = near_count_ < most;
    if (all) s_.near[near_count_++] = &facet;
  });
  return all;
}

// Whether no point of the polygon is inside: such a point is behind the plane of a facet that has its nearest place.
bool Envelope::is_before_all(const Part& polygon) noexcept {
  for (std::size_t k = 0; k < near_count_; ++k) {
    const Facet& facet = *s_.near[k];
    if (range(slope(facet.n, facet.n.dot(facet.corner[0])), polygon).low < 0.0) return false;
  }
  return true;
}

bool Envelope::add_near() noexcept {
  feature_count_ = wall_count_ = lowest_count_ = kept_count_ = 0;
  bool room = add_features();
  if (!room) return false;
  sort_features();
  for (std::size_t k = 0; room && k < feature_count_; ++k)
    if (s_.features[s_.bounds[k].feature].inside) room = add_lowest(s_.bounds[k]);
  if (!room) return false;
  for (std::size_t k = 0; k < lowest_count_; ++k) add_part(s_.features[s_.lowest[k].feature], s_.lowest[k].part);
  return true;
}

void Envelope::add(const Part& polygon, int divisions, double limit) noexcept {
  const auto [middle, radius] = around(polygon);
  Place place;
  if (squared_distance(mesh_.nodes[0], middle) > radius * radius) return;
  if (!nearest_place(mesh_, middle, endless, place) || place.phi > radius) return;
  const double reach = std::abs(place.phi) + 2.0 * radius;
  if (const std::int32_t region = mesh_.region_of_face[place.face]; is_alone(mesh_, middle, reach, region))
    return add_flat(polygon, mesh_.regions[region]);
  limit = std::min(limit, radius - place.phi);
  if (find_near(box_of(polygon).wider(limit), few_facets) && add_envelope(polygon, limit)) return;
  if (divisions == 0) along_ = box_axis(whole_);
  const PolygonBox box = box_of(polygon);
  const InnerBounds inner = inner_bounds(mesh_, box);
  limit = std::min(limit, inner.deepest);
  Part part = polygon;
  const std::size_t base = corner_count_;
  for (int k = 0; k < 2; ++k) {
    const Range& kept = inner.along[k];
    if (kept.low > -endless && !cut_by(slope(box.axis[k], kept.low), part)) return;
    if (kept.high < endless && !cut_by(-slope(box.axis[k], kept.high), part)) return;
  }
  if (part.count > 2) add_inner(part, divisions, limit);
  corner_count_ = base;
}

// Where the polygon has been cut to what can be inside.
void Envelope::add_inner(const Part& polygon, int divisions, double limit) noexcept {
  if (find_near(box_of(polygon).wider(limit), s_.near.size()) && add_envelope(polygon, limit)) return;
  const auto [middle, radius] = around(polygon);
  if (radius < sampled_radius * limit) return add_samples(polygon);
  if (divisions < most_divisions) divide(polygon, divisions, limit);
}

// Returns false if there is no room; then nothing is added.
bool Envelope::add_envelope(const Part& polygon, double limit) noexcept {
  if (is_before_all(polygon)) return true;
  const std::size_t base = corner_count_;
  // with room for rounding of the limit
  polygon_ = polygon, limit_ = (1.0 + 1e-9) * limit + on_line_;
  const bool room = add_near();
  corner_count_ = base;
  return room;
}

// Extents at the nodes of a quadrature, which are fixed places of the surface.
void Envelope::add_samples(const Part& polygon) noexcept {
  const Quadrature& rule = quadrature(curved_degree);
  const Corner* const x = corners(polygon);
  Place place;
  const auto extent_at = [&](const Corner& y) {
    return nearest_place(mesh_, at(y), endless, place) ? -place.phi : 0.0;
  };
  if (out_.outlines) outline_polygon(plane_, x, polygon.count, extent_at, out_);
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
  along_ = plane_.t_u.normalized();
  Part polygon = whole_ = {0, count};
  const double limit = cut_to_box(polygon);
  if (polygon.count > 2) add(polygon, 0, limit);
}

// Cuts the polygon to the box around the mesh, beyond which all is outside, and a margin, so that no corner comes to lie in
// a face of the mesh. Returns the greatest depth that its distances from the sides of the box allow.
double Envelope::cut_to_box(Part& polygon) noexcept {
  const BoxNode& box = mesh_.nodes[0];
  double deepest = endless;
  for (int k = 0; k < 6 && polygon.count > 2; ++k) {
    const int axis = k >> 1;
    Slope inside = k & 1 ? slope(Vec3::Unit(axis), box.low[axis]) : slope(-Vec3::Unit(axis), -box.high[axis]);
    inside.c += margin * mesh_.size;
    const Range heights = range(inside, polygon);
    deepest = std::min(deepest, heights.high);
    if (heights.low < 0.0 && !cut_by(inside, polygon)) break;
  }
  return deepest;
}

// Where no leaf of the tree meets the box, all of it is on the side of its middle.
bool may_be_inside(const Surface& mesh, const Vec3& low, const Vec3& high) noexcept {
  std::int32_t stack[deepest_node + 2];
  int open = 0;
  const auto add = [&](std::int32_t k) {
    stack[open] = k;
    open += ((Vec3(mesh.nodes[k].low).array() <= high.array()).all() &&
             (Vec3(mesh.nodes[k].high).array() >= low.array()).all());
  };
  add(0);
  if (open == 0) return false;
  while (open > 0) {
    const BoxNode& node = mesh.nodes[stack[--open]];
    if (node.count > 0) return true;
    add(node.first), add(node.first + 1);
  }
  return is_inside(mesh, 0.5 * (low + high));
}

void add_in_mesh(const Surface& mesh, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  Envelope(mesh, plane, out).add(count);
}

}  // namespace contactlib::geometry

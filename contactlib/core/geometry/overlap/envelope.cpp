#include "envelope.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"

namespace contactlib::geometry {

namespace {

// Sine of the angle between two faces below which their edge has no wedge: less than rounding of the field.
constexpr double no_wedge = 1e-9;
// A border is straight if in its middle the distances differ by less than this part of the depth there: what the force
// loses is as small a part of it, as it turns by the slope of that difference.
constexpr double straight = 1e-4;

// Of the area, which corners that are nearly one do not move.
Corner centroid(const Corner* x, int count) noexcept {
  Corner sum{0.0, 0.0, 0.0};
  double all = 0.0;
  for (int i = 2; i < count; ++i) {
    const double bu = x[i - 1].u - x[0].u, bv = x[i - 1].v - x[0].v, cu = x[i].u - x[0].u, cv = x[i].v - x[0].v;
    const double twice = bu * cv - bv * cu;
    sum.u += twice * (bu + cu), sum.v += twice * (bv + cv), all += 3.0 * twice;
  }
  return all > 0.0 ? Corner{x[0].u + sum.u / all, x[0].v + sum.v / all, 0.0} : x[0];
}

MeshFeature feature_of(MeshFeature::Kind kind, std::size_t first_wall, int walls) noexcept {
  return {kind, false, Vec3::Zero(), {}, Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), {}, first_wall, walls};
}

}  // namespace

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
  Range d, u, v;
  for (const Corner *x = corners(part), *end = x + part.count; x < end; ++x)
    d.add(distance(feature, *x)), u.add(x->u), v.add(x->v);
  // an edge or a corner can be nearest between the corners of the polygon
  if (feature.kind != Feature::face)
    d.low -= (u.high - u.low) * plane_.t_u.norm() + (v.high - v.low) * plane_.t_v.norm();
  if (d.low > limit_) return true;
  feature.part = part;
  s_.bounds[feature_count_] = {u.low, u.high, v.low, v.high, d.low, d.high, static_cast<std::int32_t>(feature_count_)};
  s_.features[feature_count_++] = feature;
  return true;
}

// A wall of a cone: x is inside where n.(x - p) <= 0; n need not be a unit vector, but not much longer than one.
bool Envelope::add_wall(const Vec3& n, const Vec3& p) noexcept {
  if (wall_count_ == s_.walls.size()) return false;
  s_.walls[wall_count_++] = slope(n, n.dot(p));
  return true;
}

// The part of the polygon inside the walls from `first` on; with count 0 if there is none. A polygon in the plane of a wall
// is inside: it belongs to the cones on both sides, of which the earlier one has it. Returns false without room.
bool Envelope::within_walls(std::size_t first, Part& part) noexcept {
  part = polygon_;
  for (std::size_t k = first; k < wall_count_; ++k)
    if (const Range heights = range(s_.walls[k], part); heights.low >= 0.0 && heights.high > 0.0) {
      part.count = 0, wall_count_ = first;
      return true;
    }
  for (std::size_t k = first; k < wall_count_; ++k) {
    if (corner_count_ + part.count + 1 > s_.corners.size()) return false;
    double* const at = s_.heights.data();
    const Corner* const x = corners(part);
    double lowest = 0.0;
    for (int i = 0; i < part.count; ++i) at[i] = -s_.walls[k].at(x[i]), lowest = std::min(lowest, at[i]);
    if (lowest >= 0.0) continue;
    part = {static_cast<int>(corner_count_), cut(x, at, part.count, s_.corners.data() + corner_count_)};
    if (part.count < 3) {
      part.count = 0, wall_count_ = first;
      return true;
    }
    corner_count_ += part.count;
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
  if (behind.count > 2 && -range(height, behind).low > limit_) {
    Part deeper;
    const Slope above = {height.c + limit_, height.du, height.dv};
    if (!split(Part(behind), above, deeper, behind)) return false;
  }
  Feature feature = feature_of(Feature::face, first, 3);
  feature.inside = true, feature.n = facet.n, feature.distance = -height;
  if (!keep(feature, behind)) return false;
  feature.inside = false, feature.distance = height;
  return keep(feature, before);
}

bool Envelope::add_edge(const Facet& facet, int i) noexcept {
  const Edge& edge = mesh_.edges[facet.edge[i]];
  if (edge.f1 < 0 || std::abs(edge.bend) < no_wedge) return true;
  const Vec3 &p = mesh_.vertices[edge.v0], &q = mesh_.vertices[edge.v1], &t = edge.t;
  Range heights;
  heights.add(height_of(p)), heights.add(height_of(q));
  if (heights.low > limit_ || heights.high < -limit_) return true;
  const std::size_t first = wall_count_;
  if (!add_wall(mesh_.faces[edge.f0].n.cross(t), p) || !add_wall(t.cross(mesh_.faces[edge.f1].n), p) ||
      !add_wall(-t, p) || !add_wall(t, q))
    return false;
  Part part;
  if (!within_walls(first, part)) return false;
  const auto across = [&](const Vec3& x) { return Vec3(x - t.dot(x) * t); };
  Feature feature = feature_of(Feature::edge, first, 4);
  feature.inside = edge.bend < 0.0;
  feature.w0 = across(plane_.o - p), feature.w_u = across(plane_.t_u), feature.w_v = across(plane_.t_v);
  return keep(feature, part);
}

bool Envelope::add_vertex(const Facet& facet, int i) noexcept {
  const std::int32_t v = facet.vertex[i];
  const Vec3& p = mesh_.vertices[v];
  if (std::abs(height_of(p)) > limit_) return true;
  const std::size_t first = wall_count_;
  for (std::int32_t k = mesh_.first_incident_edge[v]; k < mesh_.first_incident_edge[v + 1]; ++k)
    if (!add_wall(mesh_.incident_edges[k].t, p)) return false;
  const int walls = static_cast<int>(wall_count_ - first);
  Part part;
  if (!within_walls(first, part)) return false;
  if (part.count == 0) return true;
  Vec3 middle = Vec3::Zero();
  for (int k = 0; k < part.count; ++k) middle += at(corners(part)[k]);
  Feature feature = feature_of(Feature::vertex, first, walls);
  feature.inside = (middle / part.count - p).dot(mesh_.vertex_normals[v]) < 0.0;
  feature.w0 = plane_.o - p, feature.w_u = plane_.t_u, feature.w_v = plane_.t_v;
  return keep(feature, part);
}

bool Envelope::add_edges(const Facet& facet) noexcept {
  for (int i = 0; i < 3; ++i) {
    if ((facet.owns & its_edge << i) && !add_edge(facet, i)) return false;
    if ((facet.owns & its_vertex << i) && (facet.owns & near_vertex << i) && !add_vertex(facet, i)) return false;
  }
  return true;
}

// Whether an edge or a vertex of a facet can be the nearest place of an inner point.
bool Envelope::is_hollow(const Facet& facet) const noexcept {
  for (int i = 0; i < 3; ++i)
    if (mesh_.edges[facet.edge[i]].bend < 0.0 || !mesh_.convex_vertex[facet.vertex[i]]) return true;
  return false;
}

// All features of the near facets; none if nothing of the polygon is inside. Returns false if there is no room.
bool Envelope::add_features() noexcept {
  bool any = false;
  for (std::size_t k = 0; k < near_count_; ++k) {
    if (!add_face(*s_.near[k])) return false;
    any = any || is_hollow(*s_.near[k]);
  }
  for (std::size_t k = 0; k < feature_count_; ++k) any = any || s_.features[k].inside;
  if (!any) feature_count_ = 0;
  for (std::size_t k = 0; any && k < near_count_; ++k)
    if (!add_edges(*s_.near[k])) return false;
  return true;
}

// Pushes what is left of a part of f where f or g is not linear, so that their border may be a curve. Where it is not
// straight, the part is divided into triangles.
bool Envelope::split_curved(const Feature& f, const Feature& g, const Part& part) noexcept {
  if (is_straight(f, g, part)) return keep_further(f, g, part);
  const Corner middle = centroid(corners(part), part.count);
  for (int k = 0; k < part.count; ++k) {
    if (corner_count_ + 3 > s_.corners.size()) return false;
    const Part triangle{static_cast<int>(corner_count_), 3};
    Corner* const x = corners(triangle);
    x[0] = middle, x[1] = corners(part)[k], x[2] = corners(part)[(k + 1) % part.count];
    corner_count_ += 3;
    if (!keep_further(f, g, triangle)) return false;
  }
  return true;
}

// By how much g is further away than f.
double Envelope::excess(const Feature& f, const Feature& g, const Corner& x) const noexcept {
  const double over = distance(g, x) - distance(f, x);
  return std::abs(over) <= on_line_ ? 0.0 : over;
}

// Whether the border of f and g in a part is a straight line.
bool Envelope::is_straight(const Feature& f, const Feature& g, const Part& part) noexcept {
  const Corner* const x = corners(part);
  Corner middle{0.0, 0.0, 0.0};
  int ends = 0;
  double greatest = 0.0, before = excess(f, g, x[part.count - 1]);
  for (int i = 0, last = part.count - 1; i < part.count; last = i++) {
    const double here = excess(f, g, x[i]);
    greatest = std::max(greatest, distance(f, x[i]));
    if ((here < 0.0) != (before < 0.0)) {
      const Corner end = between(x[last], x[i], before / (before - here));
      middle.u += 0.5 * end.u, middle.v += 0.5 * end.v, ++ends;
    }
    before = here;
  }
  return ends == 2 && std::abs(excess(f, g, middle)) <= straight * greatest;
}

// Pushes the part of a polygon where f is nearer than g, as if their border were straight.
bool Envelope::keep_further(const Feature& f, const Feature& g, const Part& part) noexcept {
  if (corner_count_ + part.count + 1 > s_.corners.size()) return false;
  double* const over = s_.heights.data();
  for (int i = 0; i < part.count; ++i) over[i] = excess(f, g, corners(part)[i]);
  const Part left{static_cast<int>(corner_count_),
                  cut(corners(part), over, part.count, s_.corners.data() + corner_count_)};
  corner_count_ += left.count;
  return push(left);
}

// Whether a feature's cone has nothing of a part: a wall, or the side of its face, is between them.
bool Envelope::is_elsewhere(const Feature& g, const Part& part) noexcept {
  if (g.kind == Feature::face && range(g.distance, part).high <= on_line_) return true;
  for (int k = 0; k < g.wall_count; ++k)
    if (const Range heights = range(s_.walls[g.first_wall + k], part);
        heights.high > on_line_ && heights.low >= -on_line_)
      return true;
  return false;
}

// Pushes what is left of a part of f's polygon where g is not nearer; where both are equally near everywhere, the earlier
// one has it. First the part is split where f and g are equally near, then what is nearer to g at the walls of its cone.
bool Envelope::take_away(const Feature& f, const Feature& g, bool later, const Part& part) noexcept {
  const bool linear = f.kind == Feature::face && g.kind == Feature::face;
  const std::size_t first = part_count_;
  Part nearer = part;
  if (linear) {
    const Slope over = g.distance - f.distance;
    const Range apart = range(over, part);
    const bool tie = apart.high <= on_line_ && apart.low >= -on_line_;
    if (tie ? !later : apart.low >= 0.0) return push(part);
    Part left{0, 0};
    if (!tie && apart.high > on_line_ && !(split(part, over, nearer, left) && push(left))) return false;
  }
  for (int k = g.kind == Feature::face ? -1 : 0; k < g.wall_count; ++k) {  // the side of the face, and its walls
    const Slope wall = k >= 0 ? s_.walls[g.first_wall + k] : -g.distance;
    const Range heights = range(wall, nearer);
    if (heights.high <= on_line_) continue;
    Part inside{0, 0}, outside{0, 0};
    if (heights.low < -on_line_ && !split(nearer, wall, inside, outside)) return false;
    if (inside.count < 3) {  // g's cone is elsewhere: nothing is taken away
      part_count_ = first;
      return push(part);
    }
    if (!push(outside)) return false;
    nearer = inside;
  }
  return linear || take_curved(f, g, later, part, nearer, first);
}

// The same where f or g is not linear, in `both`, the part that both cones have.
bool Envelope::take_curved(const Feature& f, const Feature& g, bool later, const Part& part, const Part& both,
                           std::size_t first) noexcept {
  Range apart;
  const Corner middle = centroid(corners(both), both.count);
  for (const Corner *x = corners(both), *end = x + both.count; x < end; ++x)
    apart.add(distance(g, *x) - distance(f, *x));
  apart.add(distance(g, middle) - distance(f, middle));
  const bool tie = apart.high <= on_line_ && apart.low >= -on_line_;
  if (tie ? !later : apart.low >= 0.0) {
    part_count_ = first;
    return push(part);
  }
  return tie || apart.high <= 0.0 || split_curved(f, g, both);
}

void Envelope::sort_features() noexcept {
  FeatureBounds* const bounds = s_.bounds.data();
  std::sort(bounds, bounds + feature_count_, [](const FeatureBounds& a, const FeatureBounds& b) {
    return a.low_u < b.low_u || (a.low_u == b.low_u && a.feature < b.feature);
  });
  widest_ = 0.0;
  for (std::size_t k = 0; k < feature_count_; ++k) widest_ = std::max(widest_, bounds[k].high_u - bounds[k].low_u);
}

// The part of a feature's polygon on which no other feature is nearer.
bool Envelope::add_lowest(const FeatureBounds& of) noexcept {
  const Feature& f = s_.features[of.feature];
  const std::size_t corners_before = corner_count_;
  part_count_ = 0;
  if (!push(f.part)) return false;
  const FeatureBounds *const begin = s_.bounds.data(), *const end = begin + feature_count_;
  const double from = of.low_u - widest_;
  const FeatureBounds* g =
      std::lower_bound(begin, end, from, [](const FeatureBounds& a, double u) { return a.low_u < u; });
  std::size_t others = 0;  // in an order that rounding does not change
  for (; g < end && g->low_u <= of.high_u; ++g) {
    if (g == &of || g->low > of.high || g->high_u < of.low_u || g->low_v > of.high_v || g->high_v < of.low_v) continue;
    if (!is_elsewhere(s_.features[g->feature], f.part)) s_.others[others++] = g->feature;
  }
  // corners first, then edges: where curved borders run does not depend on what else is cut
  std::sort(s_.others.begin(), s_.others.begin() + others, [&](std::int32_t a, std::int32_t b) {
    const auto kind_a = s_.features[a].kind, kind_b = s_.features[b].kind;
    return kind_a != kind_b ? kind_a > kind_b : a < b;
  });
  for (std::size_t j = 0; j < others && part_count_ > 0; ++j) {
    const std::int32_t other = s_.others[j];
    const std::size_t count = part_count_;
    for (std::size_t k = 0; k < count; ++k)
      if (!take_away(f, s_.features[other], other < of.feature, s_.parts[k])) return false;
    std::copy(s_.parts.begin() + count, s_.parts.begin() + part_count_, s_.parts.begin());
    part_count_ -= count;
  }
  for (std::size_t k = 0; k < part_count_; ++k) {
    const Part& part = s_.parts[k];
    if (lowest_count_ == s_.lowest.size() || kept_count_ + part.count > s_.lowest_corners.size()) return false;
    std::copy_n(corners(part), part.count, s_.lowest_corners.data() + kept_count_);
    s_.lowest[lowest_count_++] = {static_cast<std::size_t>(of.feature), {static_cast<int>(kept_count_), part.count}};
    kept_count_ += part.count;
  }
  corner_count_ = corners_before;
  return true;
}

}  // namespace contactlib::geometry

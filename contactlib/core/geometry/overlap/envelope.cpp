#include "envelope.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"

namespace contactlib::geometry {

namespace {

// Sine of the angle between two faces below which their edge has no wedge: less than rounding of the field.
constexpr double no_wedge = 1e-9;

MeshFeature feature_of(MeshFeature::Kind kind, std::size_t first_wall, int walls) noexcept {
  return {kind, false, Vec3::Zero(), {}, Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), {}, first_wall, walls, 0, 0, 0, 0,
          0,    0};
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

bool Envelope::add_features(const Facet& facet) noexcept {
  if (!add_face(facet)) return false;
  for (int i = 0; i < 3; ++i) {
    if ((facet.owns & its_edge << i) && !add_edge(facet, i)) return false;
    if ((facet.owns & its_vertex << i) && (facet.owns & near_vertex << i) && !add_vertex(facet, i)) return false;
  }
  return true;
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

}  // namespace contactlib::geometry

// The tree of proximity queries: four groups at a time, each with a ball around it and a cone around its normals.
#include <algorithm>
#include <cmath>

#include "math/elementary.hpp"
#include "tree.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;

// A cone around all directions from which a feature can be nearest from outside: of a face its normal, of an edge the
// directions between the normals of its two faces, of a vertex those between the normals of all faces around it.
struct Cone {
  Vec3 axis = Vec3::Zero();
  double angle = 0.0;  // rad
};

double angle_between(const Vec3& a, const Vec3& b) noexcept { return math::atan2(a.cross(b).norm(), a.dot(b)); }

// Visits the normals around a facet and its features; returns false if a border leaves the directions open.
template <class Visit>
bool for_each_normal(const Surface& surface, const Facet& facet, const Visit& visit) noexcept {
  const auto both = [&](const Edge& edge) {
    visit(surface.faces[edge.f0].n);
    if (edge.f1 >= 0) visit(surface.faces[edge.f1].n);
    return edge.f1 >= 0;
  };
  visit(facet.n);
  for (int i = 0; i < 3; ++i) {
    if ((facet.owns & its_edge << i) && !both(surface.edges[facet.edge[i]])) return false;
    if (!(facet.owns & near_vertex << i)) continue;
    const std::int32_t v = facet.vertex[i];
    for (std::int32_t s = surface.first_incident_edge[v]; s < surface.first_incident_edge[v + 1]; ++s)
      if (!both(surface.edges[surface.incident_edges[s].edge])) return false;
  }
  return true;
}

Cone cone_of(const Surface& surface, const Facet& facet) noexcept {
  Cone cone;
  const bool bounded = for_each_normal(surface, facet, [&](const Vec3& n) { cone.axis += n; });
  cone.axis.normalize();
  if (!bounded) cone.angle = pi;
  for_each_normal(surface, facet,
                  [&](const Vec3& n) { cone.angle = std::max(cone.angle, angle_between(cone.axis, n)); });
  return cone;
}

// The facets first .. first + count; those of a node, or of half a leaf (node = -1).
struct Range {
  std::int32_t node, first, count;
};

class Builder {
 public:
  explicit Builder(Surface& out) : out_(out), cones_(out.facets.size()) {
    for (std::size_t k = 0; k < out.facets.size(); ++k) cones_[k] = cone_of(out, out.facets[k]);
  }

  void build() {
    if (out_.facets.empty()) return;
    std::vector<Range> open{{0, 0, static_cast<std::int32_t>(out_.facets.size())}};
    // Bvh4Nodes are in the order of their ranges, parents before children.
    for (std::size_t k = 0; k < open.size(); ++k) {
      Range groups[4] = {open[k]};
      const int count = divide(groups);
      Bvh4Node bvh4_node{};
      for (int i = 0; i < 4; ++i) {
        bvh4_node.radius[i] = -1.0f;
        if (i < count) fill(bvh4_node, i, groups[i]);
        if (i >= count || groups[i].count == 1) continue;
        bvh4_node.child[i] = static_cast<std::int32_t>(open.size());
        open.push_back(groups[i]);
      }
      out_.bvh4_nodes.push_back(bvh4_node);
    }
  }

 private:
  // Divides the first group into up to four, always the one with most facets.
  int divide(Range* groups) const noexcept {
    int count = 1;
    while (count < 4) {
      Range& most =
          *std::max_element(groups, groups + count, [](const Range& a, const Range& b) { return a.count < b.count; });
      if (most.count == 1) break;
      groups[count++] = split(most);
    }
    return count;
  }

  // Takes the second half from a range.
  Range split(Range& range) const noexcept {
    Range right{-1, 0, 0};
    std::int32_t left_node = -1, left = range.count / 2;
    if (range.node >= 0 && out_.nodes[range.node].count == 0) {
      left_node = out_.nodes[range.node].first;
      right.node = left_node + 1;
      left = facets_of(left_node) - range.first;
    }
    right.first = range.first + left;
    right.count = range.count - left;
    range = {left_node, range.first, left};
    return right;
  }

  // End of the facets of a node.
  std::int32_t facets_of(std::int32_t node) const noexcept {
    while (out_.nodes[node].count == 0) node = out_.nodes[node].first + 1;
    return out_.first_facet[out_.nodes[node].first + out_.nodes[node].count];
  }

  void fill(Bvh4Node& bvh4_node, int i, const Range& range) const noexcept {
    const Facet* const begin = out_.facets.data() + range.first;
    Vec3 low = begin->corner[0], high = low;
    for (const Facet* facet = begin; facet != begin + range.count; ++facet)
      for (const Vec3& corner : facet->corner) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
    const Vec3 middle = 0.5 * (low + high);
    double squared = 0.0;
    for (const Facet* facet = begin; facet != begin + range.count; ++facet)
      for (const Vec3& corner : facet->corner) squared = std::max(squared, (corner - middle).squaredNorm());
    const Cone cone = cone_around(range);
    for (int j = 0; j < 3; ++j) {
      bvh4_node.middle[j][i] = static_cast<float>(middle[j] - out_.middle[j]);
      bvh4_node.axis[j][i] = static_cast<float>(cone.axis[j]);
    }
    bvh4_node.radius[i] = static_cast<float>(std::sqrt(squared));
    const bool bounded = cone.angle < 0.5 * pi;
    bvh4_node.sine[i] = bounded ? static_cast<float>(math::sin(cone.angle)) : 1.0f;
    bvh4_node.cosine[i] = bounded ? static_cast<float>(math::cos(cone.angle)) : 0.0f;
    bvh4_node.child[i] = ~range.first;
  }

  Cone cone_around(const Range& range) const noexcept {
    Cone cone;
    for (std::int32_t k = range.first; k < range.first + range.count; ++k) cone.axis += cones_[k].axis;
    cone.axis.normalize();
    for (std::int32_t k = range.first; k < range.first + range.count && cone.angle < 0.5 * pi; ++k)
      cone.angle = std::max(cone.angle, cones_[k].angle + angle_between(cone.axis, cones_[k].axis));
    return cone;
  }

  Surface& out_;
  std::vector<Cone> cones_;
};

}  // namespace

void make_bvh4_nodes(Surface& out) { Builder(out).build(); }

}  // namespace contactlib::geometry

#include "regions.hpp"

#include <cmath>
#include <numeric>

namespace contactlib::geometry {

namespace {

// Sine of the angle between two faces, and of the size the height of a corner, that are rounding.
constexpr double no_bend = 1e-9, no_height = 1e-13;

std::int32_t root_of(std::vector<std::int32_t>& parents, std::int32_t f) noexcept {
  while (parents[f] != f) f = parents[f] = parents[parents[f]];
  return f;
}

std::vector<std::int32_t> join_faces(const Surface& surface) {
  std::vector<std::int32_t> parents(surface.faces.size());
  std::iota(parents.begin(), parents.end(), 0);
  for (const Edge& edge : surface.edges) {
    if (std::abs(edge.bend) > no_bend || !(surface.faces[edge.f0].n.dot(surface.faces[edge.f1].n) > 0.0)) continue;
    const std::int32_t a = root_of(parents, edge.f0), b = root_of(parents, edge.f1);
    parents[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t f = 0; f < parents.size(); ++f) parents[f] = root_of(parents, static_cast<std::int32_t>(f));
  return parents;
}

double twice_area(const Surface& surface, const Face& face) noexcept {
  const Vec3 p = surface.corner(face, 0);
  return (surface.corner(face, 1) - p).cross(surface.corner(face, 2) - p).norm();
}

}  // namespace

void find_regions(Surface& out) {
  if (!out.closed || out.loops.size() != 3 * out.faces.size()) return;
  const std::vector<std::int32_t> first = join_faces(out);
  // the plane of a region is that of its largest face
  std::vector<std::int32_t> largest(first);
  for (std::size_t f = 0; f < first.size(); ++f)
    if (twice_area(out, out.faces[f]) > twice_area(out, out.faces[largest[first[f]]]))
      largest[first[f]] = static_cast<std::int32_t>(f);
  std::vector<char> plane(first.size(), 1);
  for (std::size_t f = 0; f < first.size(); ++f) {
    const Face& of = out.faces[largest[first[f]]];
    for (int i = 0; i < 3; ++i)
      if (std::abs(of.n.dot(out.corner(out.faces[f], i)) - of.d) > no_height * out.size) plane[first[f]] = 0;
  }
  out.region_of_face.resize(first.size());
  std::vector<std::int32_t> number(first.size(), -1);
  for (std::size_t f = 0; f < first.size(); ++f) {
    const bool joined = plane[first[f]];
    const std::size_t key = joined ? first[f] : f;
    const Face& of = out.faces[joined ? largest[first[f]] : f];
    if (joined && number[key] >= 0) {
      out.region_of_face[f] = number[key];
      continue;
    }
    out.region_of_face[f] = static_cast<std::int32_t>(out.regions.size());
    if (joined) number[key] = out.region_of_face[f];
    out.regions.push_back({of.n, of.d});
  }
  out.region_of_node.assign(out.nodes.size(), -1);
  for (std::size_t k = out.nodes.size(); k-- > 0;) {  // children follow their parents
    const BoxNode& node = out.nodes[k];
    std::int32_t region = -1;
    if (node.count == 0) {
      region = out.region_of_node[node.first];
      if (region != out.region_of_node[node.first + 1]) region = -1;
    } else {
      region = out.region_of_face[out.order[node.first]];
      for (std::int32_t i = 1; i < node.count; ++i)
        if (out.region_of_face[out.order[node.first + i]] != region) region = -1;
    }
    out.region_of_node[k] = region;
  }
}

}  // namespace contactlib::geometry

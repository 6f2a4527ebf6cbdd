#include "flats.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib::geometry {

namespace {

constexpr double level = 1e-4;                       // rad: two triangles of one plane, and their rounding
constexpr double cos_sharp = 0.8660254037844386;     // 30 degrees: a real edge
constexpr double wide = 0.3;                         // of the face's own width: a narrower neighbour is a fillet
constexpr double parallel = 0.03;                    // sine squared between edges that count as parallel

// m, largest distance of a face from the line of one of its edges
double width_from(const Surface& s, const Face& face, const Edge& edge) noexcept {
  double most = 0.0;
  for (int i = 0; i < face.count; ++i)
    most = std::max(most, (s.corner(face, i) - s.vertices[edge.v0]).cross(edge.t).squaredNorm());
  return std::sqrt(most);
}

bool bends(const Surface& s, std::int32_t f, const Edge& edge) noexcept {
  if (edge.f1 < 0 || std::abs(edge.bend) < level) return false;
  if (s.faces[edge.f0].n.dot(s.faces[edge.f1].n) < cos_sharp) return false;
  const Face& other = s.faces[edge.f0 == f ? edge.f1 : edge.f0];
  return width_from(s, other, edge) > wide * width_from(s, s.faces[f], edge);
}

}  // namespace

// With m the directions across the edges that bend, the face is flat along the direction in which sum of m m^T is zero.
void find_flats(Surface& out) {
  out.flats.assign(out.faces.size(), {2, Vec3::Zero()});
  for (std::size_t f = 0; f < out.faces.size(); ++f) {
    const Face& face = out.faces[f];
    Vec3 first = Vec3::Zero();
    double across = 0.0;
    for (int i = 0; i < face.count; ++i) {
      const Edge& edge = out.edges[out.loop_edges[face.first + i]];
      if (!bends(out, static_cast<std::int32_t>(f), edge)) continue;
      if (first == Vec3::Zero()) first = edge.t;
      across = std::max(across, edge.t.cross(first).squaredNorm());
    }
    if (first != Vec3::Zero()) out.flats[f] = across < parallel ? FlatWays{1, first} : FlatWays{0, Vec3::Zero()};
  }
}

// The width of a face is that of a square as large; a face that is flat in all directions counts as infinitely wide.
void find_fineness(Surface& out) {
  std::vector<double> faces(out.vertices.size(), 0.0);
  out.fineness.assign(out.vertices.size(), 0.0);
  for (std::size_t f = 0; f < out.faces.size(); ++f) {
    const Face& face = out.faces[f];
    Vec3 twice = Vec3::Zero();
    for (int i = 2; i < face.count; ++i)
      twice += (out.corner(face, i - 1) - out.corner(face, 0)).cross(out.corner(face, i) - out.corner(face, 0));
    const double width = std::sqrt(0.5 * twice.norm());
    for (int i = 0; i < face.count; ++i) {
      const std::int32_t v = out.loops[face.first + i];
      if (out.flats[f].ways < 2 && width > 0.0) out.fineness[v] += 1.0 / width;
      faces[v] += 1.0;
    }
  }
  for (std::size_t v = 0; v < faces.size(); ++v)
    if (faces[v] > 0.0) out.fineness[v] /= faces[v];
}

}  // namespace contactlib::geometry

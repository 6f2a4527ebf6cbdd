#include "flats.hpp"

#include <algorithm>
#include <cmath>

#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double level = 1e-4;                       // rad: two triangles of one plane, and their rounding
constexpr double cos_sharp = 0.8660254037844386;     // 30 degrees: a real edge
constexpr double wide = 0.3;                         // of the plane's own width: a narrower neighbour is a fillet
constexpr double pi = 3.14159265358979323846;
constexpr double parallel = 0.03;                    // sine squared between edges that count as parallel

// The faces of a surface, by connected parts of a plane.
class Planes {
 public:
  explicit Planes(const Surface& surface) : s_(surface), of_(surface.faces.size(), -1) {
    for (std::size_t f = 0; f < of_.size(); ++f)
      if (of_[f] < 0) grow(static_cast<std::int32_t>(f));
    first_.push_back(static_cast<std::int32_t>(faces_.size()));
  }

  std::size_t count() const noexcept { return far_.size(); }

  template <class Visit>
  void for_each_face(std::size_t plane, const Visit& visit) const {
    for (std::int32_t k = first_[plane]; k < first_[plane + 1]; ++k) visit(faces_[k]);
  }

  template <class Visit>
  void for_each_outer_edge(std::size_t plane, const Visit& visit) const {
    for_each_face(plane, [&](std::int32_t f) {
      const Face& face = s_.faces[f];
      for (int i = 0; i < face.count; ++i) {
        const Edge& edge = s_.edges[s_.loop_edges[face.first + i]];
        if (edge.f1 < 0 || of_[edge.f0] != of_[edge.f1]) visit(f, edge);
      }
    });
  }

  // Across an edge of face f it approximates a curved surface.
  bool bends(std::int32_t f, const Edge& edge) const noexcept {
    if (edge.f1 < 0 || std::abs(edge.bend) < level) return false;
    if (s_.faces[edge.f0].n.dot(s_.faces[edge.f1].n) < cos_sharp) return false;
    const std::int32_t other = edge.f0 == f ? edge.f1 : edge.f0;
    return width_from(of_[other], edge) > wide * width_from(of_[f], edge);
  }

 private:
  static constexpr int directions = 32;  // a width by its furthest corners in these is 0.5 % too small at most

  // The plane of a face: its neighbours in that plane, theirs, and so on.
  void grow(std::int32_t f) {
    const auto plane = static_cast<std::int32_t>(far_.size());
    const Vec3& n = s_.faces[f].n;
    first_.push_back(static_cast<std::int32_t>(faces_.size()));
    faces_.push_back(f), of_[f] = plane;
    for (std::size_t k = first_.back(); k < faces_.size(); ++k) {
      const Face& face = s_.faces[faces_[k]];
      for (int i = 0; i < face.count; ++i) {
        const Edge& edge = s_.edges[s_.loop_edges[face.first + i]];
        const std::int32_t next = edge.f0 == faces_[k] ? edge.f1 : edge.f0;
        if (next < 0 || of_[next] >= 0 || !(std::abs(edge.bend) < level)) continue;
        if (n.dot(s_.faces[next].n) > 0.0 && n.cross(s_.faces[next].n).norm() < level)
          faces_.push_back(next), of_[next] = plane;
      }
    }
    far_.emplace_back();
    if (faces_.size() - first_.back() > directions) find_far_corners(n, far_.back());
  }

  // Of the last plane, n its normal.
  void find_far_corners(const Vec3& n, std::vector<Vec3>& far) const {
    const Face& face = s_.faces[faces_[first_.back()]];
    const Vec3& e = s_.edges[s_.loop_edges[face.first]].t;
    for (int k = 0; k < directions; ++k) {
      const auto [sine, cosine] = math::sin_cos(2.0 * pi * k / directions);
      const Vec3 m = cosine * e + sine * n.cross(e);
      far.push_back(s_.corner(face, 0));
      for (std::size_t j = first_.back(); j < faces_.size(); ++j)
        for (int i = 0; i < s_.faces[faces_[j]].count; ++i) {
          const Vec3& x = s_.corner(s_.faces[faces_[j]], i);
          if (m.dot(x - far.back()) > 0.0) far.back() = x;
        }
    }
  }

  // m, largest distance of a plane from the line of one of its edges
  double width_from(std::int32_t plane, const Edge& edge) const noexcept {
    double most = 0.0;
    const auto see = [&](const Vec3& x) noexcept {
      most = std::max(most, (x - s_.vertices[edge.v0]).cross(edge.t).squaredNorm());
    };
    for (const Vec3& x : far_[plane]) see(x);
    if (!far_[plane].empty()) return std::sqrt(most);
    for_each_face(plane, [&](std::int32_t f) noexcept {
      for (int i = 0; i < s_.faces[f].count; ++i) see(s_.corner(s_.faces[f], i));
    });
    return std::sqrt(most);
  }

  const Surface& s_;
  std::vector<std::int32_t> of_;            // plane of each face
  std::vector<std::int32_t> faces_, first_;  // faces by plane, and where those of each plane begin
  std::vector<std::vector<Vec3>> far_;      // of each plane: its furthest corners, if it has many faces
};

}  // namespace

// With m the directions across the outer edges of a plane that bend, its faces are flat along the direction in which sum
// of m m^T is zero. Two triangles of a curved mesh may lie in one plane by chance: together they are as curved as others.
void find_flats(Surface& out) {
  out.flats.assign(out.faces.size(), {2, Vec3::Zero()});
  const Planes planes(out);
  for (std::size_t plane = 0; plane < planes.count(); ++plane) {
    Vec3 first = Vec3::Zero();
    double across = 0.0;
    planes.for_each_outer_edge(plane, [&](std::int32_t f, const Edge& edge) {
      if (!planes.bends(f, edge)) return;
      if (first == Vec3::Zero()) first = edge.t;
      across = std::max(across, edge.t.cross(first).squaredNorm());
    });
    if (first == Vec3::Zero()) continue;
    const FlatWays ways = across < parallel ? FlatWays{1, first} : FlatWays{0, Vec3::Zero()};
    planes.for_each_face(plane, [&](std::int32_t f) { out.flats[f] = ways; });
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

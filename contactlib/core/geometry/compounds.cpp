#include "compounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "geometry/surface/reference_area.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

namespace {

// Relative to the size of two shapes: distances, and areas that count as none or as all. Decompositions have corners in
// single precision.
constexpr double flush = 1e-6;
constexpr int most_inner = 64;  // bits of Shape::inner_faces

// A face in its body's axes.
struct Wall {
  std::vector<Vec3> corners;
  Vec3 n;
  double d;
};

Wall wall_of(const Shape& shape, const Face& face) {
  Wall wall{{}, shape.R_BS * face.n, 0.0};
  for (int i = 0; i < face.count; ++i) wall.corners.push_back(shape.R_BS * shape.surface->corner(face, i) + shape.p_BS);
  wall.d = wall.n.dot(wall.corners[0]);
  return wall;
}

double area_of(const std::vector<Vec3>& corners) noexcept {
  Vec3 twice = Vec3::Zero();
  for (std::size_t i = 2; i < corners.size(); ++i)
    twice += (corners[i - 1] - corners[0]).cross(corners[i] - corners[0]);
  return 0.5 * twice.norm();
}

// The part of `subject` inside the prism over the convex polygon `by` with the normal n.
std::vector<Vec3> common_part(std::vector<Vec3> subject, const std::vector<Vec3>& by, const Vec3& n) {
  for (std::size_t i = 0, last = by.size() - 1; i < by.size() && !subject.empty(); last = i++) {
    const Vec3 inward = n.cross(by[i] - by[last]);
    std::vector<Vec3> kept;
    for (std::size_t j = 0, before = subject.size() - 1; j < subject.size(); before = j++) {
      const double a = inward.dot(subject[before] - by[last]), b = inward.dot(subject[j] - by[last]);
      if ((a < 0.0) != (b < 0.0)) kept.push_back(subject[before] + a / (a - b) * (subject[j] - subject[before]));
      if (b >= 0.0) kept.push_back(subject[j]);
    }
    subject.swap(kept);
  }
  return subject;
}

// Two shapes of a body.
class Neighbours {
 public:
  Neighbours(const Shape& a, const Shape& b) noexcept : a_(a), b_(b), near_(flush * (a.bound + b.bound)) {}

  struct Touch {
    std::size_t f, g;  // faces of a and of b
    double area;       // m2
    bool same;         // all of both faces
  };

  // Where the two touch, if they continue each other's faces.
  std::vector<Touch> touches() const {
    std::vector<Touch> found;
    bool continued = false;
    for (std::size_t f = 0; f < a_.surface->faces.size(); ++f)
      for (std::size_t g = 0; g < b_.surface->faces.size(); ++g) {
        continued = continued || in_one_plane(f, g, 1.0);
        if (!in_one_plane(f, g, -1.0)) continue;
        const Wall own = wall_of(a_, a_.surface->faces[f]), other = wall_of(b_, b_.surface->faces[g]);
        const double area = area_of(common_part(other.corners, own.corners, own.n));
        const double of_own = area_of(own.corners), of_other = area_of(other.corners);
        if (!(area > flush * std::min(of_own, of_other))) continue;
        found.push_back({f, g, area, area > (1.0 - 10.0 * flush) * std::max(of_own, of_other)});
      }
    if (!continued) found.clear();
    return found;
  }

  // Whether all faces around face f of a go on, in their planes, beyond face g of b.
  bool goes_on(const Touch& touch) const {
    for (const std::size_t f : around(*a_.surface, touch.f)) {
      const std::vector<std::size_t> others = around(*b_.surface, touch.g);
      if (std::none_of(others.begin(), others.end(), [&](std::size_t g) { return in_one_plane(f, g, 1.0); }))
        return false;
    }
    return true;
  }

 private:
  bool in_one_plane(std::size_t f, std::size_t g, double sign) const noexcept {
    const Face &own = a_.surface->faces[f], &other = b_.surface->faces[g];
    const Vec3 n = a_.R_BS * own.n, m = b_.R_BS * other.n;
    if ((n - sign * m).norm() > flush) return false;
    return std::abs(own.d + n.dot(a_.p_BS) - sign * (other.d + m.dot(b_.p_BS))) < near_;
  }

  static std::vector<std::size_t> around(const Surface& surface, std::size_t f) {
    std::vector<std::size_t> faces;
    for (int i = 0; i < surface.faces[f].count; ++i) {
      const Edge& edge = surface.edges[surface.loop_edges[surface.faces[f].first + i]];
      const std::int32_t other = edge.f0 == static_cast<std::int32_t>(f) ? edge.f1 : edge.f0;
      if (other >= 0) faces.push_back(static_cast<std::size_t>(other));
    }
    return faces;
  }

  const Shape &a_, &b_;
  const double near_;  // m
};

// The compounds of one body: which shapes belong together, and the areas of their faces that are not covered.
class Compounds {
 public:
  Compounds(std::vector<Shape>& shapes, std::vector<std::int32_t> members)
      : shapes_(shapes), members_(std::move(members)) {
    std::sort(members_.begin(), members_.end(), [&](std::int32_t a, std::int32_t b) { return low(a) < low(b); });
  }

  void find() {
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (std::size_t j = i + 1; j < members_.size() && low(members_[j]) <= high(members_[i]); ++j)
        join(std::min(members_[i], members_[j]), std::max(members_[i], members_[j]));
    std::map<std::int32_t, std::vector<FaceArea>> areas;
    for (const auto& [shape, covered] : covered_) {
      std::vector<FaceArea>& faces = areas[shapes_[shape].compound];
      for (std::size_t f = 0; f < covered.size(); ++f) {
        const Wall wall = wall_of(shapes_[shape], shapes_[shape].surface->faces[f]);
        faces.push_back({wall.n, std::max(0.0, area_of(wall.corners) - covered[f])});
      }
    }
    for (const auto& [shape, covered] : covered_)
      shapes_[shape].reference_area = reference_area(areas[shapes_[shape].compound]);
  }

 private:
  double low(std::int32_t i) const noexcept { return shapes_[i].p_BC[0] - shapes_[i].bound; }
  double high(std::int32_t i) const noexcept { return shapes_[i].p_BC[0] + shapes_[i].bound; }

  void join(std::int32_t i, std::int32_t j) {
    Shape &a = shapes_[i], &b = shapes_[j];
    if (a.kind != b.kind || a.material != b.material) return;
    if ((a.p_BC - b.p_BC).norm() > (1.0 + flush) * (a.bound + b.bound)) return;
    const Neighbours two(a, b);
    const auto touches = two.touches();
    if (touches.empty()) return;
    unite(i, j);
    covered_[i].resize(a.surface->faces.size()), covered_[j].resize(b.surface->faces.size());
    for (const auto& touch : touches) {
      covered_[i][touch.f] += touch.area, covered_[j][touch.g] += touch.area;
      if (!touch.same || touch.f >= most_inner || touch.g >= most_inner || !two.goes_on(touch)) continue;
      a.inner_faces |= std::uint64_t{1} << touch.f, b.inner_faces |= std::uint64_t{1} << touch.g;
    }
  }

  void unite(std::int32_t i, std::int32_t j) noexcept {
    const std::int32_t one = compound_of(shapes_, i), two = compound_of(shapes_, j), first = std::min(one, two);
    for (const std::int32_t k : members_)
      if (const std::int32_t own = compound_of(shapes_, k); own == one || own == two) shapes_[k].compound = first;
  }

  std::vector<Shape>& shapes_;
  std::vector<std::int32_t> members_;
  std::map<std::int32_t, std::vector<double>> covered_;  // m2, of every face
};

}  // namespace

void find_compounds(std::vector<Shape>& shapes) {
  std::map<std::int32_t, std::vector<std::int32_t>> members;  // of bodies
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    const bool flat = shape.kind == ShapeKind::box || shape.kind == ShapeKind::polyhedron;
    if (flat && !(swept_radius(shape) > 0.0)) members[shape.body].push_back(static_cast<std::int32_t>(i));
  }
  for (auto& [body, own] : members)
    if (own.size() > 1) Compounds(shapes, std::move(own)).find();
}

}  // namespace contactlib::geometry

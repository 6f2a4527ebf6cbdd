#include "mesh_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface/nearest.hpp"
#include "polygon_cut.hpp"
#include "quadrature.hpp"

namespace contactlib::geometry {

namespace {

// Sine of the angle between two faces below which their edge has no wedge: less than rounding of the field.
constexpr double no_wedge = 1e-9;
constexpr double thinnest = 1e-13;  // of the mesh's size: a part that is thinner is rounding
constexpr int most_facets = 24;  // near a polygon; with more it is divided
constexpr int most_divisions = 40;

enum class Kind { face, edge, vertex };

// A feature of the mesh with the part of the polygon in its normal cone.
struct Feature {
  Kind kind;
  bool inside;
  Vec3 at, along;  // a point of it; unit, of a face outward, of an edge along it
  int first, count;  // corners
  int first_wall, walls;
  double low, high;  // m, distance
  Vec3 box_low, box_high;

  double distance(const Vec3& x) const noexcept {
    const Vec3 u = x - at;
    if (kind == Kind::face) return inside ? -along.dot(u) : along.dot(u);
    if (kind == Kind::edge) return (u - along.dot(u) * along).norm();
    return u.norm();
  }
  // Unit, out of the solid, where the feature is the nearest, from inside.
  Vec3 outward(const Vec3& x) const noexcept {
    if (kind == Kind::face) return along;
    const Vec3 u = x - at, w = kind == Kind::edge ? Vec3(u - along.dot(u) * along) : u;
    const double length = w.norm();
    return length > 0.0 ? Vec3(w / -length) : Vec3(Vec3::UnitZ());
  }
};

// x is in the cone of a feature where n.x <= d for all of its walls; n unit.
struct Wall {
  Vec3 n;
  double d;
  double height(const Vec3& x) const noexcept { return n.dot(x) - d; }
};

class Envelope {
 public:
  Envelope(const Surface& mesh, const Vec3& n_S, SurfaceScratch& out) noexcept : mesh_(mesh), n_S_(n_S), out_(out) {}

  void add(const Vec3* polygon, int count, int divisions) noexcept;

 private:
  void divide(const Vec3* polygon, int count, int divisions) noexcept;
  void add_features(const Facet& facet) noexcept;
  void add_face(const Facet& facet) noexcept;
  void add_edge(const Facet& facet, int i) noexcept;
  void add_vertex(const Facet& facet, int i) noexcept;
  int within(std::size_t first, Vec3*& a, Vec3*& b) noexcept;
  void keep(Feature feature, const Vec3* cut, int count) noexcept;
  void add_lowest(std::size_t i) noexcept;
  void add_part(const Feature& feature, const Vec3* x, int count) noexcept;

  const Surface& mesh_;
  const Vec3& n_S_;
  SurfaceScratch& out_;
  const Vec3* polygon_ = nullptr;
  int count_ = 0;
  std::vector<Feature> features_;   // TODO prototype
  std::vector<Vec3> corners_;
  std::vector<Wall> walls_;
};

template <class Height>
int cut_by(const Vec3* in, int count, const Height& height, Vec3* out) noexcept {
  double heights[256];
  for (int i = 0; i < count; ++i) heights[i] = height(in[i]);
  return cut(in, heights, count, out);
}

template <class Height>
int cut_in_place(Vec3*& a, Vec3*& b, int count, const Height& height) noexcept {
  if (count < 3) return 0;
  const int left = cut_by(a, count, height, b);
  std::swap(a, b);
  return left < 3 ? 0 : left;
}

void Envelope::keep(Feature feature, const Vec3* x, int count) noexcept {
  feature.first = static_cast<int>(corners_.size()), feature.count = count;
  feature.low = std::numeric_limits<double>::infinity(), feature.high = 0.0;
  feature.box_low = feature.box_high = x[0];
  for (int i = 0; i < count; ++i) {
    const double d = feature.distance(x[i]);
    feature.low = std::min(feature.low, d), feature.high = std::max(feature.high, d);
    feature.box_low = feature.box_low.cwiseMin(x[i]), feature.box_high = feature.box_high.cwiseMax(x[i]);
    corners_.push_back(x[i]);
  }
  // an edge or a vertex is nearest between the corners
  if (feature.kind != Kind::face) {
    double rad = (feature.box_high - feature.box_low).norm();
    feature.low = std::max(0.0, feature.low - rad);
  }
  features_.push_back(feature);
}

// The part of the polygon behind the walls from `first` on.
int Envelope::within(std::size_t first, Vec3*& a, Vec3*& b) noexcept {
  int count = count_;
  std::copy_n(polygon_, count, a);
  for (std::size_t k = first; k < walls_.size() && count; ++k)
    count = cut_in_place(a, b, count, [&](const Vec3& x) noexcept { return walls_[k].height(x); });
  if (!count) walls_.resize(first);
  return count;
}

void Envelope::add_face(const Facet& facet) noexcept {
  const std::size_t first = walls_.size();
  for (int i = 0; i < 3; ++i) {
    const Vec3 m = (facet.corner[(i + 1) % 3] - facet.corner[i]).cross(facet.n).normalized();
    walls_.push_back({m, m.dot(facet.corner[i])});
  }
  Vec3 room_a[64], room_b[64], room_c[64], *a = room_a, *b = room_b;
  const int count = within(first, a, b);
  if (!count) return;
  for (const double side : {1.0, -1.0}) {
    const int left = cut_by(a, count, [&](const Vec3& x) noexcept { return side * facet.n.dot(x - facet.corner[0]); }, room_c);
    if (left < 3) continue;
    const std::size_t at = walls_.size();
    for (int i = 0; i < 3; ++i) walls_.push_back(Wall(walls_[first + i]));
    walls_.push_back({side * facet.n, side * facet.n.dot(facet.corner[0])});
    keep({Kind::face, side > 0.0, facet.corner[0], facet.n, 0, 0, static_cast<int>(at), 4, 0, 0, {}, {}}, room_c, left);
  }
}

void Envelope::add_edge(const Facet& facet, int i) noexcept {
  const Edge& edge = mesh_.edges[facet.edge[i]];
  if (edge.f1 < 0 || std::abs(edge.bend) < no_wedge) return;
  const Vec3 &p = mesh_.vertices[edge.v0], &q = mesh_.vertices[edge.v1];
  const Vec3 m0 = edge.t.cross(mesh_.faces[edge.f0].n), m1 = mesh_.faces[edge.f1].n.cross(edge.t);
  const std::size_t first = walls_.size();
  for (const Vec3& m : {Vec3(-m0), Vec3(-m1), Vec3(-edge.t)}) walls_.push_back({m, m.dot(p)});
  walls_.push_back({edge.t, edge.t.dot(q)});
  Vec3 room_a[64], room_b[64], *a = room_a, *b = room_b;
  const int count = within(first, a, b);
  if (!count) return;
  keep({Kind::edge, edge.bend < 0.0, p, edge.t, 0, 0, static_cast<int>(first), 4, 0, 0, {}, {}}, a, count);
}

void Envelope::add_vertex(const Facet& facet, int i) noexcept {
  const std::int32_t v = facet.vertex[i];
  const Vec3& p = mesh_.vertices[v];
  const std::size_t first = walls_.size();
  for (std::int32_t k = mesh_.first_incident_edge[v]; k < mesh_.first_incident_edge[v + 1]; ++k) {
    const Vec3& t = mesh_.incident_edges[k].t;
    walls_.push_back({t, t.dot(p)});
  }
  const int walls = static_cast<int>(walls_.size() - first);
  Vec3 room_a[256], room_b[256], *a = room_a, *b = room_b;
  const int count = within(first, a, b);
  if (!count) return;
  Vec3 middle = Vec3::Zero();
  for (int k = 0; k < count; ++k) middle += a[k];
  middle /= count;
  keep({Kind::vertex, (middle - p).dot(mesh_.vertex_normals[v]) < 0.0, p, Vec3::Zero(), 0, 0, static_cast<int>(first),
        walls, 0, 0, {}, {}}, a, count);
}

void Envelope::add_features(const Facet& facet) noexcept {
  add_face(facet);
  for (int i = 0; i < 3; ++i) {
    if (facet.owns & its_edge << i) add_edge(facet, i);
    if ((facet.owns & its_vertex << i) && (facet.owns & near_vertex << i)) add_vertex(facet, i);
  }
}

void Envelope::add_part(const Feature& feature, const Vec3* x, int count) noexcept {
  double around = 0.0, twice = 0.0;
  for (int i = 0; i < count; ++i) around += (x[(i + 1) % count] - x[i]).norm();
  for (int i = 2; i < count; ++i) twice += (x[i - 1] - x[0]).cross(x[i] - x[0]).dot(n_S_);
  if (!(twice > thinnest * mesh_.size * around)) return;
  if (feature.kind == Kind::face) {
    double extents[256];
    for (int i = 0; i < count; ++i) extents[i] = feature.distance(x[i]);
    return geometry::add_piece(x, extents, count, n_S_, feature.along, out_);
  }
  const Quadrature& rule = quadrature(4);
  for (int i = 2; i < count; ++i) {
    const double area = 0.5 * (x[i - 1] - x[0]).cross(x[i] - x[0]).norm();
    for (const Quadrature::Point* p = rule.points; p < rule.points + rule.count; ++p) {
      const Vec3 y = p->a * x[0] + p->b * x[i - 1] + p->c * x[i];
      add_point(y, feature.distance(y), p->weight * area, n_S_, feature.outward(y), out_);
    }
  }
}

// The part of feature i's polygon on which no other feature is nearer.
void Envelope::add_lowest(std::size_t i) noexcept {
  const Feature& f = features_[i];
  using Part = std::vector<Vec3>;
  std::vector<Part> parts{Part(corners_.begin() + f.first, corners_.begin() + f.first + f.count)};
  Vec3 room_a[256], room_b[256], room_c[256];
  for (std::size_t j = 0; j < features_.size() && !parts.empty(); ++j) {
    if (j == i) continue;
    const Feature& g = features_[j];
    if (g.low > f.high) continue;
    if ((g.box_low.array() > f.box_high.array()).any() || (g.box_high.array() < f.box_low.array()).any()) continue;
    std::vector<Part> next;
    for (Part& part : parts) {
      Vec3 *a = room_a, *b = room_b;
      int count = static_cast<int>(part.size());
      std::copy_n(part.data(), count, a);
      std::vector<Part> outside;
      const auto take = [&](const auto& height, double rounding) noexcept {  // keeps height < 0, the rest is `outside`
        const Halves halves = split(a, count, height, rounding, b, room_c);
        if (halves.above > 2) outside.emplace_back(room_c, room_c + halves.above);
        std::swap(a, b);
        count = halves.below < 3 ? 0 : halves.below;
      };
      for (int k = g.first_wall; k < g.first_wall + g.walls && count; ++k)
        take([&](const Vec3& x) noexcept { return walls_[k].height(x); }, 1e-15 * mesh_.size);
      if (!count) {
        next.push_back(std::move(part));
        continue;
      }
      // in both cones
      const auto nearer = [&](const Vec3& x) noexcept { return g.distance(x) - f.distance(x); };
      const bool linear = f.kind == Kind::face && g.kind == Kind::face;
      double least = std::numeric_limits<double>::infinity(), most = -least;
      Vec3 middle = Vec3::Zero();
      for (int k = 0; k < count; ++k) {
        const double d = nearer(a[k]);
        least = std::min(least, d), most = std::max(most, d);
        middle += a[k];
      }
      middle /= count;
      if (!linear) least = std::min(least, nearer(middle));
      const bool tie = most <= 1e-15 * mesh_.size && least >= -1e-15 * mesh_.size;
      if (tie ? j > i : least >= 0.0) {
        next.push_back(std::move(part));
        continue;
      }
      for (Part& o : outside) next.push_back(std::move(o));
      if (tie || most <= 0.0) continue;
      if (linear) {
        const Halves halves = split(a, count, nearer, 1e-15 * mesh_.size, b, room_c);
        if (halves.above > 2) next.emplace_back(room_c, room_c + halves.above);
        continue;
      }
      for (int k = 0; k < count; ++k) {
        const Vec3 triangle[3] = {middle, a[k], a[(k + 1) % count]};
        const Halves halves = split(triangle, 3, nearer, 1e-15 * mesh_.size, b, room_c);
        if (halves.above > 2) next.emplace_back(room_c, room_c + halves.above);
      }
    }
    parts.swap(next);
  }
  for (const Part& part : parts) add_part(f, part.data(), static_cast<int>(part.size()));
}

void Envelope::divide(const Vec3* polygon, int count, int divisions) noexcept {
  // across its longest extent along a coordinate
  Vec3 low = polygon[0], high = polygon[0];
  for (int i = 1; i < count; ++i) low = low.cwiseMin(polygon[i]), high = high.cwiseMax(polygon[i]);
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const double at = 0.5 * (low[axis] + high[axis]);
  for (const double side : {1.0, -1.0}) {
    Vec3 half[64];
    const int left = cut_by(polygon, count, [&](const Vec3& x) noexcept { return side * (x[axis] - at); }, half);
    if (left > 2) add(half, left, divisions + 1);
  }
}

void Envelope::add(const Vec3* polygon, int count, int divisions) noexcept {
  Vec3 middle = Vec3::Zero();
  for (int i = 0; i < count; ++i) middle += polygon[i];
  middle /= count;
  double radius = 0.0;
  for (int i = 0; i < count; ++i) radius = std::max(radius, (polygon[i] - middle).norm());
  Place place;
  if (squared_distance(mesh_.nodes[0], middle) > radius * radius) return;
  if (!nearest_place(mesh_, middle, std::numeric_limits<double>::infinity(), place) || place.phi > radius) return;
  const double reach = std::abs(place.phi) + 2.0 * radius;
  int near = 0;
  const auto meets = [&](const BoxNode& node) noexcept { return squared_distance(node, middle) <= reach * reach; };
  for_each_facet(mesh_, meets, [&](const Facet& facet) noexcept {
    Foot foot;
    near += foot_on(facet, middle, reach * reach, foot);
  });
  if (near > most_facets && divisions < most_divisions) return divide(polygon, count, divisions);
  polygon_ = polygon, count_ = count;
  features_.clear(), corners_.clear(), walls_.clear();
  for_each_facet(mesh_, meets, [&](const Facet& facet) noexcept {
    Foot foot;
    if (foot_on(facet, middle, reach * reach, foot)) add_features(facet);
  });
  for (std::size_t i = 0; i < features_.size(); ++i)
    if (features_[i].inside) add_lowest(i);
}

}  // namespace

void add_polygon(const Surface& mesh, int count, const Vec3& n_S, SurfaceScratch& out) noexcept {
  Vec3 polygon[64];
  std::copy_n(out.polygon[0].data(), count, polygon);
  Envelope(mesh, n_S, out).add(polygon, count, 0);
}

}  // namespace contactlib::geometry

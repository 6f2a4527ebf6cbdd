#include "support.hpp"

#include "wheel.hpp"

namespace contactlib::geometry {

namespace {

// Incident edges of solids without a surface: a point, and a segment's two ends.
constexpr std::int32_t no_incident_edges[2] = {0, 0}, end_incident_edges[3] = {0, 1, 2};

constexpr double half_length(const Shape& shape) noexcept {
  return shape.kind == ShapeKind::ellipsoid ? 0.0 : 0.5 * shape.size[1];
}

}  // namespace

int furthest_corner(const Corners& c, const Vec3& n, int start) noexcept {
  return furthest_corner_in_lanes<TwoLanes>(c, n, start);
}

namespace {

struct Climb {
  template <class Lanes>
  static void run(const MinkowskiDifference& D, const Vec3& n, int* const& a, int* const& b) noexcept {
    climb_in_lanes<Lanes>(D, n, *a, *b);
  }
};

}  // namespace

void climb(const MinkowskiDifference& D, const Vec3& n, int& a, int& b) noexcept {
  math::in_lanes<Climb>(wheel_lanes, D, n, &a, &b);
}

int face_along(const Surface& surface, int v, const Vec3& n) noexcept {
  int best = -1;
  double most = -2.0;
  for (int k = surface.first_incident_edge[v]; k < surface.first_incident_edge[v + 1]; ++k) {
    const int face = surface.incident_edges[k].face;
    if (face < 0) continue;
    const double along = surface.faces[face].n.dot(n);
    best = pick(along > most, face, best);
    most = std::max(most, along);
  }
  return best;
}

Solid::Solid(const SolidSource& source) noexcept : shape(source.shape) {
  const Shape& s = shape;
  if (source.corners) {
    corners = *source.corners;
    return;
  }
  if (s.surface) {
    const Surface& surface = *s.surface;
    corners = {surface.vertices.data(),
               surface.first_incident_edge.data(),
               surface.incident_edges.data(),
               surface.wheels.data(),
               surface.edges.data(),
               surface.furthest,
               static_cast<std::int32_t>(surface.vertices.size())};
    return;
  }
  const double half = half_length(s);
  ends_[0] = Vec3(0.0, 0.0, -half);
  ends_[1] = Vec3(0.0, 0.0, half);
  axis_ = {0, 1, -1, -1, Vec3::UnitZ(), 2.0 * half, 0.0};
  incident_edges_[0] = {Vec3::UnitZ(), 1, 0, -1, -1};
  incident_edges_[1] = {-Vec3::UnitZ(), 0, 0, -1, -1};
  corners = {ends_,
             half > 0.0 ? end_incident_edges : no_incident_edges,
             incident_edges_,
             nullptr,
             &axis_,
             nullptr,
             half > 0.0 ? 2 : 1};
  if (s.kind == ShapeKind::ellipsoid) radii = Vec3(s.size[0], s.size[1], s.size[2]);
  if (s.kind == ShapeKind::cylinder) radii = Vec3(s.size[0], s.size[0], 0.0);
}

double Solid::bend(const Vec3& n, const Vec3& u, const Vec3& v) const noexcept {
  const Vec3 rn = radii.cwiseProduct(n), ru = radii.cwiseProduct(u), rv = radii.cwiseProduct(v);
  const double squared = rn.squaredNorm();
  if (!(squared > along_axis * along_axis * radii[0] * radii[0])) return 0.0;
  return (ru.dot(rv) - ru.dot(rn) * rv.dot(rn) / squared) / std::sqrt(squared);
}

double Solid::rolling() const noexcept {
  return is_round() ? radii.minCoeff() * radii.minCoeff() / radii.maxCoeff() : 0.0;
}

}  // namespace contactlib::geometry

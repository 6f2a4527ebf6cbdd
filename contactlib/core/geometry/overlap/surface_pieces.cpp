#include "surface_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "gauss.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

namespace {

// Surfaces that are nearly at a right angle neither rub nor damp: a side wall of a solid that stands on a face.
constexpr double least_facing = 0.01;

double facing_of(const Vec3& n_S, const Vec3& n, const FieldFrame& frame) noexcept {
  const double product = -n.dot(n_S), facing = frame.sheet ? std::abs(product) : product;
  return std::max(0.0, (facing - least_facing) / (1.0 - least_facing));
}

std::size_t most_corners(const Shape& shape) noexcept {
  std::size_t most = 0;
  if (shape.surface)
    for (const Face& face : shape.surface->faces) most = std::max(most, static_cast<std::size_t>(face.count));
  return most;
}

std::size_t most_edges(const Surface& surface) noexcept {
  std::int32_t most = 0;
  for (std::size_t v = 0; v < surface.vertices.size(); ++v)
    most = std::max(most, surface.first_incident_edge[v + 1] - surface.first_incident_edge[v]);
  return static_cast<std::size_t>(most);
}

// Sets centre and covariance from moments about the first corner of a fan.
void place_piece(const Fan& fan, const double* sums, SurfacePiece& piece) noexcept {
  const double by = 1.0 / sums[PieceTriangles::weight];
  const double u = by * sums[PieceTriangles::u], v = by * sums[PieceTriangles::v];
  piece.centre = fan.x + u * fan.t_u + v * fan.t_v;
  piece.t_u = fan.t_u, piece.t_v = fan.t_v;
  piece.uu = by * sums[PieceTriangles::uu] - u * u, piece.uv = by * sums[PieceTriangles::uv] - u * v;
  piece.vv = by * sums[PieceTriangles::vv] - v * v;
}

void add_triangles(const Corner* x, int first, int last, PieceTriangles& out) noexcept {
  const double a = std::max(0.0, x[0].e) / extent_unit;
  for (int i = first + 1; i <= last; ++i) {
    const Corner &b = x[i - 1], &c = x[i];
    const std::size_t k = out.count++;
    out.a[k] = a, out.b[k] = std::max(0.0, b.e) / extent_unit, out.c[k] = std::max(0.0, c.e) / extent_unit;
    out.bu[k] = b.u - x[0].u, out.bv[k] = b.v - x[0].v, out.cu[k] = c.u - x[0].u, out.cv[k] = c.v - x[0].v;
  }
}

}  // namespace

void outline_line(const Vec3& x0, const Vec3& x1, SurfaceScratch& out) noexcept {
  if (!out.outlines) return;
  out.outlines->add_part();
  out.outlines->add_corner(x0, 0.0), out.outlines->add_corner(x1, 0.0);
}

void SurfacePoints::resize(std::size_t wanted) {
  for (std::vector<double>* column :
       {&x, &y, &z, &nx, &ny, &nz, &facing, &sx, &sy, &sz, &borne, &weight, &load, &share})
    column->resize(wanted);
}

void SurfaceScratch::resize(std::size_t wanted) {
  pieces.resize((wanted + points_of_a_piece - 1) / points_of_a_piece);
  for (SurfacePoints* each : {&points, &sliding, &joined}) each->resize(capacity() + points_of_a_piece);
}

void MeshScratch::grow_capacity(std::size_t most_edges) {
  const auto grow = [](auto& vector, std::size_t wanted) { vector.resize(std::max(vector.size(), wanted)); };
  grow(near, 512), grow(features, 2048), grow(bounds, features.size()), grow(others, features.size()),
      grow(parts, 1024), grow(lowest, 4096);
  grow(walls, 8192 + 4 * most_edges), grow(corners, 32768 + 8 * most_edges), grow(lowest_corners, 16384);
  grow(heights, 16384);
}

void SurfaceScratch::grow_capacity(const Shape& A, const Shape& B) {
  std::size_t faces = 1, vertices = 8, most = 0;
  for (const Shape* shape : {&A, &B}) {
    if (!shape->surface) continue;
    if (shape->kind == ShapeKind::mesh) mesh.grow_capacity(most_edges(*shape->surface));
    if (shape->kind != ShapeKind::mesh) {
      faces = std::max(faces, shape->surface->faces.size());
      vertices = std::max(vertices, shape->surface->vertices.size());
    }
    most = std::max(most, most_corners(*shape));
  }
  // a cut adds at most one corner; a cell is cut once more by each face
  most = std::max<std::size_t>(most, 4) + 2 * faces + 2;
  for (std::vector<Corner>& one : polygon) one.resize(std::max(one.size(), most));
  heights.resize(std::max(heights.size(), most));
  vertex_heights.resize(std::max(vertex_heights.size(), vertices));
  slopes.resize(std::max(slopes.size(), faces)), least.resize(slopes.size()), nearest.resize(slopes.size()),
      chosen.resize(slopes.size()), side_faces.resize(slopes.size());
}

void SurfaceScratch::integrate() noexcept {
  if (fan_count == 0) return;
  triangles.integrate(sharpness);
  std::size_t kept = fans[0].piece;
  for (std::size_t k = 0; k < fan_count; ++k) {
    const Fan& fan = fans[k];
    double sums[PieceTriangles::moments];
    for (int m = 0; m < PieceTriangles::moments; ++m) {
      const double* const column = triangles.integral[m] + fan.first;
      sums[m] = column[0];
      for (std::uint32_t i = 1; i < fan.count; ++i) sums[m] += column[i];
    }
    if (!(sums[PieceTriangles::weight] > 0.0)) continue;
    const double by = 0.5 * fan.unit_area;
    if (outlines) outlines->move_piece(fan.piece, kept);
    SurfacePiece& piece = pieces[kept++];
    if (&piece != &pieces[fan.piece]) piece = pieces[fan.piece];
    piece.area = by * sums[PieceTriangles::area];
    piece.power = by * sums[PieceTriangles::power], piece.weight = by * sums[PieceTriangles::weight];
    place_piece(fan, sums, piece);
  }
  count = kept, fan_count = 0, triangles.count = 0;
}

void add_piece(const PolygonPlane& plane, const Corner* corners, int count, const Vec3& n,
               SurfaceScratch& out) noexcept {
  double deepest = 0.0;
  for (int i = 0; i < count; ++i) deepest = std::max(deepest, corners[i].e);
  if (!(deepest > 0.0)) return;
  if (out.outlines) outline_polygon(plane, corners, count, [](const Corner& x) { return x.e; }, out);
  const double facing = facing_of(plane.n, n, out.frame);
  PieceTriangles& triangles = out.triangles;
  for (int from = 1; from + 1 < count;) {
    if (triangles.count == PieceTriangles::most) out.integrate();
    if (!out.take(points_of_a_piece)) return;
    const int room = static_cast<int>(PieceTriangles::most - triangles.count), to = std::min(count - 1, from + room);
    out.fans[out.fan_count++] = {plane.o + corners[0].u * plane.t_u + corners[0].v * plane.t_v,
                                 plane.t_u,
                                 plane.t_v,
                                 plane.unit_area,
                                 static_cast<std::uint32_t>(out.count),
                                 static_cast<std::uint32_t>(triangles.count),
                                 static_cast<std::uint32_t>(to - from)};
    SurfacePiece& piece = out.pieces[out.count++];
    piece.n = n, piece.facing = facing, piece.deepest = deepest / extent_unit;
    if (out.outlines) out.outlines->set_piece(out.count - 1);
    add_triangles(corners, from, to, triangles);
    from = to;
  }
}

namespace {

// Not inlined and called last, so that the loops over points are as without a query.
[[gnu::cold, gnu::noinline]] void outline_point(double area, double extent, Outlines& out) noexcept {
  out.add_point(area, extent * extent_unit);
}

[[gnu::cold, gnu::noinline]] void outline_strip(const GaussRule& rule, double a, double b, double area,
                                                Outlines& out) noexcept {
  for (int i = 0; i < rule.count; ++i) outline_point(rule.weight[i] * area, a + rule.at[i] * (b - a), out);
}

[[gnu::always_inline]] inline void add_facing(const Vec3& x, const PartIntegrals& part, const Vec3& n, double facing,
                                              SurfaceScratch& out) noexcept {
  if (!out.take(1)) return;
  out.points.set(out.points.count++, x, out.frame.sign() * n, facing, part.weight);
  out.sums.power += part.power, out.sums.area += part.area, out.sums.deepest = std::max(out.sums.deepest, part.deepest);
}

}  // namespace

void add_part(const Vec3& x, const PartIntegrals& part, const Vec3& n_S, const Vec3& n, SurfaceScratch& out) noexcept {
  out.from_behind = out.from_behind || n.dot(n_S) > 0.0;
  add_facing(x, part, n, facing_of(n_S, n, out.frame), out);
  if (out.outlines) outline_point(part.area, part.deepest, *out.outlines);
}

// A strip that does not rub is one point. With t from 0 to 1 along it, and h_q as in piece_moments.cpp:
//   int e^q dt = h_q(a, b)/(q+1),  int e^q t dt = h_q(a, b, b)/((q+1) (q+2))
void add_strip(const Vec3& x0, const Vec3& x1, double e0, double e1, double width, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept {
  const double a = std::max(0.0, e0) / extent_unit, b = std::max(0.0, e1) / extent_unit;
  const Vec3 along = x1 - x0;
  const double area = width * along.norm();
  if (!(area > 0.0) || !(a + b > 0.0)) return;
  const double facing = facing_of(n_S, n, out.frame);
  const int q = out.sharpness - 1;
  if (facing == 0.0) {
    double term = 1.0, h = 1.0, hb = 1.0;
    for (int i = 1; i <= q; ++i) term *= a, h = term + b * h, hb = h + b * hb;
    const double weight = area * h / (q + 1.0), powers = area * (term * a + b * h) / (q + 2.0);
    add_facing(x0 + hb / ((q + 2.0) * h) * along, {area, std::max(a, b), powers, weight}, n, 0.0, out);
    if (out.outlines) outline_point(area, std::max(a, b), *out.outlines);
    return;
  }
  // five points: with three, the friction of a disc that spins is 1.6 % too small
  const GaussRule& rule = gauss_of_degree(std::max(9, out.sharpness));
  for (int i = 0; i < rule.count; ++i) {
    const double e = a + rule.at[i] * (b - a), weight = rule.weight[i] * area * power(e, q);
    add_facing(x0 + rule.at[i] * along, {rule.weight[i] * area, e, weight * e, weight}, n, facing, out);
  }
  if (out.outlines) outline_strip(rule, a, b, area, *out.outlines);
}

void add_point(const Vec3& x, double extent, double area, const Vec3& n_S, const Vec3& n, double slope,
               SurfaceScratch& out) noexcept {
  if (!(extent > 0.0) || !(area > 0.0)) return;
  const double e = extent / extent_unit, weight = area * power(e, out.sharpness - 1);
  out.from_behind = out.from_behind || n.dot(n_S) > 0.0;
  add_facing(x, {area, e, weight * e, weight * slope}, n, facing_of(n_S, n, out.frame), out);
  if (out.outlines) outline_point(area, e, *out.outlines);
}

}  // namespace contactlib::geometry

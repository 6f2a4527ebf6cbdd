#include "surface_pieces.hpp"

#include <algorithm>
#include <cmath>

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

// Integrals over a triangle with twice the area 1 and the corner values a, b, c of e:  int e^q l_i  and  int e^q l_i l_j,
// l barycentric coordinates. With h_q(..), the sum of all products of q of the values,
//   int e^q l_i     = q!/(q+3)! h_q(a, b, c, a_i)
//   int e^q l_i l_j = q!/(q+4)! (1 + [i = j]) h_q(a, b, c, a_i, a_j)
// and  h_q(.., x) = h_q(..) + x h_(q-1)(.., x):  sums of terms that are not negative.
struct FirstMoments {
  double a, b, c;
};
struct SecondMoments {
  double bb, cc, bc;
};

template <int known>
[[gnu::always_inline]] inline void symmetric(double a, double b, double c, int q, double (&h)[most_sharpness]) noexcept {
  if constexpr (known > 0) q = known;
  h[0] = 1.0;
  for (int n = 1; n <= q; ++n) h[n] = a * h[n - 1];
  for (int n = 1; n <= q; ++n) h[n] += b * h[n - 1];
  for (int n = 1; n <= q; ++n) h[n] += c * h[n - 1];
}

template <int known>
[[gnu::always_inline]] inline FirstMoments first_moments(double a, double b, double c, int q) noexcept {
  if constexpr (known > 0) q = known;
  double h[most_sharpness];
  symmetric<known>(a, b, c, q, h);
  double wa = 1.0, wb = 1.0, wc = 1.0;
  for (int n = 1; n <= q; ++n) wa = h[n] + a * wa, wb = h[n] + b * wb, wc = h[n] + c * wc;
  const double by = 1.0 / ((q + 1.0) * (q + 2.0) * (q + 3.0));
  return {by * wa, by * wb, by * wc};
}

template <int known>
[[gnu::always_inline]] inline SecondMoments second_moments(double a, double b, double c, int q) noexcept {
  if constexpr (known > 0) q = known;
  double h[most_sharpness];
  symmetric<known>(a, b, c, q, h);
  double wb = 1.0, wc = 1.0, bb = 1.0, cc = 1.0, bc = 1.0;
  for (int n = 1; n <= q; ++n) {
    wb = h[n] + b * wb, wc = h[n] + c * wc;
    bb = wb + b * bb, cc = wc + c * cc, bc = wb + c * bc;
  }
  const double by = 1.0 / ((q + 1.0) * (q + 2.0) * (q + 3.0) * (q + 4.0));
  return {2.0 * by * bb, 2.0 * by * cc, by * bc};
}

// Sums over a fan of triangles, from corner 0.
struct Sums {
  double area = 0.0, power = 0.0, weight = 0.0;
  Vec3 first = Vec3::Zero();
};

template <int known>
void add_up(const Vec3* x, const double* e, int count, const Vec3& n_S, int q, Sums& sums) noexcept {
  Vec3 b = x[1] - x[0];
  for (int i = 2; i < count; ++i) {
    const Vec3 c = x[i] - x[0];
    const double twice = n_S.dot(b.cross(c));
    if (twice > 0.0) {
      const FirstMoments w = first_moments<known>(e[0], e[i - 1], e[i], q);
      sums.area += 0.5 * twice;
      sums.power += twice * (e[0] * w.a + e[i - 1] * w.b + e[i] * w.c);
      sums.weight += twice * (w.a + w.b + w.c);
      sums.first += (twice * w.b) * b + (twice * w.c) * c;
    }
    b = c;
  }
}

// The covariance about the centre, m from corner 0, as two vectors in the plane.
template <int known>
void find_spread(const Vec3* x, const double* e, int count, const Vec3& n_S, int q, const Vec3& centre, double weight,
                 Vec3 (&spread)[2]) noexcept {
  Vec3 side = x[1] - x[0];
  for (int i = 2; i < count; ++i)
    if (const Vec3 other = x[i] - x[0]; other.squaredNorm() > side.squaredNorm()) side = other;
  const Vec3 t_u = side / side.norm(), t_v = n_S.cross(t_u);
  double uu = 0.0, vv = 0.0, uv = 0.0, u1 = t_u.dot(x[1] - x[0]), v1 = t_v.dot(x[1] - x[0]);
  for (int i = 2; i < count; ++i) {
    const double u2 = t_u.dot(x[i] - x[0]), v2 = t_v.dot(x[i] - x[0]), twice = u1 * v2 - u2 * v1;
    if (twice > 0.0) {
      const SecondMoments w = second_moments<known>(e[0], e[i - 1], e[i], q);
      uu += twice * (w.bb * u1 * u1 + w.cc * u2 * u2 + 2.0 * w.bc * u1 * u2);
      vv += twice * (w.bb * v1 * v1 + w.cc * v2 * v2 + 2.0 * w.bc * v1 * v2);
      uv += twice * (w.bb * u1 * v1 + w.cc * u2 * v2 + w.bc * (u1 * v2 + u2 * v1));
    }
    u1 = u2, v1 = v2;
  }
  const double u = t_u.dot(centre), v = t_v.dot(centre);
  const double s_u = std::sqrt(std::max(0.0, uu / weight - u * u)), s_uv = s_u > 0.0 ? (uv / weight - u * v) / s_u : 0.0;
  const double s_v = std::sqrt(std::max(0.0, vv / weight - v * v - s_uv * s_uv));
  spread[0] = s_u * t_u + s_uv * t_v, spread[1] = s_v * t_v;
}

template <int known>
void add_piece_with(const Vec3* x, const double* e, double deepest, int count, const Vec3& n_S, const Vec3& n,
                    SurfaceScratch& out) noexcept {
  const int q = out.sharpness - 1;
  Sums sums;
  add_up<known>(x, e, count, n_S, q, sums);
  if (!(sums.weight > 0.0)) return;
  SurfacePiece* const piece = out.add();
  if (!piece) return;
  const Vec3 centre = sums.first / sums.weight;
  piece->n = n;
  piece->facing = facing_of(n_S, n, out.frame);
  piece->area = sums.area;
  piece->deepest = deepest;
  piece->power = sums.power, piece->weight = sums.weight;
  piece->centre = x[0] + centre;
  piece->spread[0] = piece->spread[1] = Vec3::Zero();
  if (piece->facing > 0.0) find_spread<known>(x, e, count, n_S, q, centre, sums.weight, piece->spread);
}

}  // namespace

void SurfaceScratch::resize(std::size_t wanted) {
  pieces.resize(wanted);
  const std::size_t room = points_of_a_piece * wanted + 8;
  for (SurfacePoints* of : {&points, &sliding})
    for (std::vector<double>* column : {&of->x, &of->y, &of->z, &of->nx, &of->ny, &of->nz, &of->facing, &of->weight,
                                        &of->load, &of->share})
      column->resize(room);
}

void SurfaceScratch::grow_capacity(const Shape& A, const Shape& B) {
  std::size_t corners = 0, faces = 0, most = 0;
  for (const Shape* shape : {&A, &B}) {
    if (!shape->surface) continue;
    if (shape->kind != ShapeKind::mesh) corners = std::max(corners, shape->surface->vertices.size());
    if (shape->kind != ShapeKind::mesh) faces = std::max(faces, shape->surface->faces.size());
    most = std::max(most, most_corners(*shape));
  }
  // a cut adds at most one corner; a cell is cut once more by each face
  most += 2 * faces + 2;
  vertices.resize(std::max(vertices.size(), corners));
  beyond.resize(vertices.size());
  for (std::vector<Vec3>& one : polygon) one.resize(std::max(one.size(), most));
  heights.resize(std::max({heights.size(), faces, most}));
  nearest.resize(std::max(nearest.size(), faces));
}

void add_piece(const Vec3* x, const double* extents, int count, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept {
  double room[64], *const e = count <= 64 ? room : out.heights.data(), deepest = 0.0;
  for (int i = 0; i < count; ++i) e[i] = std::max(0.0, extents[i]) / extent_unit, deepest = std::max(deepest, e[i]);
  switch (out.sharpness) {
    case 2: return add_piece_with<1>(x, e, deepest, count, n_S, n, out);
    case 4: return add_piece_with<3>(x, e, deepest, count, n_S, n, out);
    default: return add_piece_with<0>(x, e, deepest, count, n_S, n, out);
  }
}

void add_point(const Vec3& x, double extent, double area, const Vec3& n_S, const Vec3& n,
               SurfaceScratch& out) noexcept {
  if (!(extent > 0.0) || !(area > 0.0)) return;
  SurfacePiece* const piece = out.add();
  if (!piece) return;
  const double e = extent / extent_unit, weight = area * power(e, out.sharpness - 1);
  *piece = {n, facing_of(n_S, n, out.frame), area, e, weight * e, weight, x, {Vec3::Zero(), Vec3::Zero()}};
}

}  // namespace contactlib::geometry

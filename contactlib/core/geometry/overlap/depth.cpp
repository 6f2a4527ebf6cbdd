#include "depth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/surface/surface.hpp"
#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

// x^(1/p), x >= 0
double root(double x, int p) noexcept {
  switch (p) {
    case 2: return std::sqrt(x);
    case 4: return std::sqrt(std::sqrt(x));
    case 8: return std::sqrt(std::sqrt(std::sqrt(x)));
    case 16: return std::sqrt(std::sqrt(std::sqrt(std::sqrt(x))));
    default: return x > 0.0 ? math::pow(x, 1.0 / p) : 0.0;
  }
}

// The depth at which a reference has this p-norm, in extent units, and the slope of the norm there.
struct Sunk {
  double depth, slope;
};

Sunk sink(const Reference& reference, int p, double norm) noexcept {
  const double line = reference.line * std::sqrt(extent_unit), ball = reference.ball * extent_unit;
  if (line == 0.0 && ball == 0.0) {
    const double d = root(norm / reference.area, p);
    return {d, p * reference.area * power(d, p - 1)};
  }
  // Each term alone is too deep. The norm is convex, so that Newton's steps from there stay too deep, and end with the
  // first that does not rise.
  double d = std::numeric_limits<double>::infinity();
  if (reference.area > 0.0) d = root(norm / reference.area, p);
  if (line > 0.0) d = std::min(d, math::pow(norm / line, 1.0 / (p + 0.5)));
  if (ball > 0.0) d = std::min(d, math::pow(norm / ball, 1.0 / (p + 1)));
  for (int i = 0; i < 50; ++i) {
    const double s = std::sqrt(d), high = power(d, p - 1);
    const double slope = high * (p * reference.area + (p + 0.5) * line * s + (p + 1) * ball * d);
    const double next = d - (high * d * (reference.area + line * s + ball * d) - norm) / slope;
    if (!(next < d) || i == 49) return {d, slope};
    d = next;
  }
  return {d, 0.0};
}

// Normals whose resultant is shorter than their sum by less than this are one.
constexpr double same_normals = 1e-12;

// A piece whose spread is in every direction below this part of that of all pieces is one point.
constexpr double small_part = 0.01;

// Eight points for a load of covariance 1 in two directions: four on each of two circles, in turn. Radii and weights have
// the least greatest error of Coulomb's limit surface over a disc, a square and a rectangle of 3 : 1, which is 1.6 %; the
// torque of a disc that spins is 0.6 % too small, that of a square exact.
constexpr double inner = 0.8254, inner_part = 0.4932 / 4.0, outer = 1.8118904, outer_part = 0.5068 / 4.0;
constexpr double half_root = 0.70710678118654752440;

// The covariance of a piece is s s^T + t t^T.
struct PieceSpread {
  Vec3 s, t;

  explicit PieceSpread(const SurfacePiece& piece) noexcept {
    // the covariance in (u, v) is L L^T
    const double L_uu = std::sqrt(std::max(0.0, piece.uu)), L_vu = L_uu > 0.0 ? piece.uv / L_uu : 0.0;
    const double L_vv = std::sqrt(std::max(0.0, piece.vv - L_vu * L_vu));
    s = L_uu * piece.t_u + L_vu * piece.t_v, t = L_vv * piece.t_v;
  }
  // Whether  small_part all - (s s^T + t t^T)  is not negative in any direction of the piece.
  bool is_small(const Mat3& all) const noexcept {
    const double ss = s.squaredNorm(), st = s.dot(t), tt = t.squaredNorm();
    const double a = small_part * s.dot(all * s) - ss * ss - st * st,
                 c = small_part * t.dot(all * t) - st * st - tt * tt;
    const double b = small_part * s.dot(all * t) - st * (ss + tt);
    return a >= 0.0 && c >= 0.0 && a * c >= b * b;
  }
};

// The covariance of the pieces that rub, with their weights.
Mat3 spread_of(const SurfaceScratch& pieces, bool all_rub) noexcept {
  Vec3 middle = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  double weight = 0.0;
  for (std::size_t j = 0; j < pieces.count; ++j) {
    const SurfacePiece& piece = pieces.pieces[j];
    const Vec3 x = piece.weight * piece.centre;
    weight += piece.weight, middle += x, second += x * piece.centre.transpose();
    if (!all_rub && !(piece.facing > 0.0)) continue;
    const PieceSpread spread(piece);
    second += piece.weight * (spread.s * spread.s.transpose() + spread.t * spread.t.transpose());
  }
  return (second - middle * middle.transpose() / weight) / weight;
}

bool faces_little(const SurfaceScratch& pieces) noexcept {
  double weight = 0.0, facing = 0.0;
  for (std::size_t j = 0; j < pieces.count; ++j)
    weight += pieces.pieces[j].weight, facing += pieces.pieces[j].weight * pieces.pieces[j].facing;
  for (std::size_t i = 0; i < pieces.points.count; ++i)
    weight += pieces.points.weight[i], facing += pieces.points.weight[i] * pieces.points.facing[i];
  return facing < little_facing * weight;
}

// For a query, which of its points stand for a piece.
void outline_points(const SurfacePiece& piece, std::uint32_t part, double whole, std::size_t first,
                    const SurfacePoints& points, Outlines& out) noexcept {
  if (out.failed) return;
  double spread = piece.uu * piece.t_u.squaredNorm() + 2.0 * piece.uv * piece.t_u.dot(piece.t_v) +
                  piece.vv * piece.t_v.squaredNorm();
  for (std::size_t i = first; i < points.count; ++i)
    spread -= points.weight[i] / whole * (points.place(i) - piece.centre).squaredNorm();
  for (std::size_t i = first; i < points.count; ++i)
    out.add_point({part, std::max(0.0, spread), points.weight[i] / whole * piece.area,
                   out.extent_at(out.parts[part], points.place(i))});
}

void add_to(PartIntegrals& sums, double area, double deepest, double power) noexcept {
  sums.area += area, sums.deepest = std::max(sums.deepest, deepest), sums.power += power;
}

PartIntegrals integrals_of(const SurfaceScratch& pieces) noexcept {
  PartIntegrals sums = pieces.sums;
  for (std::size_t j = 0; j < pieces.count; ++j) {
    const SurfacePiece& piece = pieces.pieces[j];
    add_to(sums, piece.area, piece.deepest, piece.power);
  }
  return sums;
}

void add_eight(const Vec3& centre, const PieceSpread& spread, const Vec3& n, double facing, double w,
               SurfacePoints& points) noexcept {
  const Vec3 &s = spread.s, &t = spread.t;
  const Vec3 offsets[] = {inner * s, inner * t, outer * half_root * (s + t), outer * half_root * (s - t)};
  for (int k = 0; k < 4; ++k)
    for (const double sign : {1.0, -1.0})
      points.set(points.count++, centre + sign * offsets[k], n, facing, (k < 2 ? inner_part : outer_part) * w);
}

}  // namespace

Depth depth_of(const SurfaceScratch& pieces) noexcept {
  const PartIntegrals sums = integrals_of(pieces);
  if (!(sums.power > 0.0)) return {0.0, 0.0, sums.area, 0.0};
  const Sunk sunk = sink(pieces.reference, pieces.sharpness, sums.power);
  return {sunk.depth * extent_unit, sums.deepest * extent_unit, sums.area, pieces.sharpness / sunk.slope};
}

bool JoinedPairs::add(const Mat3& R, const Vec3& p) noexcept {
  const PartIntegrals part = integrals_of(scratch_);
  add_to(sums_, part.area, part.deepest, part.power);
  expand({0.0, 0.0, 0.0, 1.0}, scratch_);
  SurfacePoints& from = scratch_.points;
  if (scratch_.frame.convex) {
    double sum = 0.0;
    Vec3 resultant = Vec3::Zero();
    for (std::size_t i = 0; i < from.count; ++i) sum += from.weight[i], resultant += from.weight[i] * from.normal(i);
    flatten(from, sum, resultant);
  }
  SurfacePoints& to = scratch_.joined;
  needed_ += from.count;
  if (needed_ > scratch_.capacity()) return false;
  const FieldFrame& frame = scratch_.frame;
  const Mat3 R_F = R * frame.R_AF;
  const Vec3 p_F = R * frame.p_AF_A + p;
  for (std::size_t i = 0; i < from.count; ++i) {
    const Vec3 x(from.x[i], from.y[i], from.z[i]), n(from.nx[i], from.ny[i], from.nz[i]);
    to.set(to.count, R_F * x + p_F, R_F * n, from.facing[i], from.weight[i]);
    to.slide_across(to.count++, R_F * from.slides_across(i), from.rubs(i));
  }
  if (scratch_.outlines) scratch_.outlines->keep(R_F, p_F, from.count);
  return true;
}

Depth JoinedPairs::finish(const Reference& reference) noexcept {
  std::swap(scratch_.points, scratch_.joined);
  const std::size_t count = scratch_.points.count;
  scratch_.begin({Mat3::Identity(), Vec3::Zero(), true, false, false}, reference);
  scratch_.points.count = count, scratch_.points.own_planes = true, scratch_.sums = sums_;
  return depth_of(scratch_);
}

double facing_part(const SurfacePoints& points) noexcept {
  double weight = 0.0, facing = 0.0;
  for (std::size_t i = 0; i < points.count; ++i)
    weight += points.weight[i], facing += points.weight[i] * points.facing[i];
  return facing / weight;
}

void flatten(SurfacePoints& points, double a, const Vec3& sum) noexcept {
  const double R = sum.norm();
  if (!(a - R > same_normals * a)) return;
  double b = 0.0;
  for (std::size_t i = 0; i < points.count; ++i) b += points.weight[i] * points.facing[i];
  const double load = std::max(R, b), t = std::min(1.0, (load - R) / (a - R)), part = std::min(1.0, load / a);
  const Vec3 mean = (1.0 - t) / a * sum;
  for (std::size_t i = 0; i < points.count; ++i) {
    const Vec3 across = mean + t * points.normal(i);
    const double size = across.norm();
    points.slide_across(i, size > no_resultant ? Vec3(across / size) : points.normal(i), part);
  }
  points.own_planes = true;
}

void expand(const Depth& depth, SurfaceScratch& pieces) noexcept {
  SurfacePoints& points = pieces.points;
  const bool all_rub = faces_little(pieces);
  const Mat3 all = spread_of(pieces, all_rub);
  for (std::size_t i = 0; i < points.count; ++i) points.weight[i] *= depth.scale;
  for (std::size_t j = 0; j < pieces.count; ++j) {
    const SurfacePiece& piece = pieces.pieces[j];
    const Vec3 n = pieces.frame.sign() * piece.n;
    const double w = depth.scale * piece.weight;
    const PieceSpread spread(piece);
    const std::size_t first = points.count;
    if ((all_rub || piece.facing > 0.0) && !spread.is_small(all))
      add_eight(piece.centre, spread, n, piece.facing, w, points);
    else
      points.set(points.count++, piece.centre, n, piece.facing, w);
    if (pieces.outlines) outline_points(piece, pieces.outlines->of_piece[j], w, first, points, *pieces.outlines);
  }
  while (points.count % 8 != 0) points.set(points.count++, Vec3::Zero(), Vec3::UnitZ(), 0.0, 0.0);
}

namespace {

// What a contact adds up to, of pieces and points with their weights.
struct Resultant {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero(), middle = Vec3::Zero(), heaviest = Vec3::UnitZ();
  double load = 0.0, most = 0.0;

  void add(const Vec3& x, const Vec3& n, double w) noexcept {
    const Vec3 f = w * n;
    force += f, moment += x.cross(f), middle += w * x, load += w;
    if (w > most) most = w, heaviest = n;
  }
};

}  // namespace

// The force passes through the centre of pressure; of contacts all round, a couple may be left out.
bool as_point(const SurfaceScratch& pieces, const Depth& depth, const Mat3& R_WA, ManifoldPoint& out) noexcept {
  if (!(depth.phi > 0.0)) return false;
  const FieldFrame& frame = pieces.frame;
  Resultant sum;
  for (std::size_t j = 0; j < pieces.count; ++j)
    sum.add(pieces.pieces[j].centre, frame.sign() * pieces.pieces[j].n, pieces.pieces[j].weight);
  const SurfacePoints& p = pieces.points;
  for (std::size_t i = 0; i < p.count; ++i) sum.add({p.x[i], p.y[i], p.z[i]}, {p.nx[i], p.ny[i], p.nz[i]}, p.weight[i]);
  const double size = sum.force.norm();
  const Vec3 n = size > no_resultant * sum.load ? Vec3(sum.force / size) : sum.heaviest;
  Vec3 x = sum.middle / sum.load;
  // the line of action: x + d, d across n, with (x + d) x force = moment
  if (size > all_round * sum.load) x += n.cross(sum.moment - x.cross(sum.force)) / size;
  out = {R_WA * (frame.R_AF * x + frame.p_AF_A), R_WA * (frame.R_AF * n), depth.deepest, 0,
         depth.scale * size * depth.phi / depth.deepest};
  return true;
}

void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                         SurfaceScratch& scratch, Manifold& out) {
  scratch.sharpness = sharpness;
  kernel(A, B, X, scratch);
  while (scratch.needed > scratch.capacity()) {
    scratch.resize(2 * scratch.needed);
    kernel(A, B, X, scratch);
  }
  const Depth depth = depth_of(scratch);
  ManifoldPoint point;
  if (!as_point(scratch, depth, X.R_WA, point)) return;
  ++out.needed;
  if (out.count < out.capacity) out.points[out.count++] = point;
}

void add_point_contacts(Kernel kernel, const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& scratch,
                        Manifold& out) {
  scratch.sharpness = usual_sharpness, scratch.needed = 0;
  out.scratch = &scratch;
  kernel(A, B, X, out);
  while (scratch.needed > scratch.capacity()) {
    scratch.resize(2 * scratch.needed);
    out.count = out.needed = 0;
    kernel(A, B, X, out);
  }
}

}  // namespace contactlib::geometry

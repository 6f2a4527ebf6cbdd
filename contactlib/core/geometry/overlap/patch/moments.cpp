// Each triangle of B inside A is cut along the walls of A that lie below it as seen along u. On such a cell the
// thickness is linear and its moments have a closed form: with t_i at the corners of a triangle of area a,
//   int tau dA = a (t1 + t2 + t3)/3,   int tau^2 dA = a (sum over i <= j of t_i t_j)/6
#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "changes.hpp"
#include "geometry/overlap/section/polygon.hpp"
#include "geometry/overlap/section/sheet.hpp"
#include "upright.hpp"

namespace contactlib::geometry {

namespace {

constexpr double steep = 1e-9;  // a wall that makes a smaller angle with u has no cells

struct Bounds {
  double low1, high1, low2, high2;

  void start() noexcept {
    low1 = low2 = std::numeric_limits<double>::infinity();
    high1 = high2 = -low1;
  }
  void add(double x, double y) noexcept {
    low1 = std::min(low1, x), high1 = std::max(high1, x);
    low2 = std::min(low2, y), high2 = std::max(high2, y);
  }
  bool meets(const double* other) const noexcept {
    return low1 <= other[1] && other[0] <= high1 && low2 <= other[3] && other[2] <= high2;
  }
};

// A triangle of a cell: area, thicknesses, positions across u and along it.
struct Cell {
  double area;
  double t[3];
  double x[3], y[3], z[3];
};

void add_spread(const Cell& c, double weight, Spread& out) noexcept {
  const double s = c.t[0] + c.t[1] + c.t[2];
  const double x = c.x[0] + c.x[1] + c.x[2], y = c.y[0] + c.y[1] + c.y[2];
  const double a = weight * c.area;
  out.X[0][0] += a / 3.0 * x;
  out.X[0][1] += a / 3.0 * y;
  out.X[0][2] += a / 3.0 * (c.z[0] + c.z[1] + c.z[2]);
  double xx = x * x, xy = x * y, yy = y * y, txx = 0.0, txy = 0.0, tyy = 0.0, tx = 0.0, ty = 0.0, tz = 0.0;
  for (int i = 0; i < 3; ++i) {
    xx += c.x[i] * c.x[i], xy += c.x[i] * c.y[i], yy += c.y[i] * c.y[i];
    tx += (s + c.t[i]) * c.x[i], ty += (s + c.t[i]) * c.y[i], tz += (s + c.t[i]) * c.z[i];
    for (int j = 0; j < 3; ++j) {
      const double w = (i == j ? 2.0 : 1.0) * (s + c.t[i] + c.t[j]);
      txx += w * c.x[i] * c.x[j], txy += w * c.x[i] * c.y[j], tyy += w * c.y[i] * c.y[j];
    }
  }
  out.X[1][0] += a / 12.0 * tx;
  out.X[1][1] += a / 12.0 * ty;
  out.X[1][2] += a / 12.0 * tz;
  out.C[0][0] += a / 12.0 * xx, out.C[0][1] += a / 12.0 * xy, out.C[0][2] += a / 12.0 * yy;
  out.C[1][0] += a / 60.0 * txx, out.C[1][1] += a / 60.0 * txy, out.C[1][2] += a / 60.0 * tyy;
}

// With h_p the sum of all products of p of the t_i, and with corner i counted twice h_p(i) = h_p + t_i h_(p-1)(i):
//   int tau^p dA = 2 a h_p/((p+1)(p+2)),   int x tau^p dA = 2 a (sum of x_i h_p(i))/((p+1)(p+2)(p+3))
void add_powers(double area, const double* t, const Vec3* x, PowerSums* out) noexcept {
  double one = 1.0, two = 1.0, h = 1.0, twice[3] = {1.0, 1.0, 1.0};
  for (int p = 1; p <= depth_powers[1] + 1; ++p) {
    one *= t[0], two = one + t[1] * two, h = two + t[2] * h;
    for (int i = 0; i < 3; ++i) twice[i] = h + t[i] * twice[i];
    for (int j = 0; j < 2; ++j) {
      const int k = p - depth_powers[j] + 1;
      if (k < 0 || k > 2) continue;
      const double a = 2.0 * area / ((p + 1) * (p + 2));
      out[j].K[k] += a * h;
      if (k < 2) out[j].S[k] += a / (p + 3) * (twice[0] * x[0] + twice[1] * x[1] + twice[2] * x[2]);
    }
  }
}

void add_all_powers(double area, const double* t, const Vec3* x, AllSums& out) noexcept {
  double one = 1.0, two = 1.0, h = 1.0, twice[3] = {1.0, 1.0, 1.0};
  for (int p = 0; p <= max_power; ++p) {
    if (p > 0) {
      one *= t[0], two = one + t[1] * two, h = two + t[2] * h;
      for (int i = 0; i < 3; ++i) twice[i] = h + t[i] * twice[i];
    }
    const double a = 2.0 * area / ((p + 1) * (p + 2));
    out.K[p] += a * h;
    if (p < max_power) out.S[p] += a / (p + 3) * (twice[0] * x[0] + twice[1] * x[1] + twice[2] * x[2]);
  }
}

constexpr double equal = 1e-9;  // relative: heights that differ by rounding

bool comes_before(const Vec3& x, const Vec3& y) noexcept {
  const double rounding = equal * (x.norm() + y.norm());
  for (int k = 0; k < 3; ++k)
    if (std::abs(x[k] - y[k]) > rounding) return x[k] < y[k];
  return false;
}

// Whether x, at this height, is to be preferred to the highest point so far.
bool is_first(double height, const Vec3& x, double highest, const Vec3& at) noexcept {
  return height > (1.0 + equal) * highest || (height > (1.0 - equal) * highest && comes_before(x, at));
}

// A corner of the part of a piece over one wall. The edges before and after tell on which sides of the triangle it
// lies. Of equally high points the one counts that comes first in B's axes, which is the same in any frame.
void add_height(const Polygon& now, int i, double tau, Heights& out) noexcept {
  const std::int32_t sides[2] = {now.tag[i], now.tag[i == 0 ? now.count - 1 : i - 1]};
  if (is_first(tau, now.v[i], out.top, out.peak)) out.peak = now.v[i], out.peak_side = std::max(sides[0], sides[1]);
  out.top = std::max(out.top, tau);
  for (const std::int32_t side : sides) {
    if (side < 0) continue;
    if (is_first(tau, now.v[i], out.side[side], out.at[side])) out.at[side] = now.v[i];
    out.side[side] = std::max(out.side[side], tau);
  }
}

}  // namespace

void add_flat(const FlatWays& flat, double weight, const Spread& s, double* out) noexcept {
  if (flat.ways == 0) return;
  const double x = s.e1.dot(flat.along), y = s.e2.dot(flat.along);
  const bool all = flat.ways == 2;
  out[0] += weight * (all ? 1.0 : x * x);
  out[1] += weight * (all ? 0.0 : x * y);
  out[2] += weight * (all ? 1.0 : y * y);
}

void axes_across(const Vec3& u, Vec3& e1, Vec3& e2) noexcept {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(u[k]) < std::abs(u[least])) least = k;
  e1 = u.cross(Vec3::Unit(least)).normalized();
  e2 = u.cross(e1);
}

void PatchMoments::project_walls(const Vec3& u) noexcept {
  axes_across(u, e1_, e2_);
  for (std::size_t w = 0; w < scratch_.walls.size(); ++w) {
    const Wall& wall = scratch_.walls[w];
    Bounds bounds;
    bounds.start();
    for (int i = 0; i < wall.count; ++i) {
      const Vec3& v = scratch_.corners[wall.first + i];
      bounds.add(e1_.dot(v), e2_.dot(v));
    }
    scratch_.met[w] = 0;
    double* const reach = &scratch_.reach[4 * w];
    reach[0] = bounds.low1, reach[1] = bounds.high1, reach[2] = bounds.low2, reach[3] = bounds.high2;
  }
}

Section PatchMoments::section(const Piece& piece) const noexcept {
  const Face& face = B_.faces[piece.face];
  const Vec3 x[3] = {B_.corner(face, 0), B_.corner(face, 1), B_.corner(face, 2)};
  return Section(solid(), x);
}

Polygon PatchMoments::inside(const Piece& piece) const noexcept {
  const Face& face = B_.faces[piece.face];
  Polygon now{scratch_.polygon[0].data(), scratch_.tags[0].data(), 3};
  if (curved_) {
    const Section part = section(piece);
    now.count = part.count;
    for (int i = 0; i < part.count; ++i) now.v[i] = part.v[i].x, now.tag[i] = part.tag[i];
    return now;
  }
  for (int i = 0; i < 3; ++i) {
    now.v[i] = B_.corner(face, i);
    now.tag[i] = i;
  }
  if (scratch_.sheet.there) cut_to_line(scratch_.sheet, now);
  if (!convex_ || !(piece.cut || is_raised_)) return now;
  Polygon other{scratch_.polygon[1].data(), scratch_.tags[1].data(), 0};
  for (std::size_t w = 0; w < scratch_.walls.size(); ++w) {
    const Wall& wall = scratch_.walls[w];
    const double d = is_raised_ ? distance(wall) : wall.d;
    bool beyond = false;
    for (int i = 0; i < now.count; ++i) beyond = beyond || wall.n.dot(now.v[i]) > d;
    if (!beyond) continue;
    cut(now, wall.n, d, other, along_wall - static_cast<std::int32_t>(w));
    std::swap(now, other);
    if (now.count < 3) break;
  }
  return now;
}

// Of a triangle of the fan of a part.
double PatchMoments::area_of(const Polygon& part, int i, const Vec3& n_B) const noexcept {
  if (scratch_.sheet.there) return 0.5 * scratch_.sheet.width(n_B) * (part.v[1] - part.v[0]).norm();
  return 0.5 * n_B.dot((part.v[i - 1] - part.v[0]).cross(part.v[i] - part.v[0]));
}

Vec3 PatchMoments::area_inside(const Piece& piece, const Polygon& part) const noexcept {
  if (scratch_.sheet.there) {
    const Vec3& n_B = B_.faces[piece.face].n;
    return 2.0 * area_of(part, 2, n_B) * n_B;
  }
  if (!curved_) return 0.5 * part.doubled_area();
  const Vec3& n = B_.faces[piece.face].n;
  return section(piece).area(solid(), n) * n;
}

// The part of a polygon over or under the wall as seen along u, in the wall's prism: beyond an edge e of the wall
// points +-(u x e). For a solid that is not convex only the part over the wall:  tau = (n.x - d)/(n.u) >= 0
Polygon PatchMoments::over(const Wall& wall, const Polygon& part, const Vec3& u) const noexcept {
  const double slope = wall.n.dot(u);
  const int other = part.v == scratch_.polygon[0].data() ? 1 : 0;
  Polygon now = part;
  Polygon capacity[2] = {{scratch_.polygon[2].data(), scratch_.tags[2].data(), 0},
                         {scratch_.polygon[other].data(), scratch_.tags[other].data(), 0}};
  int next = 0;
  const auto keep = [&](const Vec3& n, double d) noexcept {
    bool beyond = false;
    for (int i = 0; i < now.count; ++i) beyond = beyond || n.dot(now.v[i]) > d;
    if (!beyond) return;
    cut(now, n, d, capacity[next]);
    now = capacity[next];
    next = 1 - next;
  };
  for (int i = 0; i < wall.count && now.count >= 3; ++i) {
    const Vec3& p = scratch_.corners[wall.first + i];
    const Vec3& q = scratch_.corners[wall.first + (i + 1 == wall.count ? 0 : i + 1)];
    const Vec3 out_of = slope < 0.0 ? Vec3(u.cross(q - p)) : Vec3((q - p).cross(u));
    keep(out_of, out_of.dot(p));
  }
  if (!convex_ && now.count >= 3) keep(-wall.n / slope, -wall.d / slope);
  return now;
}

void PatchMoments::deepen(const Patch& patch, const Vec3& side, const Vec3& u, Moments& out) const noexcept {
  for (std::int32_t k = patch.first; k >= 0; k = scratch_.pieces[k].next) {
    const Piece& piece = scratch_.pieces[k];
    const Face& face = B_.faces[piece.face];
    if (!piece.cut || !(face.n.dot(u) > steep) || side.dot(face.n) < across_side) continue;
    Polygon whole{scratch_.polygon[0].data(), scratch_.tags[0].data(), 3};
    Bounds bounds;
    bounds.start();
    for (int i = 0; i < 3; ++i) {
      whole.v[i] = B_.corner(face, i);
      whole.tag[i] = i;
      bounds.add(e1_.dot(whole.v[i]), e2_.dot(whole.v[i]));
    }
    if (scratch_.sheet.there) cut_to_line(scratch_.sheet, whole);
    for (std::size_t w = 0; w < scratch_.walls.size(); ++w) {
      const Wall& wall = scratch_.walls[w];
      const double slope = wall.n.dot(u);
      if (!scratch_.met[w] || !(slope < -steep) || !bounds.meets(&scratch_.reach[4 * w])) continue;
      const Polygon now = over(wall, whole, u);
      const Upright side_below(scratch_, wall, u, slope, 0.0);
      for (int i = 0; i < now.count; ++i) {
        const double t = side_below.limit((wall.n.dot(now.v[i]) - wall.d) / slope, now.v[i]);
        if (t > out.depth) out.depth = t, out.deepest = now.v[i];
      }
    }
  }
}

PieceSums PatchMoments::over_walls(const Piece& piece, const Vec3& u, Moments& out,
                                   const Wanted& wanted) const noexcept {
  Spread* const spread = wanted.spread;
  const Vec3& n_B = B_.faces[piece.face].n;
  const Polygon part = inside(piece);
  PieceSums sums;
  if (part.count < 3) return sums;
  Bounds bounds;
  bounds.start();
  for (int i = 0; i < part.count; ++i) bounds.add(e1_.dot(part.v[i]), e2_.dot(part.v[i]));
  const double rising = n_B.dot(u);
  double* const K = sums.K;
  std::optional<PieceChanges> changes;
  if (wanted.changes) changes.emplace(n_B, u, spread->origin, scratch_.walls, *wanted.changes);
  Cell cell{};  // places stay zero where nobody asks for the spread
  for (std::size_t w = 0; w < scratch_.walls.size(); ++w) {
    const Wall& wall = scratch_.walls[w];
    const double slope = wall.n.dot(u);
    if (convex_ ? !(slope < -steep) : !(std::abs(slope) > steep)) continue;
    if (!bounds.meets(&scratch_.reach[4 * w])) continue;
    const Polygon now = over(wall, part, u);
    if (now.count < 3) continue;
    scratch_.met[w] = 1;
    const double sign = slope < 0.0 ? 1.0 : -1.0;
    const bool facing = slope < 0.0 && rising > 0.0;
    const double d = distance(wall);
    const Upright side_below(scratch_, wall, u, slope, d < wall.d ? u.dot(raise_) : 0.0);
    const auto thickness = [&](const Vec3& x) noexcept {
      return std::max(0.0, side_below.limit((wall.n.dot(x) - d) / slope, x));
    };
    const double before = K[1];
    const auto corner = [&](int k, int i) noexcept {
      cell.t[k] = thickness(now.v[i]);
      if (facing && cell.t[k] > out.depth) out.depth = cell.t[k], out.deepest = now.v[i];
      if (wanted.heights && slope < 0.0 && rising > across_side) add_height(now, i, cell.t[k], *wanted.heights);
      if (!spread) return;
      const Vec3 x = now.v[i] - spread->origin;
      cell.x[k] = spread->e1.dot(x), cell.y[k] = spread->e2.dot(x), cell.z[k] = u.dot(x) - 0.5 * cell.t[k];
    };
    corner(0, 0);
    corner(2, 1);
    for (int i = 2; i < now.count; ++i) {
      cell.t[1] = cell.t[2], cell.x[1] = cell.x[2], cell.y[1] = cell.y[2], cell.z[1] = cell.z[2];
      corner(2, i);
      cell.area = area_of(now, i, n_B);
      const double a = sign * cell.area, *t = cell.t, s = t[0] + t[1] + t[2];
      K[0] += a;
      K[1] += a * s / 3.0;
      K[2] += a * (s * s + t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) / 12.0;
      if (spread) add_spread(cell, sign * rising, *spread);
      if (!wanted.high && !wanted.all && !changes) continue;
      const Vec3 x[3] = {now.v[0], now.v[i - 1], now.v[i]};
      if (wanted.high) add_powers(a, t, x, sums.high);
      if (wanted.all) add_all_powers(a, t, x, *wanted.all);
      if (changes) add_all_powers(a, t, x, changes->sums);
    }
    if (changes) changes->add(wall.n / slope, now, thickness);
    if (!spread) continue;
    add_flat(wall.flat, rising * (K[1] - before), *spread, spread->flat_A);
    add_flat(B_.flats[piece.face], rising * (K[1] - before), *spread, spread->flat_B);
  }
  if (changes) changes->finish(level_);
  return sums;
}

void PatchMoments::add_piece(const Piece& piece, const Vec3& u, Moments& out, const Wanted& wanted) const noexcept {
  const Vec3& n_B = B_.faces[piece.face].n;
  Spread* const spread = wanted.spread;
  HighMoments* const high = wanted.high;
  const PieceSums sums = curved_ ? over_curved(piece, u, out, wanted) : over_walls(piece, u, out, wanted);
  for (int p = 0; p < 3; ++p) out.U[p] += sums.K[p] * n_B;
  for (int p = 0; p < 2; ++p) out.all[p] += std::abs(sums.K[p]);
  if (!high) return;
  for (int j = 0; j < 2; ++j) {
    for (int k = 0; k < 3; ++k) high->of[j].U[k] += sums.high[j].K[k] * n_B;
    for (int k = 0; spread && k < 2; ++k)
      high->of[j].T[k] += (sums.high[j].S[k] - sums.high[j].K[k] * spread->origin).cross(n_B);
  }
}

Moments PatchMoments::measure(const Patch& patch, const Vec3& side, const Vec3& u, Spread* spread, HighMoments* high,
                              AllChanges* changes) noexcept {
  project_walls(u);
  if (patch.branch >= 0) return measure_branch(patch.branch, u, spread, high, changes);
  Moments out;
  if (spread) {
    *spread = Spread{e1_, e2_, inside(scratch_.pieces[patch.first]).v[0], {}, {}, {}, {}, Along()};
    if (curved_) spread->along = along_of(*curved_, u, spread->origin);
  }
  for (std::int32_t k = patch.first; k >= 0; k = scratch_.pieces[k].next) {
    const Piece& piece = scratch_.pieces[k];
    if (side.dot(B_.faces[piece.face].n) < across_side) continue;
    add_piece(piece, u, out, {spread, high, nullptr, nullptr, changes});
  }
  thickest_ = out.depth;
  return out;
}

Moments PatchMoments::survey(const Patch& patch, const Vec3& u) noexcept {
  project_walls(u);
  Moments out;
  for (std::int32_t k = patch.first; k >= 0; k = scratch_.pieces[k].next) {
    scratch_.heights[k] = Heights();
    add_piece(scratch_.pieces[k], u, out, {nullptr, nullptr, &scratch_.heights[k], nullptr, nullptr});
  }
  thickest_ = out.depth;
  return out;
}

}  // namespace contactlib::geometry

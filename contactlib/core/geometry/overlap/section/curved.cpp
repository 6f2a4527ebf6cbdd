#include "curved.hpp"

#include "geometry/overlap/gauss.hpp"

namespace contactlib::geometry {

namespace {

constexpr double slim = 0.15;  // of its chord: no bow reaches further out, or it is cut in two
constexpr int halvings = 3;
constexpr double on_chord = 1e-9;  // of its length: no bow
constexpr int seam_cut = 16, max_cuts = 5;  // a level counts cuts at seams by seam_cut, halvings by 1

}  // namespace

Section::Section(const CurvedSolid& A, const Vec3* x) noexcept {
  Point corner[3];
  bool inside[3];
  for (int i = 0; i < 3; ++i) {
    corner[i] = {x[i], A.unit(x[i])};
    inside[i] = A.contains(corner[i].y);
  }
  const Vec3 normal = (corner[1].y - corner[0].y).cross(corner[2].y - corner[0].y);
  const double area = normal.norm();
  if (!(area > 0.0)) return;
  n_y = normal / area;
  area_y = (x[1] - x[0]).cross(x[2] - x[0]).norm() / area;
  // height of the plane in unit space
  const double height = n_y.dot(corner[0].y);
  if (!(std::abs(height) < 1.0 + A.half() * std::abs(n_y[2]))) return;
  // The parts of the triangle's sides that are inside, in order.
  struct Part {
    Point from, to;
    int side;
    bool whole_to;  // up to the corner
  } part[3];
  int parts = 0;
  for (int i = 0; i < 3; ++i) {
    const int k = i == 2 ? 0 : i + 1;
    const Point &p = corner[i], &q = corner[k];
    double low = 0.0, high = 1.0;
    if (!inside[i] || !inside[k]) {
      double from, to;
      if (!A.interval(p.y, q.y - p.y, from, to)) {
        if (!inside[i] && !inside[k]) continue;
        from = inside[i] ? 0.0 : 1.0, to = from;  // by rounding
      }
      if (!inside[i]) low = std::max(0.0, from);
      if (!inside[k]) high = std::min(1.0, to);
      if (!(low < high)) continue;
    }
    const auto at = [&](double t) noexcept {
      if (t == 0.0 || t == 1.0) return t == 0.0 ? p : q;
      return Point{p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
    };
    part[parts++] = {at(low), at(high), i, inside[k] && high == 1.0};
  }
  if (parts == 0) add_inner(A, corner);
  for (int i = 0; i < parts; ++i) {
    const Part &now = part[i], &next = part[i + 1 == parts ? 0 : i + 1];
    add(now.from, now.side);
    if (now.whole_to && next.side == (now.side == 2 ? 0 : now.side + 1)) continue;
    add_bows(A, now.to, next.from, 0);
  }
}

// Points beyond the capacity become corners of a bow: only rounding makes so many.
void Section::add(const Point& p, int side) noexcept {
  if (count == max_points) return;
  v[count] = p;
  tag[count++] = side;
}

// The bow between two points of the solid's surface, in pieces: adds all of its corners except the last.
void Section::add_bows(const CurvedSolid& A, const Point& from, const Point& to, int level) noexcept {
  if (A.half() > 0.0) return add_capsule_bows(A, from, to, level);
  const Vec3 chord = to.y - from.y, out = chord.cross(n_y);
  const double length = chord.norm();
  double low, high;
  const Vec3 half_way = 0.5 * (from.y + to.y);
  if (level < halvings && length > 0.0 && A.interval(half_way, out / length, low, high) && high > slim * length) {
    const Vec3 d = high / length * out;
    const Point top{0.5 * (from.x + to.x) + A.from_unit(d), half_way + d};
    add_bows(A, from, top, level + 1);
    return add_bows(A, top, to, level + 1);
  }
  add(from, -1);
}

// A capsule's section is long and its bow may lean: it is cut at the seams, then at the point furthest from its chord.
void Section::add_capsule_bows(const CurvedSolid& A, const Point& from, const Point& to, int level) noexcept {
  const Vec3 chord = to.y - from.y, out = chord.cross(n_y);
  const double length = chord.norm();
  const auto cut = [&](const Vec3& y, int next) noexcept {
    const Point top{from.x + A.from_unit(y - from.y), y};
    add_capsule_bows(A, from, top, next);
    add_capsule_bows(A, top, to, next);
  };
  if (length > 0.0 && level < max_cuts * seam_cut) {
    Vec3 seam[4];
    const int seams = A.seams_in_plane(n_y, n_y.dot(from.y), seam);
    // a chord along the side leads to the seams, which are above it by rounding alone
    const auto is_above = [&](const Vec3& y) noexcept {
      const Vec3 off = y - from.y;
      return out.dot(off) > on_chord * length * std::max(length, off.norm());
    };
    for (int i = 0; i < seams; ++i)
      if (is_above(seam[i])) return cut(seam[i], level + seam_cut);
    const Vec3 top = A.furthest_in_plane(0.5 * (from.y + to.y), n_y, out / length);
    const double high = out.dot(top - from.y) / length;
    if (level % seam_cut < halvings && is_above(top) && (high > slim * length || A.turns(n_y, from.y, to.y)))
      return cut(top, level + 1);
  }
  add(from, -1);
}

// No side of the triangle enters the solid: all of the plane's section is inside the triangle, or none.
void Section::add_inner(const CurvedSolid& A, const Point* corner) noexcept {
  const Vec3 pole = A.furthest(n_y);
  const Vec3 y = n_y.dot(corner[0].y) / n_y.dot(pole) * pole;
  for (int i = 0; i < 3; ++i) {
    const Vec3 &p = corner[i].y, &q = corner[i == 2 ? 0 : i + 1].y;
    if (!((q - p).cross(y - p).dot(n_y) > 0.0)) return;
  }
  Vec3 e = (corner[1].y - corner[0].y).normalized();
  if (A.half() > 0.0) {  // along and across a capsule
    const Vec3 along = Vec3::UnitZ() - n_y[2] * n_y;
    if (along.norm() > 1e-6) e = along.normalized();
  }
  const Vec3 x = corner[0].x + A.from_unit(y - corner[0].y), f = n_y.cross(e);
  Point tip[4];
  const Vec3 direction[4] = {e, f, -e, -f};
  for (int i = 0; i < 4; ++i) {
    double low, high;
    if (!A.interval(y, direction[i], low, high) || !(high > 0.0)) return;
    tip[i] = {x + A.from_unit(high * direction[i]), y + high * direction[i]};
  }
  for (int i = 0; i < 4; ++i) add_bows(A, tip[i], tip[i == 3 ? 0 : i + 1], 0);
}

double Section::bow(const CurvedSolid& A, int i, double t, Point& chord, Vec3& out) const noexcept {
  const Point &p = v[i], &q = v[i + 1 == count ? 0 : i + 1];
  const Vec3 along = q.y - p.y;
  const double length = along.norm();
  chord = {p.x + t * (q.x - p.x), p.y + t * along};
  if (!(length > 0.0)) return 0.0;
  out = along.cross(n_y) / length;
  return A.exit(chord.y, out);
}

double Section::area(const CurvedSolid& A, const Vec3& n) const noexcept {
  double sum = 0.0;
  for (int i = 2; i < count; ++i) sum += 0.5 * (v[i - 1].x - v[0].x).cross(v[i].x - v[0].x).dot(n);
  for (int i = 0; i < count; ++i) {
    if (tag[i] >= 0) continue;
    const double length = (v[i + 1 == count ? 0 : i + 1].y - v[i].y).norm();
    for (int k = 0; k < gauss5.count; ++k) {
      Point chord;
      Vec3 out;
      sum += area_y * length * gauss5.weight[k] * bow(A, i, gauss5.at[k], chord, out);
    }
  }
  return sum;
}

}  // namespace contactlib::geometry

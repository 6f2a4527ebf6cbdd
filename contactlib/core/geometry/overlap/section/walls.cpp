#include "walls.hpp"

#include <algorithm>
#include <cmath>

#include "math/elementary.hpp"

namespace contactlib::geometry {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int fine = 8;     // strips on either side of the middle, across half the width of a zone
constexpr int coarse = 12;  // the same of a solid that is fine nowhere
constexpr double widest = 0.5;  // rad, a strip outside of all zones
constexpr double around = pi / 48.0;  // rad, the same where a patch reaches around the axis
constexpr int most = CylinderWalls::max_strips;
constexpr int growing = 32;  // strips that are reserved for the growth from the narrowest one to pi

void add_corner(OverlapScratch& out, const Axes& X, const Vec3& x_A) noexcept { out.corners.push_back(X(x_A)); }

// Closes the wall whose corners begin at `first`.
void add_wall(OverlapScratch& out, std::size_t first) noexcept {
  Vec3 area = Vec3::Zero(), sum = Vec3::Zero();
  const std::size_t count = out.corners.size() - first;
  const Vec3* const v = &out.corners[first];
  for (std::size_t i = 0; i < count; ++i) {
    sum += v[i] - v[0];
    if (i >= 2) area += (v[i - 1] - v[0]).cross(v[i] - v[0]);
  }
  const double norm = area.norm();
  if (!(norm > 0.0)) {
    out.corners.resize(first);
    return;
  }
  const Vec3 n = area / norm;
  out.walls.push_back({static_cast<std::int32_t>(first),
                       static_cast<std::int32_t>(count),
                       n,
                       n.dot(v[0]) + n.dot(sum) / static_cast<double>(count),
                       {2, Vec3::Zero()}});
}

double strip_of(const Zone& zone) noexcept { return zone.width / fine; }

// The zones that are not all around, as a cylinder's end has them; none if there are too many.
struct Arcs {
  Zone arc[CylinderWalls::max_zones];
  int count = 0, base = 0;  // the narrowest
  double middle = 0.0;      // of the base; without one, of the first zone
  double strip;             // rad, in the middle
  bool is_fine;             // false: of a solid that is fine nowhere
  double outside = widest;  // rad, the widest strip

  explicit Arcs(const CylinderWalls& walls) noexcept {
    for (int z = 0; z < walls.count; ++z) {
      const Zone& one = walls.zones[z];
      if (z == 0) middle = one.middle;
      if (!(one.width < pi)) {
        outside = around;
        continue;
      }
      arc[count] = one;
      if (one.width < arc[base].width) base = count;
      ++count;
    }
    if (walls.crowded) count = 0;
    if (count > 0) middle = arc[base].middle;
    is_fine = count > 0 || walls.crowded;
    strip = count > 0 ? strip_of(arc[base]) : pi / (walls.crowded ? most - 2 : coarse);
  }
};

// Angles on one side (sign) of the middle of the base up to pi: the steps are a zone's strips inside it and grow
// beyond. Returns their number. The first is half a step from the middle.
int steps(const Arcs& arcs, double sign, double* out) noexcept {
  const double width = arcs.count > 0 ? arcs.arc[arcs.base].width : pi;
  double step = arcs.strip, at = 0.5 * step;
  int count = 0;
  while (at < pi - 1e-9 && count < most - 1) {
    out[count++] = at;
    if (at >= width) step = std::min(3.0 * step, arcs.outside);
    for (int z = 0; z < arcs.count && count < most - growing; ++z) {
      if (z == arcs.base) continue;
      const Zone& arc = arcs.arc[z];
      const double from = math::remainder(sign * (arc.middle - arcs.middle) - at, 2.0 * pi) - arc.width;
      if (from + 2.0 * arc.width > 0.0) step = std::min(step, std::max(from, strip_of(arc)));
    }
    at += step;
  }
  out[count++] = pi;
  return count;
}

// d/R: 1, or 1 - h^2/24, the mean distance of the circle over a strip of angle h.
double mean_of(const Arcs& arcs, bool holds) noexcept {
  return holds || !arcs.is_fine ? 1.0 : 1.0 - arcs.strip * arcs.strip / 24.0;
}

}  // namespace

void polytope_walls(const Surface& a, const Axes& X, OverlapScratch& out) noexcept {
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    const Face& face = a.faces[f];
    const std::size_t first = out.corners.size();
    for (int i = 0; i < face.count; ++i) add_corner(out, X, a.corner(face, i));
    const Vec3 n = X.R * face.n;
    out.walls.push_back({static_cast<std::int32_t>(first),
                         face.count,
                         n,
                         face.d + n.dot(X.p),
                         {a.flats[f].ways, X.R * a.flats[f].along}});
  }
}

void prism_walls(const Vec3* v, double low, double high, const Axes& X, OverlapScratch& out) noexcept {
  const Vec3 n = (v[1] - v[0]).cross(v[2] - v[0]).normalized();
  for (int i = 0; i < 3; ++i) {
    const Vec3 &p = v[i], &q = v[i == 2 ? 0 : i + 1];
    const std::size_t first = out.corners.size();
    for (const Vec3& x : {Vec3(p + low * n), Vec3(q + low * n), Vec3(q + high * n), Vec3(p + high * n)})
      add_corner(out, X, x);
    add_wall(out, first);
  }
  std::size_t first = out.corners.size();
  for (int i = 0; i < 3; ++i) add_corner(out, X, v[i] + high * n);
  add_wall(out, first);
  first = out.corners.size();
  for (int i = 2; i >= 0; --i) add_corner(out, X, v[i] + low * n);
  add_wall(out, first);
}

// The sides are tangent to the circle of radius d at the angles t_i. The corner between two of them, half their
// difference from either, is d / cos((t_{i+1} - t_i)/2) from the axis.
void CylinderWalls::write(const Shape& A, const Axes& X, OverlapScratch& out) const noexcept {
  const double R = A.size[0], half = 0.5 * A.size[1];
  const Arcs arcs(*this);
  double before[most], after[most], tangent[2 * most];
  const int on_left = steps(arcs, -1.0, before), on_right = steps(arcs, 1.0, after);
  int tangents = 0;
  for (int i = on_left - 2; i >= 1; --i) tangent[tangents++] = -0.5 * (before[i] + before[i - 1]);
  tangent[tangents++] = 0.0;
  for (int i = 1; i <= on_right - 2; ++i) tangent[tangents++] = 0.5 * (after[i] + after[i - 1]);
  tangent[tangents++] = pi;  // where it is fine nowhere it is a regular prism, with its middle on the axis
  const double d = mean_of(arcs, holds) * R;
  double angle[2 * most], radius[2 * most];
  for (int i = 0; i < tangents; ++i) {
    const double next = i + 1 < tangents ? tangent[i + 1] : tangent[0] + 2.0 * pi;
    const double apart = 0.5 * (next - tangent[i]);
    angle[i] = arcs.middle + tangent[i] + apart;
    radius[i] = d / math::cos(apart);
  }
  const auto corner = [&](int i, double z) noexcept {
    const math::SinCos t = math::sin_cos(angle[i]);
    add_corner(out, X, Vec3(radius[i] * t.cos, radius[i] * t.sin, z));
  };
  for (int i = 0; i < tangents; ++i) {
    const int k = i + 1 < tangents ? i + 1 : 0;
    const std::size_t first = out.corners.size();
    corner(i, -half), corner(k, -half), corner(k, half), corner(i, half);
    add_wall(out, first);
  }
  for (const double sign : {-1.0, 1.0}) {
    const std::size_t first = out.corners.size();
    for (int i = 0; i < tangents; ++i) corner(sign > 0.0 ? i : tangents - 1 - i, sign * half);
    add_wall(out, first);
  }
}

double CylinderWalls::deeper(const Shape& A, const Axes& X, const Vec3& n) const noexcept {
  const Vec3 n_A = X.R.transpose() * n;
  return (1.0 - mean_of(Arcs(*this), holds)) * A.size[0] * math::hypot(n_A[0], n_A[1]);
}

double angle_between(double one, double other) noexcept { return std::abs(math::remainder(one - other, 2.0 * pi)); }

}  // namespace contactlib::geometry

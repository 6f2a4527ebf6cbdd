#include "walls.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int fine = 8;     // strips on either side of the middle, across half the width of the zone
constexpr int most = 48;     // strips on either side
constexpr int coarse = 12;   // the same of a solid that is fine nowhere

void add_corner(OverlapScratch& out, const Axes& X, const Vec3& x_A) noexcept { out.corners.push_back(X(x_A)); }

// closes the wall whose corners begin at `first`.
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

// angles from the middle of a zone to pi, of equal steps inside it and doubled steps beyond; returns how many.
// the first is half a step from the middle, so that the strip in the middle touches the solid there.
int steps(double width, double* out) noexcept {
  const bool nowhere = width >= pi;
  double step = nowhere ? pi / coarse : width / fine, at = 0.5 * step;
  int count = 0;
  while (at < pi - 1e-9 && count < most - 1) {
    out[count++] = at;
    if (at >= width) step = std::min(3.0 * step, 0.5);
    at += step;
  }
  out[count++] = pi;
  return count;
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

// the prism around the cylinder whose sides touch it at angles t_i: between two of them, half a difference apart from
// either, its corner is R / cos((t_{i+1} - t_i)/2) off the axis
double cylinder_walls_of(const Shape& A, const Axes& X, const Zone& zone, OverlapScratch& out) noexcept {
  const double R = A.size[0], half = 0.5 * A.size[1];
  const Vec3 n_A = X.R.transpose() * zone.n;
  const double across = std::hypot(n_A[0], n_A[1]);
  const double middle = across > 1e-9 ? std::atan2(-n_A[1], -n_A[0]) : 0.0;
  double step[most];
  const int count = steps(zone.width, step);
  // the sides of the polygon are as far off the axis as the circle's part between their ends is on the average
  const double mean = zone.holds || zone.width >= pi ? 1.0 : 1.0 - step[0] * step[0] / 6.0;
  double tangent[2 * most];
  int tangents = 0;
  for (int i = count - 2; i >= 1; --i) tangent[tangents++] = -0.5 * (step[i] + step[i - 1]);
  tangent[tangents++] = 0.0;
  for (int i = 1; i <= count - 2; ++i) tangent[tangents++] = 0.5 * (step[i] + step[i - 1]);
  tangent[tangents++] = pi;  // where it is fine nowhere it is a regular prism, with its middle on the axis
  double angle[2 * most], radius[2 * most];
  for (int i = 0; i < tangents; ++i) {
    const double next = i + 1 < tangents ? tangent[i + 1] : tangent[0] + 2.0 * pi;
    const double apart = 0.5 * (next - tangent[i]);
    angle[i] = middle + tangent[i] + apart;
    radius[i] = mean * R / std::cos(apart);
  }
  const auto corner = [&](int i, double z) noexcept {
    add_corner(out, X, Vec3(radius[i] * std::cos(angle[i]), radius[i] * std::sin(angle[i]), z));
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
  return (1.0 - mean) * R * across;
}

double cylinder_angle(const Shape& A, const Vec3& n_A, const Vec3& x_A) noexcept {
  const double R = A.size[0], rho = std::hypot(x_A[0], x_A[1]), across = std::hypot(n_A[0], n_A[1]);
  if (rho < 0.5 * R || across <= 1e-9) return rho < 0.5 * R ? 0.0 : pi;
  const double c = -(x_A[0] * n_A[0] + x_A[1] * n_A[1]), s = x_A[0] * n_A[1] - x_A[1] * n_A[0];
  return std::abs(std::atan2(s, c));
}

}  // namespace contactlib

#include "walls.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int fine = 8;     // strips on either side of the middle, across half the width of the zone
constexpr int most = 48;     // strips on either side
constexpr int coarse = 12;   // the same of a solid that is fine nowhere
constexpr int sectors = 16;  // around the middle of an ellipsoid's zone

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

// rings around the middle of the zone on a ball a little larger than the unit ball, stretched to the ellipsoid.
double ellipsoid_walls_of(const Shape& A, const Axes& X, const Zone& zone, OverlapScratch& out) noexcept {
  const Vec3 semi(A.size[0], A.size[1], A.size[2]);
  const Vec3 n_A = X.R.transpose() * zone.n;
  const Vec3 pole = -semi.cwiseProduct(n_A).normalized();
  Vec3 e1, e2;
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(pole[k]) < std::abs(pole[least])) least = k;
  e1 = pole.cross(Vec3::Unit(least)).normalized();
  e2 = pole.cross(e1);
  double step[most];
  const int count = steps(zone.width, step);
  const bool nowhere = zone.width >= pi;
  // a face between two rings and two sectors is half a step and half a sector off the ball's radius
  const double ring = nowhere ? pi / coarse : step[0], turned = std::sin(std::min(zone.width, 0.5 * pi)) * pi / sectors;
  const double around = 1.0 / (std::cos(ring) * std::cos(turned));
  const auto corner = [&](double polar, int k) noexcept {
    // between its corners a face comes nearer to the middle: by a third of their squared angles on the average
    const double side = std::sin(polar) * pi / sectors;
    const double radius = zone.holds ? around : 1.0 + (ring * ring + side * side) / 3.0;
    const double turn = 2.0 * pi * k / sectors, s = radius * std::sin(polar);
    const Vec3 x = radius * std::cos(polar) * pole + s * std::cos(turn) * e1 + s * std::sin(turn) * e2;
    add_corner(out, X, semi.cwiseProduct(x));
  };
  std::size_t first = out.corners.size();
  for (int k = 0; k < sectors; ++k) corner(step[0], k);
  add_wall(out, first);
  for (int i = 0; i + 2 < count; ++i)
    for (int k = 0; k < sectors; ++k) {
      first = out.corners.size();
      corner(step[i], k), corner(step[i + 1], k), corner(step[i + 1], k + 1), corner(step[i], k + 1);
      add_wall(out, first);
    }
  first = out.corners.size();
  for (int k = sectors - 1; k >= 0; --k) corner(step[count - 2], k);
  add_wall(out, first);
  return 0.0;
}

double cylinder_angle(const Shape& A, const Vec3& n_A, const Vec3& x_A) noexcept {
  const double R = A.size[0], rho = std::hypot(x_A[0], x_A[1]), across = std::hypot(n_A[0], n_A[1]);
  if (rho < 0.5 * R || across <= 1e-9) return rho < 0.5 * R ? 0.0 : pi;
  const double c = -(x_A[0] * n_A[0] + x_A[1] * n_A[1]), s = x_A[0] * n_A[1] - x_A[1] * n_A[0];
  return std::abs(std::atan2(s, c));
}

double ellipsoid_angle(const Shape& A, const Vec3& n_A, const Vec3& x_A) noexcept {
  const Vec3 semi(A.size[0], A.size[1], A.size[2]);
  const Vec3 pole = -semi.cwiseProduct(n_A).normalized(), x = x_A.cwiseQuotient(semi);
  return std::atan2(pole.cross(x).norm(), pole.dot(x));
}

}  // namespace contactlib

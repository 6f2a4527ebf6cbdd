#include "depth.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

Seat seat_of(const Shape& A, const Shape& B, int sharpness) noexcept {
  return {sharpness, std::min(A.seat_area, B.seat_area)};
}

Depth depth_of(const SurfaceScratch& points, const Seat& seat) noexcept {
  Depth depth{0.0, 0.0, 0.0, 0.0};
  const SurfacePoint *const first = points.points.data(), *const end = first + points.count;
  for (const SurfacePoint* p = first; p < end; ++p)
    depth.deepest = std::max(depth.deepest, p->extent), depth.area += p->area;
  if (!(depth.deepest > 0.0)) return depth;
  double sum = 0.0;
  for (const SurfacePoint* p = first; p < end; ++p) sum += p->area * power(p->extent / depth.deepest, seat.sharpness);
  const double ratio = root(sum / seat.area, seat.sharpness);
  depth.phi = ratio * depth.deepest;
  depth.scale = 1.0 / (seat.area * power(ratio, seat.sharpness - 1));
  return depth;
}

// The force passes through the centre of pressure; of contacts all round, a couple may be left out.
bool as_point(const SurfaceScratch& points, const Depth& depth, const Seat& seat, const Mat3& R_WA,
              ManifoldPoint& out) noexcept {
  if (!(depth.phi > 0.0)) return false;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero(), middle = Vec3::Zero();
  double load = 0.0;
  const SurfacePoint *deepest = points.points.data(), *const end = deepest + points.count;
  for (const SurfacePoint* p = deepest; p < end; ++p) {
    const double w = depth.scale * p->area * power(p->extent / depth.deepest, seat.sharpness - 1);
    force += w * p->n_AB, moment += w * p->x.cross(p->n_AB), middle += w * p->x, load += w;
    if (p->extent > deepest->extent) deepest = p;
  }
  const double size = force.norm();
  const Vec3 n = size > 1e-9 * load ? Vec3(force / size) : deepest->n_AB;
  Vec3 x = middle / load;
  // the line of action: x + d, d across n, with (x + d) x force = moment
  if (size > 1e-9 * load) {
    const Vec3 rest = moment - x.cross(force);
    x += n.cross(rest) / size;
  }
  out = {R_WA * x, R_WA * n, depth.deepest, 0, size * depth.phi / depth.deepest};
  return true;
}

void add_surface_contact(SurfaceKernel kernel, const Shape& A, const Shape& B, const Placement& X, int sharpness,
                         SurfaceScratch& scratch, Manifold& out) {
  scratch.rule = &quadrature(sharpness);
  kernel(A, B, X, scratch);
  while (scratch.needed > scratch.points.size()) {
    scratch.resize(2 * scratch.needed);
    kernel(A, B, X, scratch);
  }
  const Seat seat = seat_of(A, B, sharpness);
  ManifoldPoint point;
  if (!as_point(scratch, depth_of(scratch, seat), seat, X.R_WA, point)) return;
  ++out.needed;
  if (out.count < out.capacity) out.points[out.count++] = point;
}

}  // namespace contactlib::geometry

#include "face_planes.hpp"

#include <algorithm>

namespace contactlib::geometry {

namespace {

// Axes along and across the first edge; the origin is the middle of the face's box.
FacePlane plane_of(const Surface& surface, const Face& face, std::array<double, 2>* uv) noexcept {
  FacePlane plane;
  const Vec3 p0 = surface.corner(face, 0);
  plane.t_u = (surface.corner(face, 1) - p0).normalized();
  plane.t_v = face.n.cross(plane.t_u);
  double low[2] = {0.0, 0.0}, high[2] = {0.0, 0.0};
  for (int i = 0; i < face.count; ++i) {
    const Vec3 p = surface.corner(face, i) - p0;
    uv[i] = {plane.t_u.dot(p), plane.t_v.dot(p)};
    for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], uv[i][k]), high[k] = std::max(high[k], uv[i][k]);
  }
  const double u = 0.5 * (low[0] + high[0]), v = 0.5 * (low[1] + high[1]);
  plane.o = p0 + u * plane.t_u + v * plane.t_v;
  for (int i = 0; i < face.count; ++i) uv[i][0] -= u, uv[i][1] -= v;
  return plane;
}

}  // namespace

void find_face_planes(Surface& out) {
  if (out.loops.size() == 3 * out.faces.size()) return;
  out.planes.reserve(out.faces.size());
  out.loop_uv.resize(out.loops.size());
  for (const Face& face : out.faces) out.planes.push_back(plane_of(out, face, &out.loop_uv[face.first]));
}

}  // namespace contactlib::geometry

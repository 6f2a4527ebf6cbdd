#include "convex_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polygon_cut.hpp"

namespace contactlib::geometry {

namespace {

// Adds a polygon on which one face of the solid is the nearest, as a fan of triangles.
void add_cell(const Vec3* cell, int count, const Face& face, const Vec3& n_S, const FieldPlacement& to,
              SurfaceScratch& out) noexcept {
  const Quadrature& rule = *out.rule;
  const Vec3 n_AB = to.sign * (to.R_AF * face.n);
  const double facing = to.sheet ? std::abs(face.n.dot(n_S)) : std::max(0.0, -face.n.dot(n_S));
  const Vec3 x0 = to.R_AF * cell[0] + to.p_AF_A;
  const double e0 = face.d - face.n.dot(cell[0]);
  Vec3 x1 = to.R_AF * cell[1] + to.p_AF_A;
  double e1 = face.d - face.n.dot(cell[1]);
  for (int i = 2; i < count; ++i) {
    const Vec3 x2 = to.R_AF * cell[i] + to.p_AF_A;
    const double e2 = face.d - face.n.dot(cell[i]);
    const double area = 0.5 * to.weight * (x1 - x0).cross(x2 - x0).norm();
    if (area > 0.0) {
      out.needed += rule.count;
      if (out.needed <= out.points.size()) {
        SurfacePoint* point = out.points.data() + out.count;
        out.count += rule.count;
        for (const Quadrature::Point* p = rule.points; p < rule.points + rule.count; ++p, ++point)
          *point = {p->a * x0 + p->b * x1 + p->c * x2, n_AB, std::max(0.0, p->a * e0 + p->b * e1 + p->c * e2),
                    p->weight * area, facing};
      }
    }
    x1 = x2, e1 = e2;
  }
}

// Cuts polygon[0] by the faces of the solid; returns the number of corners that are left.
int inside(const ConvexField& field, int count, SurfaceScratch& out) noexcept {
  for (const Face* face = field.faces; face < field.faces + field.count; ++face) {
    const auto height = [&](const Vec3& x) noexcept { return face->n.dot(x) - face->d; };
    const Vec3* const x = out.polygon[0].data();
    int beyond = 0;
    for (int i = 0; i < count; ++i) beyond += height(x[i]) > 0.0;
    if (beyond == count) return 0;
    if (beyond == 0) continue;
    count = cut(x, count, height, out.polygon[1].data());
    out.polygon[0].swap(out.polygon[1]);
    if (count < 3) return 0;
  }
  return count;
}

// The faces that can be the nearest somewhere on polygon[0]: those whose least extent at a corner does not exceed the
// least of the greatest extents of all faces.
int find_nearest(const ConvexField& field, int count, SurfaceScratch& out) noexcept {
  double bound = std::numeric_limits<double>::infinity();
  const Vec3* const x = out.polygon[0].data();
  for (int f = 0; f < field.count; ++f) {
    const Face& face = field.faces[f];
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int i = 0; i < count; ++i) {
      const double extent = face.d - face.n.dot(x[i]);
      low = std::min(low, extent), high = std::max(high, extent);
    }
    out.heights[f] = low, bound = std::min(bound, high);
  }
  int found = 0;
  for (int f = 0; f < field.count; ++f)
    if (out.heights[f] <= bound) out.nearest[found++] = f;
  return found;
}

}  // namespace

void add_polygon(const ConvexField& field, int count, const Vec3& n_S, const FieldPlacement& to,
                 SurfaceScratch& out) noexcept {
  count = inside(field, count, out);
  if (count == 0) return;
  const int near = field.count == 1 ? 1 : find_nearest(field, count, out);
  if (field.count == 1 || near == 1)
    return add_cell(out.polygon[0].data(), count, field.faces[field.count == 1 ? 0 : out.nearest[0]], n_S, to, out);
  for (int i = 0; i < near; ++i) {
    const Face& face = field.faces[out.nearest[i]];
    const Vec3* cell = out.polygon[0].data();
    Vec3 *next = out.polygon[1].data(), *other = out.polygon[2].data();
    int left = count;
    for (int k = 0; k < near && left > 2; ++k) {
      if (k == i) continue;
      const Face& by = field.faces[out.nearest[k]];
      const Vec3 n = by.n - face.n;  // extent of `face` - extent of `by` = n.x - d
      const double d = by.d - face.d;
      if (d == 0.0 && n.isZero(0.0)) {  // the same plane twice: the first one counts
        if (k < i) left = 0;
        continue;
      }
      left = cut(cell, left, [&](const Vec3& x) noexcept { return n.dot(x) - d; }, next);
      cell = next;
      std::swap(next, other);
    }
    if (left > 2) add_cell(cell, left, face, n_S, to, out);
  }
}

}  // namespace contactlib::geometry

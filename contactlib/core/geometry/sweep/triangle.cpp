// Sphere and capsule against a triangle: a sheet of no thickness with two sides.
#include "triangle.hpp"

#include <cmath>

#include "ball_sheet.hpp"
#include "deferred_contacts.hpp"
#include "geometry/surface/surface.hpp"
#include "math/elementary.hpp"
#include "through.hpp"

namespace contactlib::geometry {

namespace {

struct Sheet {
  const Vec3* corner;
  const Edge* edge;  // edge k leads from corner k to the next one
  const Vec3& n;     // unit, across the sheet

  explicit Sheet(const Shape& B) noexcept
      : corner(B.surface->vertices.data()), edge(B.surface->edges.data()), n(B.surface->faces[0].n) {}

  Vec3 side(int k) const noexcept { return corner[k == 2 ? 0 : k + 1] - corner[k]; }
};

// Distances of the foot of p in the sheet's plane inside of each side, times the side's length: twice the area times
// the foot's barycentric coordinates.
struct Inside {
  double side[3];

  Inside(const Sheet& sheet, const Vec3& p) noexcept {
    const Vec3 e = sheet.corner[1] - sheet.corner[0], f = sheet.corner[2] - sheet.corner[0];
    const Vec3 across = sheet.n.cross(p - sheet.corner[0]);
    side[0] = -across.dot(e);
    side[2] = across.dot(f);
    side[1] = sheet.n.dot(e.cross(f)) - side[0] - side[2];
  }

  explicit operator bool() const noexcept { return (side[0] >= 0.0) & (side[1] >= 0.0) & (side[2] >= 0.0); }
};

// From the nearest point of the border to p: of the side that p is beyond and whose foot lies on it, or of a corner.
Vec3 from_border(const Sheet& sheet, const Inside& inside, const Vec3& p, bool& on_side) noexcept {
  on_side = false;
  Vec3 nearest = p - sheet.corner[0];
  double least = nearest.squaredNorm();
  for (int k = 0; k < 3; ++k) {
    const Vec3 q = p - sheet.corner[k];
    const Edge& edge = sheet.edge[k];
    const double along = q.dot(edge.t), squared = q.squaredNorm();
    if (inside.side[k] < 0.0 && along > 0.0 && along < edge.length) {
      on_side = true;
      return q - along * edge.t;
    }
    if (squared < least) least = squared, nearest = q;
  }
  return nearest;
}

// The nearest point of the sheet to p, if it is nearer than r.
inline bool nearest_within(double r, const Sheet& sheet, const Vec3& p, Nearest& out, bool& on_side) noexcept {
  const double height = sheet.n.dot(p - sheet.corner[0]);
  if (std::abs(height) >= r) return false;
  const Vec3 up = sheet.n * std::copysign(1.0, height);
  const Inside inside(sheet, p);
  if (inside) {
    out = {std::abs(height), up, true};
    return true;
  }
  const Vec3 w = from_border(sheet, inside, p, on_side);
  const double squared = w.squaredNorm();
  if (squared >= r * r) return false;
  const double distance = std::sqrt(squared);
  out = {distance, distance > 0.0 ? Vec3(w / distance) : up, false};
  return true;
}

// The body counts unless the sheet lies between: m.EF + |n.EF| > 0, with m out of the side in the sheet.
void add_side(Manifold& out, const Sweep& sweep, const Sheet& sheet, int k) noexcept {
  OverEdge over;
  if (!over_edge(sweep, sheet.corner[k], sheet.edge[k].t, sheet.edge[k].length, over)) return;
  const Vec3 m = sheet.edge[k].t.cross(sheet.n);
  if (!(m.dot(over.EF_B) + std::abs(sheet.n.dot(over.EF_B)) > 0.0)) return;
  const double phi = over.EF_B.dot(over.n_B);
  sweep.add(out, over.s, phi < 0.0 ? Vec3(-over.n_B) : over.n_B, std::abs(phi), edge_feature + k);
}

// Along one of its sides only, it is the end of the other side.
void add_corner(Manifold& out, const Sweep& sweep, const Sheet& sheet, int k, DeferredContacts& deferred) noexcept {
  Vec3 w;
  double s = 0;
  if (!over_corner(sweep, sheet.corner[k], s, w)) return;
  const double distance = w.norm(), most = parallel * distance;
  const int along = (w.dot(sheet.edge[k].t) > most) + (w.dot(sheet.edge[k == 0 ? 2 : k - 1].t) < -most);
  if (along == 2) return;
  const Vec3 g = distance > 0.0 ? Vec3(w / distance) : across_axis(sweep, sheet.n);
  if (along == 0)
    sweep.add(out, s, g, distance, corner_feature + k);
  else
    deferred.add(s, g, distance, corner_feature + k);
}

// The way to move the axis out of the sheet: the contact at s of the axis, its depth, and the direction of the sheet.
struct Way {
  double s, depth;
  Vec3 n;
};

// Back through the sheet with the end that is nearer to its plane.
Way end_first(const Sweep& sweep, const Sheet& sheet, double height0, double height1) noexcept {
  const bool first = std::abs(height0) < std::abs(height1);
  const double height = first ? height0 : height1;
  return {first ? 0.0 : sweep.length, std::abs(height), sheet.n * std::copysign(1.0, height)};
}

// Past side k, across it and the axis. Returns false if they are parallel.
bool past_side(const Sweep& sweep, const Sheet& sheet, int k, Way& out) noexcept {
  const Vec3 &t = sheet.edge[k].t, w = sweep.Q0_B - sheet.corner[k], n = t.cross(sweep.d_B);
  const double n2 = n.squaredNorm();
  if (n2 < 1e-24) return false;
  const double into = n.dot(sheet.side(k == 0 ? 2 : k - 1)) > 0.0 ? -1.0 : 1.0;
  out.n = n * (into / std::sqrt(n2));
  out.depth = out.n.dot(w);
  out.s = w.cross(t).dot(n) / n2;
  return true;
}

// Removes contacts with the other side of a sheet that the axis crosses.
void drop_opposed(Manifold& out, const Vec3& n_W) noexcept {
  int kept = 0;
  for (int i = 0; i < out.count; ++i)
    if (!(out.points[i].n_AB_W.dot(n_W) < 0.0)) out.points[kept++] = out.points[i];
  out.needed -= out.count - kept;
  out.count = kept;
}

// The least translation that moves the axis out of the sheet. height0, height1: of its ends, one above and one below.
void add_axis(Manifold& out, const Sweep& sweep, const Sheet& sheet, double height0, double height1) noexcept {
  if (!Inside(sheet, sweep.at(sweep.length * (height0 / (height0 - height1))))) return;
  Way best = end_first(sweep, sheet, height0, height1), way = best;
  for (int k = 0; k < 3; ++k)
    if (past_side(sweep, sheet, k, way) && way.depth < best.depth) best = way;
  drop_opposed(out, sweep.R_WB * best.n);
  sweep.add(out, best.s, -best.n, -best.depth, through_feature);
}

// Of the parts for which `has` holds.
template <class Has>
inline void add_parts(const Shape& A, const Shape& B, const Placement& X, const Has& has, Manifold& out) noexcept {
  const Sheet sheet(B);
  const Sweep capsule = sweep(A, X);
  const double height0 = sheet.n.dot(capsule.Q0_B - sheet.corner[0]);
  const double height1 = sheet.n.dot(capsule.Q1_B - sheet.corner[0]);
  if (height0 * height1 > 0.0 && math::fmin(std::abs(height0), std::abs(height1)) >= capsule.r) return;
  DeferredContacts deferred;
  for (const int i : {0, 1}) {
    Nearest nearest;
    bool on_side = false;
    if (!has(i)) continue;
    if (!nearest_within(capsule.r, sheet, i == 0 ? capsule.Q0_B : capsule.Q1_B, nearest, on_side)) continue;
    if (!add_end(out, capsule, i, nearest) && on_side) deferred.add_end(capsule, i, nearest, end_feature + i);
  }
  for (int k = 0; k < 3; ++k)
    if (has(triangle_side + k)) add_side(out, capsule, sheet, k);
  for (int k = 0; k < 3; ++k)
    if (has(triangle_corner + k)) add_corner(out, capsule, sheet, k, deferred);
  deferred.accept(out, capsule);
  if (has(triangle_inside) && height0 * height1 < 0.0) add_axis(out, capsule, sheet, height0, height1);
}

}  // namespace

void sphere_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  using Three = math::Lanes3<double>;
  const BallSheet<double> sheet(B.surface->vertices.data(), B.surface->faces[0].n);
  const double r = A.size[0];
  const Vec3 to_corner = X.R_WB.transpose() * X.p_AB_W + B.surface->vertices[0];
  const Three v{to_corner[0], to_corner[1], to_corner[2]};
  double inside = 0.0;
  const Three w = sheet.to_border(v, inside);
  const auto contact = sheet.contact(r, math::dot(sheet.n, v), inside, w);
  if (!(contact.depth > 0.0)) return;
  const Vec3 n_W = X.R_WB * Vec3(contact.n.x, contact.n.y, contact.n.z);
  out.add((r - 0.5 * contact.depth) * n_W, n_W, contact.depth, end_feature);
}

void capsule_triangle(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  add_parts(A, B, X, [](int) noexcept { return true; }, out);
}

void capsule_triangle_parts(const Shape& A, const Shape& B, const Placement& X, unsigned parts,
                            Manifold& out) noexcept {
  add_parts(A, B, X, [parts](int part) noexcept { return (parts >> part & 1u) != 0; }, out);
}

}  // namespace contactlib::geometry

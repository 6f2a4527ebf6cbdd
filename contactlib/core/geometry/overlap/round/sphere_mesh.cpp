// Spheres against a mesh. docs/manifolds.md, "Ball at x", defines the contacts.
#include "sphere_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/manifold/load_share.hpp"
#include "geometry/mesh/mesh.hpp"
#include "geometry/overlap/depth.hpp"
#include "geometry/surface/surface.hpp"
#include "round_mesh.hpp"

namespace contactlib::geometry {

namespace {

// Facets across the radius of the patch: up to `few` the nearest places count alone, from `several` on the surface.
constexpr double few = 2.0, several = 4.0;
// Relative to the sphere's radius: from the first depth on the nearest places count again, from the second on alone.
constexpr double shallow = 0.3, half_sunk = 0.5;
constexpr int max_kept = 32;  // contacts of the nearest places; of more, those that were found first

// Of the surface contact, and its derivative by the depth, 1/m.
struct Weight {
  double value, slope;
};

// 3 t^2 - 2 t^3 of t = (x - low)/(high - low), within 0 and 1, with its derivative by x
Weight rise(double x, double low, double high) noexcept {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return {t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / (high - low)};
}

// A plane at the depth D below the sphere's lowest point cuts a disc of radius a:
//   a^2 = D (2 r - D),  da/dD = (r - D)/a
Weight weight_of(double r, double depth, double fineness) noexcept {
  if (!(depth < half_sunk * r)) return {0.0, 0.0};
  const double a = std::sqrt(depth * (2.0 * r - depth));
  const Weight fine = rise(a * fineness, few, several), sunk = rise(depth, shallow * r, half_sunk * r);
  return {fine.value * (1.0 - sunk.value),
          fine.slope * fineness * (r - depth) / a * (1.0 - sunk.value) - fine.value * sunk.slope};
}

// 1/m, at the nearest place: between those of the corners of its triangle.
double fineness_at(const Surface& mesh, const Place& place) noexcept {
  const Face& face = mesh.faces[place.face];
  double sum = 0.0, whole = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 p = mesh.corner(face, (i + 1) % 3) - place.S, q = mesh.corner(face, (i + 2) % 3) - place.S;
    const double part = std::max(0.0, p.cross(q).dot(face.n));
    sum += part * mesh.fineness[mesh.loops[face.first + i]], whole += part;
  }
  return whole > 0.0 ? sum / whole : 0.0;
}

// A contact that is deeper than `most` has the same force at that depth. The force of a sphere acts through its middle.
ManifoldPoint limited(ManifoldPoint point, double most, double r) noexcept {
  if (point.depth > most) point.load_share *= point.depth / most, point.depth = most;
  point.p_AC_W = (r - 0.5 * point.depth) * point.n_AB_W;
  return point;
}

// Twice the energy of contacts with load shares, for a stiffness of 1.
double energy_of(const ManifoldPoint* points, int count) noexcept {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += points[i].load_share * points[i].depth * points[i].depth;
  return sum;
}

}  // namespace

// On a few facets the nearest places are exact. On many small facets of a curved surface the nearest place jumps from
// facet to facet, and the surface contact is nearer to the smooth surface. With its weight w(D), D the greatest depth at
// a nearest place and n the normal there:
//   E = (1 - w) E_nearest + w E_surface,  f = (1 - w) f_nearest + w f_surface + (E_surface - E_nearest) w' n
void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Place place = nearest_sphere_mesh(A, B, X, out);
  if (out.count == 0) return;
  const double r = A.size[0], greatest = r - place.phi;
  const Weight weight = weight_of(r, greatest, fineness_at(*B.surface, place));
  if (!(weight.value > 0.0)) return;
  SurfaceScratch& scratch = *out.scratch;
  add_sphere_on_mesh(A, B, X, scratch);
  if (scratch.needed > scratch.capacity()) return;
  const Depth depth = depth_of(scratch);
  ManifoldPoint surface;
  if (!as_point(scratch, depth, X.R_WA, surface)) return;
  const double phi = depth.phi, gained = phi * phi - energy_of(out.points, out.count);
  // so that the greatest depth is continuous, too
  const double most = weight.value * phi + (1.0 - weight.value) * greatest;
  double pull = 0.0;  // what the deepest contact cannot bear without pulling: the surface contact has as much less
  for (int i = 0; i < out.count; ++i) {
    ManifoldPoint& point = out.points[i];
    const bool is_deepest = point.depth >= greatest * (1.0 - 1e-12);
    point.load_share *= 1.0 - weight.value;
    if (is_deepest) point.load_share += 0.5 * gained * weight.slope / greatest;
    if (point.load_share < 0.0) pull += point.load_share * point.depth, point.load_share = 0.0;
    point = limited(point, most, r);
  }
  surface.load_share = std::max(0.0, weight.value * surface.load_share + pull / surface.depth);
  surface.feature = roaming;
  add(out, limited(surface, most, r));
}

}  // namespace contactlib::geometry

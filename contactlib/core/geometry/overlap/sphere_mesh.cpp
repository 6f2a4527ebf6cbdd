// Spheres against a mesh. docs/manifolds.md, "Ball at x" and "Overlap patches", defines the contacts.
#include <algorithm>
#include <cmath>

#include "geometry/manifold/load_share.hpp"
#include "geometry/mesh/mesh.hpp"
#include "geometry/overlap/springs/springs.hpp"
#include "mesh_solid.hpp"

namespace contactlib::geometry {

namespace {

// Facets across the radius of the patch: up to `few` the nearest places count alone, from `several` on the patches.
constexpr double few = 2.0, several = 4.0;
// Relative to the sphere's radius: from the first depth on the nearest places count again, from the second on alone.
constexpr double shallow = 0.3, half_sunk = 0.5;
constexpr int max_kept = 32;  // contacts of the nearest places; of more, those that were found first

// Of the patches, and its derivative by the depth, 1/m.
struct Weight {
  double value, slope;
};

// smoothstep() of (x - low)/(high - low), with its derivative by x
Weight rise(double x, double low, double high) noexcept {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return {smoothstep(t), 6.0 * t * (1.0 - t) / (high - low)};
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

// With weights of load shares; the energy for a stiffness of 2: int of force by depth.
struct Contacts {
  const ManifoldPoint* points;
  int count;

  double energy() const noexcept {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += points[i].load_share * points[i].depth * points[i].depth;
    return sum;
  }
  double deepest() const noexcept {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = std::max(most, points[i].depth);
    return most;
  }
};

// A contact that is deeper than `most` has the same force at that depth.
void limit(ManifoldPoint& point, double most) noexcept {
  if (point.depth <= most) return;
  point.load_share *= point.depth / most;
  point.depth = most;
}

}  // namespace

// On a few facets the nearest places are exact. On many small facets of a curved surface the nearest place jumps from
// facet to facet, and the patch is nearer to the smooth surface. With the weight w(D) of the patches, D the greatest
// depth at a nearest place and n its normal:
//   E = (1 - w) E_nearest + w E_patches,  f = (1 - w) f_nearest + w f_patches + (E_patches - E_nearest) w' n
void sphere_mesh(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Place place = nearest_sphere_mesh(A, B, X, out);
  if (out.count == 0) return;
  const double r = A.size[0], depth = r - place.phi;
  const Weight weight = weight_of(r, depth, fineness_at(*B.surface, place));
  if (!(weight.value > 0.0)) return;
  ManifoldPoint nearest[max_kept];
  const int count = std::min(out.count, max_kept);
  std::copy(out.points, out.points + count, nearest);
  out.count = out.needed = 0;
  curved_mesh(A, B, X, out);
  const Contacts patches{out.points, out.count}, places{nearest, count};
  const double gained = patches.energy() - places.energy();
  // the greatest depth is continuous, too
  const double most = weight.value * patches.deepest() + (1.0 - weight.value) * depth;
  for (int i = 0; i < out.count; ++i) {
    ManifoldPoint& point = out.points[i];
    point.load_share *= weight.value;
    limit(point, most);
    point.p_AC_W = (r - 0.5 * point.depth) * point.n_AB_W;  // the force of a sphere acts through its middle
  }
  for (int i = 0; i < count; ++i) {
    ManifoldPoint& point = nearest[i];
    const bool is_deepest = point.depth >= depth * (1.0 - 1e-12);
    point.load_share *= 1.0 - weight.value;
    if (is_deepest) point.load_share += 0.5 * gained * weight.slope / depth;
    limit(point, most);
    point.p_AC_W = (r - 0.5 * point.depth) * point.n_AB_W;
    if (point.load_share > 0.0) add(out, point);
  }
}

}  // namespace contactlib::geometry

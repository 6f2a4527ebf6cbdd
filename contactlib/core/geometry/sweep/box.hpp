#pragma once

#include "deferred_contacts.hpp"

namespace contactlib::geometry {

void sphere_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;
void capsule_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept;

// Parts of a capsule's contact with a box, by bits: ends 0 and 1; four edges along each axis; corners; the axis inside.
// Edges and corners on the sides nearer to the capsule come first, bits of their number tell which sides are not.
inline constexpr int box_edge = 2, box_corner = 14, box_inside = 22;
inline constexpr unsigned all_of_box = (1u << 23) - 1;

// As `capsule_box`, if the other parts have no contact.
void capsule_box_parts(const Shape& A, const Shape& B, const Placement& X, unsigned parts, Manifold& out) noexcept;
void capsule_box_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                      ManifoldPoint* points, PairContacts* found) noexcept;

// The box `p +- half` in B's axes.
struct BoxSolid {
  Vec3 centre_B;
  Vec3 half;
};

Nearest nearest_on_box(const BoxSolid& box, const Vec3& p_B) noexcept;
bool is_on_edge(const BoxSolid& box, const Vec3& p_B) noexcept;  // the nearest point is, inside the edge
void add_box_edges(Manifold& out, const Sweep& sweep, const BoxSolid& box, DeferredContacts& deferred) noexcept;

// The interval of the axis inside the box; returns false if the axis misses the box.
bool clip(const Sweep& sweep, const BoxSolid& box, double& s0, double& s1) noexcept;

// Depth of the axis below a face as a function of the length along the axis: a + b s.
struct FaceDepth {
  double a, b;
};

// Depth below face k of the box: axis k / 2, its - side for even k, its + side for odd k.
FaceDepth face_depth(const Sweep& sweep, const BoxSolid& box, int k) noexcept;

// The depth below the nearest face is concave along the axis: greatest at an end or where two faces are equally near.
template <class NearestOn>
void evaluate_faces(Deepest<NearestOn>& deepest, const BoxSolid& box) noexcept {
  deepest.evaluate(deepest.s0);
  deepest.evaluate(deepest.s1);
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < k; ++j) {
      const FaceDepth f = face_depth(deepest.sweep, box, k), g = face_depth(deepest.sweep, box, j);
      deepest.evaluate((g.a - f.a) / (f.b - g.b));
    }
}

}  // namespace contactlib::geometry

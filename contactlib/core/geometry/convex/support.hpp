// A convex solid as a Minkowski sum: the corners of a polytope plus a round part about the origin. A cylinder is its
// axis plus a disc, an ellipsoid is one corner plus itself; all others have corners only. And the Minkowski difference
// of two such solids. Of shapes with a swept radius these are the cores.
#pragma once

#include <algorithm>
#include <cmath>

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// `a` if yes, else `b`, without a branch: the condition is random, so a processor cannot predict it.
inline int pick(bool yes, int a, int b) noexcept { return b ^ ((a ^ b) & -static_cast<int>(yes)); }

// The corners and their neighbours.
struct Corners {
  const Vec3* x;
  const std::int32_t* first;  // as in Surface
  const IncidentEdge* incident_edges;
  const Wheel* wheels;  // null: none
  const Edge* edges;
  const std::int32_t* furthest;  // as in Surface; null: start anywhere
  std::int32_t count;

  static int other(int v, const Edge& edge) noexcept { return edge.v0 ^ edge.v1 ^ v; }
  // A corner near the support vertex along n.
  int start(const Vec3& n) const noexcept { return furthest ? furthest[aim(n)] : 0; }
};

// The support vertex along n. `start`: a corner near it, or -1.
int furthest_corner(const Corners& corners, const Vec3& n, int start) noexcept;

// A shape, or a convex piece of it: then its corners, which someone else holds, about the piece's own origin.
struct SolidSource {
  const Shape& shape;
  const Corners* corners = nullptr;
};

// A solid in its own axes. It contains pointers into itself.
struct Solid {
  const Shape& shape;
  Corners corners;
  Vec3 radii = Vec3::Zero();  // of the round part: none, a disc (r, r, 0) or an ellipsoid
  static constexpr double along_axis = 1e-14;  // sine, up to which a disc is seen along its axis

  explicit Solid(const SolidSource& source) noexcept;
  Solid(const Solid&) = delete;
  Solid& operator=(const Solid&) = delete;

  double size() const noexcept { return (corners.x[0].cwiseAbs() + radii).sum(); }
  bool is_round() const noexcept { return radii[0] > 0.0; }
  bool is_flat() const noexcept { return is_round() && radii[2] == 0.0; }  // a cylinder
  // The round part's support point along n; the disc's middle if n is the disc's axis.
  Vec3 furthest(const Vec3& n) const noexcept {
    const Vec3 y = radii.cwiseProduct(n);
    const double length = y.norm();
    return length > along_axis * radii[0] ? Vec3(radii.cwiseProduct(y) / length) : Vec3(Vec3::Zero());
  }
  // The support point of the whole solid along n.
  Vec3 support(const Vec3& n) const noexcept { return corners.x[furthest_corner(corners, n, -1)] + furthest(n); }
  // The radius of a disc whose axis is n, else 0: how far its support points extend in all directions.
  double reach(const Vec3& n) const noexcept {
    return is_flat() && !(n.head<2>().squaredNorm() > along_axis * along_axis) ? radii[0] : 0.0;
  }
  // u.H.v, with H the second derivative of the round part's support function |r n|:
  //   H = (r^2 - y y^T)/|r n|,   y = r^2 n/|r n|
  double bend(const Vec3& n, const Vec3& u, const Vec3& v) const noexcept;
  // Radius of a ball that can roll along the inside of the whole surface.
  double rolling() const noexcept;
  // A point that is not outside, and not on the surface if the solid has an inside.
  Vec3 middle() const noexcept { return shape.surface ? shape.surface->mean : Vec3(Vec3::Zero()); }

 private:
  Vec3 ends_[2];
  Edge axis_;
  IncidentEdge incident_edges_[2];
};

// The set of a - b for all a of A and b of B, in A's axes. The two overlap if it contains the origin.
struct MinkowskiDifference {
  Solid A, B;
  Mat3 R_AB;
  Vec3 p_AB;
  double size;   // m, of the coordinates; scales their rounding
  double swept;  // m, the sum of the shapes' swept radii: they overlap by so much more than their cores

  MinkowskiDifference(const Shape& a, const Shape& b, const Placement& X) noexcept
      : MinkowskiDifference({a}, {b}, X.R_WA.transpose() * X.R_WB, X.R_WA.transpose() * X.p_AB_W) {}

  MinkowskiDifference(const SolidSource& a, const SolidSource& b, const Mat3& R, const Vec3& p) noexcept
      : A(a),
        B(b),
        R_AB(R),
        p_AB(p),
        size(A.size() + B.size() + p_AB.cwiseAbs().sum()),
        swept(swept_radius(a.shape) + swept_radius(b.shape)) {}

  Vec3 against_B(const Vec3& n) const noexcept { return -(R_AB.transpose() * n); }
  Vec3 corner(int a, int b) const noexcept { return A.corners.x[a] - corner_B(b); }
  Vec3 corner_B(int b) const noexcept { return p_AB + R_AB * B.corners.x[b]; }
  double fine() const noexcept { return 1e-14 * size; }  // m, what counts as nothing
  bool is_round() const noexcept { return A.is_round() || B.is_round(); }
  // The round parts' support point along n.
  Vec3 furthest(const Vec3& n) const noexcept { return A.furthest(n) - R_AB * B.furthest(against_B(n)); }
};

// A point of D.
inline Vec3 middle(const MinkowskiDifference& D) noexcept { return D.A.middle() - (D.p_AB + D.R_AB * D.B.middle()); }

// The face around corner v whose normal is nearest to n; -1 if there is none.
int face_along(const Surface& surface, int v, const Vec3& n) noexcept;

// Moves a and b to the support vertices along n.
void climb(const MinkowskiDifference& D, const Vec3& n, int& a, int& b) noexcept;

}  // namespace contactlib::geometry

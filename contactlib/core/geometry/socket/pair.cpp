#include "pair.hpp"

#include <algorithm>

namespace contactlib::geometry {

namespace {

// Whether w leads out of an edge: it is between the normals of the edge's faces, or leans over one of them by no more
// than half the angle between them, and no more than 45 degrees. h: half that angle.
//   w . m >= cos(h + min(h, 45 deg)),   m: half-way between the normals
bool leads_out(const Vec3& w, const Spot& spot) noexcept {
  const Vec3 sum = spot.n0 + spot.n1;
  const double cosine = 0.5 * sum.norm(), sine = 0.5 * (spot.n0 - spot.n1).norm();
  const Vec3 m = cosine > 1e-6 ? Vec3(sum / (2.0 * cosine)) : spot.t.cross(spot.n0);
  const double least = sine < cosine ? spot.n0.dot(spot.n1) : std::sqrt(0.5) * (cosine - sine);
  return w.dot(m) >= least - 1e-9;
}

}  // namespace

bool leads_across(const Spot& a, const Spot& b, double noise, EdgeCrossing& out) noexcept {
  const Vec3 across = a.t.cross(b.t);
  const double squared = across.squaredNorm();
  if (!(squared > 1e-18)) return false;
  const double sense = across.dot(b.n0 + b.n1) > 0.0 ? -1.0 : 1.0;
  out.n = across * (sense / std::sqrt(squared));
  out.depth = out.n.dot(a.E - b.E);
  if (!(out.depth > noise) || !leads_out(out.n, a) || !leads_out(-out.n, b)) return false;
  out.C = 0.5 * (a.E + b.E);
  return true;
}

bool feet(const Line& a, const Line& b, double tol, double& s_a, double& s_b) noexcept {
  const Perpendicular across(a, b);
  if (across.is_parallel()) return false;
  s_a = across.s_a / across.c2;
  s_b = across.s_b / across.c2;
  return s_a >= -tol && s_a <= a.length + tol && s_b >= -tol && s_b <= b.length + tol;
}

CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const Line& line) noexcept {
  const Vec3 u = perpendicular(circle_edge.axis), v = circle_edge.axis.cross(u), w = line.p - circle_edge.c;
  const RimMinima minima = rim_line_exact(circle_edge.R, Vec3(w.dot(u), w.dot(v), w.dot(circle_edge.axis)),
                                          Vec3(line.t.dot(u), line.t.dot(v), line.t.dot(circle_edge.axis)));
  CircleEdgeMinima out;
  for (int i = 0; i < minima.count; ++i) out.E[out.count++] = minima.E[i][0] * u + minima.E[i][1] * v;
  return out;
}

// The distance of the circle's point E from the other circle is that from the other circle's point on the same half
// plane:
//   D^2 = (rho - R')^2 + z^2,   D D' = E'.(w - R' e_rho),   w = E - c'
CircleEdgeMinima nearest_on_circle_edge(const CircleEdge& circle_edge, const CircleEdge& other) noexcept {
  return rising_on(circle_edge, other.c - circle_edge.c, [&](const Vec3& E) noexcept {
    const Vec3 w = circle_edge.c + E - other.c, across = w - w.dot(other.axis) * other.axis;
    const double rho = across.norm();
    return circle_edge.axis.cross(E).dot(rho > 0.0 ? Vec3(w - (other.R / rho) * across) : w);
  });
}

double SocketTarget::above(const Vec3& x) const noexcept {
  double most = -1e300;
  for (int k = 0; k < 7; ++k) most = std::max(most, height(k, x));
  return most;
}

double SocketTarget::above_others(const Vec3& x, const Vec3& E) const noexcept {
  double most = -1e300;
  for (int k = 0; k < 7; ++k)
    if (std::abs(height(k, E)) > tol) most = std::max(most, height(k, x));
  return most;
}

// Corner k and edge e = 4k + j as numbered in docs/manifolds.md.
Vec3 SocketTarget::corner(int k) const noexcept {
  return {k & 1 ? solid.half(0) : -solid.half(0), k & 2 ? solid.half(1) : -solid.half(1),
          k & 4 ? 0.0 : -solid.shape.size[2]};
}

Ridge SocketTarget::edge(int e) const noexcept {
  constexpr int first[3] = {1, 0, 0}, second[3] = {2, 2, 1};
  const int k = e / 4, i1 = first[k], i2 = second[k], bit1 = e % 4 & 1, bit2 = e % 4 >> 1;
  const Vec3 start = corner((bit1 << i1) | (bit2 << i2));
  return {{start, Vec3::Unit(k), solid.shape.size[k]},
          (bit1 ? 1.0 : -1.0) * Vec3::Unit(i1),
          (bit2 ? 1.0 : -1.0) * Vec3::Unit(i2)};
}

bool SocketTarget::corner_faces(int k, const Vec3& n) noexcept {
  const Vec3 sign(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
  return n.cwiseProduct(sign).maxCoeff() <= -least_slope;
}

bool SocketTarget::clear_of_box(const Vec3& low, const Vec3& high) const noexcept {
  for (int i = 0; i < 2; ++i)
    if (!(low[i] > tol - solid.half(i) && high[i] < solid.half(i) - tol)) return false;
  return low[2] > tol - solid.shape.size[2];
}

SocketPair::SocketPair(const Shape& A, double size_A, const Shape& B, const Placement& X, Manifold& out) noexcept
    : B{SocketSolid(B), 0.0, 0.0},
      A_to_B{X.R_WB.transpose() * X.R_WA, centre(X)},
      X(X),
      out(out),
      hollow(A.kind == ShapeKind::triangle),
      socket_first(A.kind > B.kind),
      before(out.needed) {
  const double size = std::min(size_A, Vec3(B.size).norm());
  this->B.tol = same_place * size;
  this->B.noise = rounded * size;
}

void SocketPair::add(const Vec3& C_B, const Vec3& n_B, double depth, std::int64_t number) const noexcept {
  const Vec3 C_W = X.R_WB * (socket_first ? C_B : Vec3(C_B - A_to_B.p)), n_W = X.R_WB * n_B;
  const ManifoldPoint point{C_W, socket_first ? Vec3(-n_W) : n_W, depth, feature_number(number)};
  for (int i = 0; i < out.count; ++i) {
    if ((out.points[i].p_AC_W - point.p_AC_W).squaredNorm() > B.tol * B.tol) continue;
    if (depth > out.points[i].depth) out.points[i] = point;
    return;
  }
  geometry::add(out, point);
}

bool SocketPair::misses(const Vec3& low, const Vec3& high) const noexcept {
  for (int i = 0; i < 2; ++i)
    if (!(low[i] < B.solid.half(i) && high[i] > -B.solid.half(i))) return true;
  return !(low[2] < 0.0 && high[2] > -B.solid.shape.size[2]);
}

}  // namespace contactlib::geometry

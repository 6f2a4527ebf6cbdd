// sphere and capsule against a box: signed distance at the ends, common perpendiculars with the edges.
#include "box.hpp"

#include <algorithm>
#include <cmath>

namespace contactlib {

namespace {

// the body of the sweep against one edge along axis k, at the corner (side1 half1, side2 half2) of the plane (i1, i2).
// in that plane the axis is a line and the edge a point:
//   s = (E - Q0).d / |d|^2,   (u, v) = outward components of F - E,   d^2 = u^2 + v^2
void add_edge(Manifold& out, const Sweep& sweep, const BoxSolid& box, int k, int j, double inverse) noexcept {
  const int i1 = k == 0 ? 1 : 0, i2 = k == 2 ? 1 : 2;
  const double side1 = (j & 1) ? 1.0 : -1.0, side2 = (j & 2) ? 1.0 : -1.0;
  const Vec3 Q = sweep.Q0_B - box.centre_B;
  const Vec3& d = sweep.d_B;
  const double e1 = side1 * box.half[i1], e2 = side2 * box.half[i2];
  const double s = ((e1 - Q[i1]) * d[i1] + (e2 - Q[i2]) * d[i2]) * inverse;
  if (!(s > 0.0 && s < sweep.length)) return;
  if (!(std::abs(Q[k] + s * d[k]) < box.half[k])) return;

  const double u = side1 * (Q[i1] + s * d[i1] - e1), v = side2 * (Q[i2] + s * d[i2] - e2);
  const double squared = u * u + v * v;
  if (squared >= sweep.r * sweep.r) return;
  const bool outside = u + v > 0.0;
  const bool inside = u <= 0.0 && v <= 0.0 && u > -box.half[i1] && v > -box.half[i2];
  if (!outside && !inside) return;

  // the normal is across the edge and the axis; from their directions it is sharp even where F - E vanishes.
  const double span = std::sqrt(1.0 / inverse);
  double g1 = side1 * side2 * d[i2] / span, g2 = -side1 * side2 * d[i1] / span;
  if (side1 * g1 + side2 * g2 < 0.0) g1 = -g1, g2 = -g2;
  Vec3 g = Vec3::Zero();
  g[i1] = g1;
  g[i2] = g2;
  sweep.add(out, s, g, outside ? std::sqrt(squared) : -std::sqrt(squared), edge_feature + 4 * k + j);
}

void add_corner(Manifold& out, const Sweep& sweep, const BoxSolid& box, int corner) noexcept {
  const Vec3 side((corner & 1) ? 1.0 : -1.0, (corner & 2) ? 1.0 : -1.0, (corner & 4) ? 1.0 : -1.0);
  const Vec3 E = box.centre_B + side.cwiseProduct(box.half);
  const double s = (E - sweep.Q0_B).dot(sweep.d_B);
  if (!(s > 0.0 && s < sweep.length)) return;
  const Vec3 EF = sweep.at(s) - E;
  const double squared = EF.squaredNorm();
  if (squared >= sweep.r * sweep.r || squared == 0.0) return;
  if ((side.cwiseProduct(EF).array() < 0.0).any()) return;
  const double distance = std::sqrt(squared);
  sweep.add(out, s, EF / distance, distance, corner_feature + corner);
}

}  // namespace

Nearest nearest_on_box(const BoxSolid& box, const Vec3& p_B) noexcept {
  const Vec3 p = p_B - box.centre_B;
  const Vec3 out = p.cwiseAbs() - box.half;  // > 0: outside that face
  int axis = 0;
  const double most = out.maxCoeff(&axis);
  if (most <= 0.0) {
    Vec3 g = Vec3::Zero();
    g[axis] = p[axis] < 0.0 ? -1.0 : 1.0;
    return {most, g, true};
  }
  const Vec3 beyond = out.cwiseMax(0.0);
  const int faces = (out[0] > 0.0) + (out[1] > 0.0) + (out[2] > 0.0);
  const double phi = faces == 1 ? most : beyond.norm();
  Vec3 g = beyond / phi;
  for (int i = 0; i < 3; ++i)
    if (p[i] < 0.0) g[i] = -g[i];
  return {phi, g, faces == 1};
}

void add_box_edges(Manifold& out, const Sweep& sweep, const BoxSolid& box) noexcept {
  if (sweep.length == 0.0) return;
  for (int k = 0; k < 3; ++k) {
    const double across = 1.0 - sweep.d_B[k] * sweep.d_B[k];
    if (across < 1e-24) continue;  // along the edge: the ends carry the contact
    const int i1 = k == 0 ? 1 : 0, i2 = k == 2 ? 1 : 2;
    const double inverse = 1.0 / (sweep.d_B[i1] * sweep.d_B[i1] + sweep.d_B[i2] * sweep.d_B[i2]);
    for (int j = 0; j < 4; ++j) add_edge(out, sweep, box, k, j, inverse);
  }
  for (int corner = 0; corner < 8; ++corner) add_corner(out, sweep, box, corner);
}

FaceDepth face_depth(const Sweep& sweep, const BoxSolid& box, int k) noexcept {
  const int i = k / 2;
  const double side = k % 2 ? 1.0 : -1.0;
  return {box.half[i] - side * (sweep.Q0_B[i] - box.centre_B[i]), -side * sweep.d_B[i]};
}

bool clip(const Sweep& sweep, const BoxSolid& box, double& s0, double& s1) noexcept {
  s0 = 0.0;
  s1 = sweep.length;
  const Vec3 Q = sweep.Q0_B - box.centre_B;
  for (int i = 0; i < 3; ++i) {
    const double d = sweep.d_B[i];
    if (d == 0.0) {
      if (std::abs(Q[i]) >= box.half[i]) return false;
      continue;
    }
    const double a = (-box.half[i] - Q[i]) / d, b = (box.half[i] - Q[i]) / d;
    s0 = std::max(s0, std::min(a, b));
    s1 = std::min(s1, std::max(a, b));
  }
  return s0 < s1;
}

void sphere_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep ball = sweep(A, X);
  const BoxSolid box{Vec3::Zero(), 0.5 * Vec3(B.size[0], B.size[1], B.size[2])};
  add_end(out, ball, 0, nearest_on_box(box, ball.Q0_B));
}

void capsule_box(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const Sweep capsule = sweep(A, X);
  const BoxSolid box{Vec3::Zero(), 0.5 * Vec3(B.size[0], B.size[1], B.size[2])};
  for (int i = 0; i < 3; ++i) {
    const double low = std::min(capsule.Q0_B[i], capsule.Q1_B[i]), high = std::max(capsule.Q0_B[i], capsule.Q1_B[i]);
    if (low >= box.half[i] + capsule.r || high <= -box.half[i] - capsule.r) return;
  }
  add_end(out, capsule, 0, nearest_on_box(box, capsule.Q0_B));
  add_end(out, capsule, 1, nearest_on_box(box, capsule.Q1_B));
  add_box_edges(out, capsule, box);
  double s0 = 0, s1 = 0;
  if (out.count > 0 || !clip(capsule, box, s0, s1)) return;
  const auto nearest = [&](const Vec3& p_B) noexcept { return nearest_on_box(box, p_B); };
  Deepest<decltype(nearest)> deepest{capsule, nearest, s0, s1};
  deepest.look_at_faces(box);
  capsule.add(out, deepest.best, nearest(capsule.at(deepest.best)).g_B, deepest.phi, through_feature);
}

}  // namespace contactlib

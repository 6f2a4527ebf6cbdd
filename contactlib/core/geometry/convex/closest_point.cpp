#include "closest_point.hpp"

#include <limits>

namespace contactlib::geometry {

namespace {

// The foot of the origin on the hull of some of the points, if it lies inside: then its weights, all >= 0.
struct Foot {
  double squared;  // m2
  double weight[4];
};

//   (w_i - w_0).x = 0 for all i,   x = sum of weight_i w_i, the weights sum to one
bool foot_inside(const Vec3* const* w, int count, double (&weight)[4]) noexcept {
  if (count == 1) {
    weight[0] = 1.0;
    return true;
  }
  Vec3 edge[3];
  for (int i = 1; i < count; ++i) edge[i - 1] = *w[i] - *w[0];
  if (count == 2) {
    const double squared = edge[0].squaredNorm();
    if (!(squared > 0.0)) return false;
    weight[1] = -w[0]->dot(edge[0]) / squared;
  } else if (count == 3) {
    const Vec3 n = edge[0].cross(edge[1]);
    const double squared = n.squaredNorm();
    if (!(squared > 0.0)) return false;
    weight[1] = -n.dot(w[0]->cross(edge[1])) / squared;
    weight[2] = -n.dot(edge[0].cross(*w[0])) / squared;
  } else {
    const double volume = edge[0].dot(edge[1].cross(edge[2]));
    if (volume == 0.0) return false;
    weight[1] = -w[0]->dot(edge[1].cross(edge[2])) / volume;
    weight[2] = -w[0]->dot(edge[2].cross(edge[0])) / volume;
    weight[3] = -w[0]->dot(edge[0].cross(edge[1])) / volume;
  }
  weight[0] = 1.0;
  for (int i = 1; i < count; ++i) weight[0] -= weight[i];
  for (int i = 0; i < count; ++i)
    if (!(weight[i] >= 0.0)) return false;
  return true;
}

}  // namespace

DifferencePoint support_point(const MinkowskiDifference& D, const Vec3& n) noexcept {
  int a = -1, b = -1;
  climb(D, n, a, b);
  const Vec3 p = D.A.corners.x[a] + D.A.furthest(n), q = D.corner_B(b) + D.R_AB * D.B.furthest(D.against_B(n));
  return {p - q, p, q};
}

// Tries all hulls of some of the points. The nearest point lies inside one of them, and no other has one nearer.
bool Simplex::add(const DifferencePoint& point) noexcept {
  DifferencePoint all[5];
  std::copy(points_, points_ + count_, all);
  all[count_] = point;
  double least = nearest().squaredNorm();
  int best = 0;
  double best_weight[4] = {};
  for (int set = 1; set < 1 << (count_ + 1); ++set) {
    const Vec3* w[5];
    int size = 0;
    for (int i = 0; i <= count_; ++i)
      if (set >> i & 1) w[size++] = &all[i].w;
    double weight[4];
    if (size > 4 || !foot_inside(w, size, weight)) continue;
    Vec3 x = Vec3::Zero();
    for (int i = 0; i < size; ++i) x += weight[i] * *w[i];
    if (!(x.squaredNorm() < least)) continue;
    least = x.squaredNorm();
    best = set;
    std::copy(weight, weight + 4, best_weight);
  }
  if (best == 0) return false;
  int kept = 0;
  for (int i = 0; i <= count_; ++i)
    if (best >> i & 1) points_[kept] = all[i], weight_[kept] = best_weight[kept], ++kept;
  count_ = kept;
  return true;
}

}  // namespace contactlib::geometry

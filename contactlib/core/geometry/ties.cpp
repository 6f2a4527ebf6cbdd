#include "ties.hpp"

namespace contactlib {

namespace {

// where 0 lies in the triangle: how its corners weigh. false if they are on a line.
bool divide(const Vec3 (&q)[3], const Vec3& n, double (&weight)[3]) noexcept {
  const Vec3 along = q[1] - q[0], beside = q[2] - q[0];
  const double area = n.dot(along.cross(beside));
  if (!(area * area > 1e-30 * along.squaredNorm() * beside.squaredNorm())) return false;
  weight[1] = n.dot(q[2].cross(q[0])) / area;
  weight[2] = n.dot(q[0].cross(q[1])) / area;
  weight[0] = 1.0 - weight[1] - weight[2];
  return true;
}

// the point of the segment from p to q nearest to 0, as p + s (q - p).
double nearest_on_segment(const Vec3& p, const Vec3& q) noexcept {
  const Vec3 along = q - p;
  const double s = -p.dot(along), squared = along.squaredNorm();
  return s > 0.0 ? std::min(1.0, s / squared) : 0.0;
}

// keeps ties i and j, or one of them, with the point at s between them.
void keep(Ties& ties, int i, int j, double s, bool both) noexcept {
  const Tie first = ties.tie[i], second = ties.tie[j];
  ties.count = both || (s > 0.0 && s < 1.0) ? 2 : 1;
  ties.tie[0] = both || s < 1.0 ? first : second;
  ties.tie[1] = second;
  ties.weight[0] = ties.count == 2 ? 1.0 - s : 1.0;
  ties.weight[1] = s;
}

bool distinct(int i, int j, int k) noexcept { return i != j && j != k && k != i; }
bool same(int i, int j, int k) noexcept { return i == j && j == k; }

// the normal of the face around corner v that n comes nearest to, if it comes near.
bool snap(const Shape& shape, int v, Vec3& n) noexcept {
  if (!shape.surface) return false;
  const int face = face_along(*shape.surface, v, n);
  if (face < 0 || !((shape.surface->faces[face].n - n).squaredNorm() < 1e-12)) return false;
  n = shape.surface->faces[face].n;
  return true;
}

}  // namespace

Vec3 nearest(Ties& ties, const Vec3& n, const Vec3& foot, double fine) noexcept {
  const Vec3 q[3] = {ties.tie[0].w - foot, ties.tie[1].w - foot, ties.tie[2].w - foot};
  if (ties.count == 1) {
    ties.weight[0] = 1.0;
    return q[0];
  }
  double* const weight = ties.weight;
  const bool area = ties.count == 3 && divide(q, n, ties.weight);
  if (area && weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0) return Vec3::Zero();

  // the side it lies behind, or the nearer of two; of corners on a line the nearest
  int first = 0, second = 1;
  double best = 0.0, least = 1e300;
  Vec3 found = q[0];
  for (int k = ties.count == 3 ? 0 : 2; k < 3; ++k) {
    if (area && weight[k] >= 0.0) continue;
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const double s = nearest_on_segment(q[i], q[j]);
    const Vec3 point = q[i] + s * (q[j] - q[i]);
    const double squared = point.squaredNorm();
    if (squared < least) first = i, second = j, best = s, least = squared, found = point;
  }
  const bool at_foot = least <= fine * fine;
  if (!at_foot || !area) {
    keep(ties, first, second, best, at_foot);
    return found;
  }
  weight[3 - first - second] = 0.0;
  weight[first] = 1.0 - best, weight[second] = best;
  return Vec3::Zero();
}

bool reach(Ties& ties, const Vec3& n, const Vec3& foot) noexcept {
  const Vec3 q[3] = {ties.tie[0].w - foot, ties.tie[1].w - foot, ties.tie[2].w - foot};
  return divide(q, n, ties.weight);
}

Vec3 sharpened(const Difference& D, const Ties& ties, const Vec3& n) noexcept {
  const Tie &p = ties.tie[0], &q = ties.tie[1], &r = ties.tie[2];
  Vec3 own = n;
  if (distinct(p.a, q.a, r.a) && snap(D.A.shape, p.a, own)) return own;
  own = D.against_B(n);
  if (distinct(p.b, q.b, r.b) && snap(D.B.shape, p.b, own)) return -(D.R_AB * own);

  Vec3 along = q.w - p.w, beside = r.w - p.w;
  if (!distinct(p.a, q.a, r.a) && !distinct(p.b, q.b, r.b) && !same(p.a, q.a, r.a) && !same(p.b, q.b, r.b)) {
    along = D.A.corners.x[p.a == q.a ? r.a : q.a] - D.A.corners.x[p.a];
    beside = D.R_AB * (D.B.corners.x[p.b == q.b ? r.b : q.b] - D.B.corners.x[p.b]);
  }
  const Vec3 across = along.cross(beside);
  const double length = across.norm();
  return length > 0.0 ? Vec3(across / std::copysign(length, across.dot(n))) : n;
}

}  // namespace contactlib

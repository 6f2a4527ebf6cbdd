// over the directions for which one corner w of D is the furthest, overlap = n.w falls all the way towards the border
// of that region. so the minima are where three corners tie: at the normals of D's faces, and there only if the foot of
// the origin, overlap n, lies in the face. the descent turns n the steepest way, which the ties decide, until the next
// corner ties, and so on. each turn lowers the overlap or, at a tie of more than three, brings the ties nearer to the
// foot.
#include "descent.hpp"

#include "ball.hpp"

namespace contactlib {

namespace {

constexpr int most_turns = 1000;

// the point of the segment from p to q nearest to 0, as p + s (q - p).
double nearest_on_segment(const Vec3& p, const Vec3& q) noexcept {
  const Vec3 along = q - p;
  const double squared = along.squaredNorm();
  return squared > 0.0 ? std::min(1.0, std::max(0.0, -p.dot(along) / squared)) : 0.0;
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

// where 0 lies in the triangle, whose corners weigh its parts. false if they are on a line.
bool divide(const Vec3 q[3], const Vec3& n, double weight[3]) noexcept {
  double sum = 0.0, size = 0.0;
  for (int i = 0; i < 3; ++i) {
    weight[i] = n.dot(q[(i + 1) % 3].cross(q[(i + 2) % 3]));
    sum += weight[i];
    size = std::max(size, (q[(i + 1) % 3] - q[i]).squaredNorm());
  }
  if (!(std::abs(sum) > 1e-15 * size)) return false;
  for (int i = 0; i < 3; ++i) weight[i] /= sum;
  return true;
}

bool distinct(int i, int j, int k) noexcept { return i != j && j != k && k != i; }

// the normal of the face around corner v that n comes nearest to, if it comes near.
bool snap(const Shape& shape, int v, Vec3& n) noexcept {
  if (!shape.surface) return false;
  const int face = face_along(*shape.surface, v, n);
  if (face < 0 || !((shape.surface->faces[face].n - n).squaredNorm() < 1e-12)) return false;
  n = shape.surface->faces[face].n;
  return true;
}

bool descend_corners(const Difference& D, const Vec3& start, Minimum& out) noexcept {
  Vec3 n = start;
  Ties& ties = out.ties;
  int a = glance(D.A.corners, n), b = glance(D.B.corners, D.against_B(n));
  climb(D, n, a, b);
  ties.count = 1;
  ties.tie[0] = {D.corner(a, b), a, b};
  for (int i = 0; i < most_turns; ++i) {
    const double overlap = n.dot(ties.tie[0].w);
    if (!(overlap > 0.0)) return false;
    const Vec3 down = -nearest(ties, n, overlap * n, D.fine());
    if (ties.count == 3) {
      n = sharpened(D, ties, n);
      a = ties.tie[0].a, b = ties.tie[0].b;
      climb(D, n, a, b);
      const Vec3 w = D.corner(a, b);
      if (n.dot(w - ties.tie[0].w) <= 1e-15 * D.size) break;
      ties.count = 1;
      ties.tie[0] = {w, a, b};
      continue;
    }
    const double slope = down.norm();
    Vec3 tau = slope > D.fine() ? Vec3(down / slope) : perpendicular(n);  // from a top any way is down
    if (ties.count == 2) {  // across the two, sharper than the difference is
      const Vec3 level = n.cross(ties.tie[1].w - ties.tie[0].w);
      tau = level / std::copysign(level.norm(), level.dot(down));
    }
    const Step step = turn(D, ties.tie[0], n, tau, slope > 0.0 ? overlap / slope : 1e300);
    if (!step.blocked) return false;
    n = (n + step.tan * tau).normalized();
    ties.tie[ties.count++] = step.next;
  }
  out.n = n;
  out.overlap = n.dot(ties.tie[0].w);
  out.round_A = out.round_B = Vec3::Zero();
  return out.overlap > 0.0;
}

}  // namespace

Vec3 sharpened(const Difference& D, const Ties& ties, const Vec3& n) noexcept {
  const Tie &p = ties.tie[0], &q = ties.tie[1], &r = ties.tie[2];
  Vec3 own = n;
  if (distinct(p.a, q.a, r.a) && snap(D.A.shape, p.a, own)) return own;
  own = D.against_B(n);
  if (distinct(p.b, q.b, r.b) && snap(D.B.shape, p.b, own)) return -(D.R_AB * own);

  const bool edges = !distinct(p.a, q.a, r.a) && !distinct(p.b, q.b, r.b) && !(p.a == q.a && q.a == r.a) &&
                     !(p.b == q.b && q.b == r.b);
  Vec3 across;
  if (edges) {
    const Vec3* const a = D.A.corners.x;
    const Vec3* const b = D.B.corners.x;
    across = (a[p.a] - a[p.a == q.a ? r.a : q.a]).cross(D.R_AB * (b[p.b] - b[p.b == q.b ? r.b : q.b]));
  } else {
    across = (q.w - p.w).cross(r.w - p.w);
  }
  const double length = across.norm();
  return length > 0.0 ? Vec3(across / std::copysign(length, across.dot(n))) : n;
}

bool descend(const Difference& D, const Vec3& n, Minimum& out) noexcept {
  return D.is_round() ? descend_rounded(D, n, out) : descend_corners(D, n, out);
}

Vec3 nearest(Ties& ties, const Vec3& n, const Vec3& foot, double fine) noexcept {
  Vec3 q[3];
  for (int i = 0; i < ties.count; ++i) q[i] = ties.tie[i].w - foot;
  if (ties.count == 1) {
    ties.weight[0] = 1.0;
    return q[0];
  }
  double weight[3];
  const bool area = ties.count == 3 && divide(q, n, weight);
  if (area && std::min({weight[0], weight[1], weight[2]}) >= 0.0) {
    std::copy(weight, weight + 3, ties.weight);
    return Vec3::Zero();
  }

  int first = 0, second = 1;
  double best = 0.0, least = 0.0;
  Vec3 found;
  for (int i = 0; i + 1 < ties.count; ++i)
    for (int j = i + 1; j < ties.count; ++j) {
      const double s = nearest_on_segment(q[i], q[j]);
      const Vec3 point = q[i] + s * (q[j] - q[i]);
      const double squared = point.squaredNorm();
      if (j > 1 && !(squared < least)) continue;
      first = i, second = j, best = s, least = squared, found = point;
    }
  const bool at_foot = least <= fine * fine;
  if (at_foot && area) {
    ties.weight[0] = ties.weight[1] = ties.weight[2] = 0.0;
    ties.weight[first] = 1.0 - best, ties.weight[second] = best;
    return Vec3::Zero();
  }
  keep(ties, first, second, best, at_foot);
  return found;
}

namespace {

// the first corner that gets further than corner v when n turns towards tau: at tan = run / rise.
struct Race {
  double run, rise;
  int next;

  void join(const Corners& corners, int v, const Vec3& n, const Vec3& tau, double size) noexcept {
    const Vec3& here = corners.x[v];
    const double blur = 1e-15 * size;  // of corners that tie at the same angle the steepest wins
    next = -1;
    for (int k = corners.first[v]; k < corners.first[v + 1]; ++k) {
      const int other = corners.next(v, k);
      const Vec3 along = corners.x[other] - here;
      const double up = along.dot(tau);
      if (!(up > 1e3 * blur)) continue;
      const double gap = std::max(0.0, -along.dot(n));
      if ((gap + blur) * rise < (run + blur) * up) run = gap, rise = up, next = other;
    }
  }
};

}  // namespace

Step turn(const Difference& D, const Tie& tie, const Vec3& n, const Vec3& tau, double most) noexcept {
  const double size = D.size;
  Race race{most * size, size, -1};
  race.join(D.A.corners, tie.a, n, tau, size);
  const int a = race.next;
  race.join(D.B.corners, tie.b, D.against_B(n), D.against_B(tau), size);
  const int b = race.next;
  Step step{race.run / race.rise, a >= 0 || b >= 0, tie};
  if (b >= 0) step.next.b = b;
  if (a >= 0 && b < 0) step.next.a = a;
  step.next.w = D.corner(step.next.a, step.next.b);
  return step;
}

}  // namespace contactlib

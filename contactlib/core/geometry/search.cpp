// for the normal n of a face of a hull inside of D, at distance d from the origin, overlap(n) >= d, and the least of all d's
// is below every overlap. so the hull grows where a face is nearer than `bound`, by the corner of D furthest out there,
// until no such face is left but true faces of D.
#include "search.hpp"

#include "ball.hpp"
#include "hull.hpp"

namespace contactlib {

namespace {

// the corner of D furthest along n; less what a ball of radius `roll`, that rolls in D, reaches beyond its middle.
Tie support(const Difference& D, double roll, const Vec3& n, const Tie& from) noexcept {
  Tie tie = from;
  climb(D, n, tie.a, tie.b);
  tie.w = D.corner(tie.a, tie.b);
  if (D.is_round()) tie.w += D.furthest(n) - roll * n;
  return tie;
}

// the face of D where the minimum is: the triangle of the ties, or two edges' parallelogram.
struct Base {
  int count = 3;
  Tie corner[4];

  Base(const Difference& D, const Ties& ties) noexcept {
    const Tie &p = ties.tie[0], &q = ties.tie[1], &r = ties.tie[2];
    std::copy(ties.tie, ties.tie + 3, corner);
    const int a = p.a != q.a ? q.a : r.a, b = p.b != q.b ? q.b : r.b;
    const bool two_a = a != p.a && (q.a == p.a || q.a == a) && (r.a == p.a || r.a == a);
    const bool two_b = b != p.b && (q.b == p.b || q.b == b) && (r.b == p.b || r.b == b);
    if (!two_a || !two_b) return;
    count = 4;
    corner[1] = {D.corner(a, p.b), a, p.b};
    corner[2] = {D.corner(a, b), a, b};
    corner[3] = {D.corner(p.a, b), p.a, b};
  }
};

// the ball of radius `bound` about the origin does not reach beyond the triangle, counter-clockwise as seen from there,
// or only to what is between it and corners of D further out.
bool is_clear(const Difference& D, const Tie& p, const Tie& q, const Tie& r, double bound, int more) noexcept {
  const Vec3 N = (q.w - p.w).cross(r.w - p.w);
  const double d = N.dot(p.w), least2 = bound * bound * N.squaredNorm();
  if (d > 0.0 && d * d > least2) return true;
  if (more == 0) return false;
  Tie tie = p;
  climb(D, N, tie.a, tie.b);
  tie.w = D.corner(tie.a, tie.b);
  const double overlap = N.dot(tie.w);
  return overlap > 0.0 && overlap * overlap > least2 && is_clear(D, p, q, tie, bound, more - 1) &&
         is_clear(D, q, r, tie, bound, more - 1) && is_clear(D, r, p, tie, bound, more - 1);
}

// so with the faces of the pyramid from there to a point inside of D.
bool is_clear(const Difference& D, const Base& base, const Vec3& n, const Vec3& inside, double bound) noexcept {
  const Tie tip{inside, -1, -1};
  const Vec3 N = (base.corner[1].w - base.corner[0].w).cross(base.corner[2].w - base.corner[0].w);
  const bool turned = N.dot(n) < 0.0;
  for (int i = 0; i < base.count; ++i) {
    const Tie &p = base.corner[i], &q = base.corner[i + 1 < base.count ? i + 1 : 0];
    if (!is_clear(D, turned ? p : q, turned ? q : p, tip, bound, 2)) return false;
  }
  return n.dot(base.corner[0].w - inside) > 0.0;
}

// a tetrahedron inside of D whose first corner is where the minimum is.
void start(const Difference& D, double roll, const Minimum& best, Tie (&corners)[4]) noexcept {
  const Vec3 u = perpendicular(best.n), v = best.n.cross(u), low = -1.0 / 3.0 * best.n;
  const double radius = std::sqrt(8.0) / 3.0, root = std::sqrt(0.75);
  corners[0] = support(D, roll, best.n, best.ties.tie[0]);
  corners[1] = support(D, roll, low + radius * u, corners[0]);
  corners[2] = support(D, roll, low + radius * (root * v - 0.5 * u), corners[0]);
  corners[3] = support(D, roll, low - radius * (root * v + 0.5 * u), corners[0]);
}

}  // namespace

bool search(const Difference& D, double bound, Minimum& best) noexcept {
  const bool rounded = D.is_round(), sharp = !rounded && best.ties.count == 3;
  const double roll = rounded ? D.A.rolling() + D.B.rolling() : 0.0, fine = D.fine();
  if (best.overlap <= roll) return true;
  Tie corners[4];
  if (sharp) {
    const Vec3 inside = middle(D);
    if (is_clear(D, Base(D, best.ties), best.n, inside, bound)) return true;
    std::copy(best.ties.tie, best.ties.tie + 3, corners);
    corners[3] = {inside, -1, -1};
  } else {
    start(D, roll, best, corners);
  }

  Hull hull(corners, sharp, bound - roll - fine, 0.1 * fine);
  for (int i = 0; i < 4 * Hull::most_points; ++i) {
    const int suspect = hull.next_suspect();
    if (suspect < 0) break;
    const Hull::Face& face = hull.face[suspect];
    const double length = face.N.norm();
    if (!(length > 0.0)) continue;
    const Vec3 n = face.N / length;
    const Tie tie = support(D, roll, n, hull.point[face.v[0]]);
    const double overlap = n.dot(tie.w) + roll, gap = overlap - roll - face.d / length;
    if (!(overlap > 0.0)) return false;
    const bool known = rounded ? gap < 0.05 * overlap : hull.has(tie);
    if (overlap < bound - fine || (known && gap > 10.0 * fine)) {
      Minimum other;
      if (!descend(D, n, other)) return false;
      if (other.overlap < best.overlap) best = other;
      bound = std::min(bound, other.overlap);
      hull.bound = bound - roll - fine;
    }
    if (!known) hull.grow(tie, suspect);
  }
  return true;
}

}  // namespace contactlib

// corners of D span a hull inside it. for the normal n of a face of the hull at distance d from the origin overlap(n)
// >= d, and the least of all d's is below every overlap. so the hull grows where a face is nearer than `bound`: by the
// corner of D furthest out there, until no such face is left but true faces of D.
#include "search.hpp"

#include "ball.hpp"

namespace contactlib {

namespace {

constexpr int most_points = 256, most_faces = 2 * most_points, most_border = 128;

struct HullFace {
  std::int16_t v[3];  // counter-clockwise from outside
  bool settled;       // a face of D, or as good as one
  Vec3 N;             // outward, of any length
  double d;           // N.x = d on the face
  double blur;        // of N.x, by rounding
};

struct Hull {
  const Difference& D;
  double roll;  // m, radius of a ball that rolls in D: the hull is of what is left of D inside of its middle's path
  double fine;  // m, what counts as nothing
  int points = 0, faces = 0;
  Tie point[most_points];
  HullFace face[most_faces];

  Hull(const Difference& difference, double ball) noexcept : D(difference), roll(ball), fine(1e-15 * D.size) {}
  Tie support(const Vec3& n, int a, int b) const noexcept {
    climb(D, n, a, b);
    Vec3 w = D.corner(a, b);
    if (D.is_round()) w += D.furthest(n) - roll * n;
    return {w, a, b};
  }
  // the face's distance is less than the bound.
  static bool is_near(const HullFace& f, double bound) noexcept {
    const double d2 = f.d * f.d, bound2 = bound * bound * f.N.squaredNorm();
    return bound > 0.0 ? f.d < 0.0 || d2 < bound2 : f.d < 0.0 && d2 > bound2;
  }
  bool sees(const Vec3& w, const HullFace& f) const noexcept { return f.N.dot(w) - f.d > f.blur; }
  bool has(const Tie& tie) const noexcept {
    for (int i = 0; i < points; ++i)
      if (point[i].a == tie.a && point[i].b == tie.b) return true;
    return false;
  }
  void add_face(int i, int j, int k, bool settled) noexcept {
    HullFace& f = face[faces++];
    f.v[0] = static_cast<std::int16_t>(i), f.v[1] = static_cast<std::int16_t>(j), f.v[2] = static_cast<std::int16_t>(k);
    f.settled = settled;
    const Vec3 along = point[j].w - point[i].w, beside = point[k].w - point[i].w;
    f.N = along.cross(beside);
    f.blur = fine * along.cwiseAbs().sum() * beside.cwiseAbs().sum();
    f.d = f.N.dot(point[i].w);
  }
  int next_suspect(double bound) const noexcept {
    for (int i = 0; i < faces; ++i)
      if (!face[i].settled && is_near(face[i], bound)) return i;
    return -1;
  }
  bool grow(const Tie& tie) noexcept;
};

// the border of what w sees: edges of seen faces whose other side is not seen.
struct Border {
  int count = 0;
  std::int16_t from[most_border], to[most_border];

  bool toggle(std::int16_t i, std::int16_t j) noexcept {
    for (int k = 0; k < count; ++k)
      if (from[k] == j && to[k] == i) {
        --count;
        from[k] = from[count], to[k] = to[count];
        return true;
      }
    if (count == most_border) return false;
    from[count] = i, to[count++] = j;
    return true;
  }
};

// false if there is no room.
bool Hull::grow(const Tie& tie) noexcept {
  if (points == most_points) return false;
  Border border;
  int hidden = 0;
  std::int16_t seen[most_faces];
  int seen_count = 0;
  for (int i = 0; i < faces; ++i) {
    if (!sees(tie.w, face[i])) {
      ++hidden;
      continue;
    }
    seen[seen_count++] = static_cast<std::int16_t>(i);
    for (int k = 0; k < 3; ++k)
      if (!border.toggle(face[i].v[k], face[i].v[(k + 1) % 3])) return false;
  }
  if (seen_count == 0 || hidden + border.count > most_faces) return false;
  for (int k = seen_count - 1; k >= 0; --k) face[seen[k]] = face[--faces];
  point[points] = tie;
  for (int k = 0; k < border.count; ++k) add_face(border.from[k], border.to[k], points, false);
  ++points;
  return true;
}

// a pyramid on the face of D where the minimum is.
void start_sharp(const Minimum& best, const Vec3& inside, Hull& hull) noexcept {
  for (int i = 0; i < 3; ++i) hull.point[i] = best.ties.tie[i];
  hull.point[3] = {inside, hull.point[0].a, hull.point[0].b};
  const Vec3 N = (hull.point[1].w - hull.point[0].w).cross(hull.point[2].w - hull.point[0].w);
  if (N.dot(best.n) < 0.0) std::swap(hull.point[1], hull.point[2]);
  hull.points = 4;
  hull.add_face(0, 1, 2, true);
  for (int i = 0; i < 3; ++i) hull.add_face((i + 1) % 3, i, 3, false);
}

// its other faces are beyond the bound already.
bool is_clear(const Minimum& best, const Vec3& inside, double bound) noexcept {
  const Vec3 u = best.ties.tie[0].w - inside, v = best.ties.tie[1].w - inside, w = best.ties.tie[2].w - inside;
  const Vec3 uv = u.cross(v), vw = v.cross(w), wu = w.cross(u);
  const double side = std::copysign(1.0, uv.dot(w)), bound2 = bound * bound;  // < 0: numbered the other way round
  const auto clear = [&](const Vec3& N) noexcept {
    const double d = -side * N.dot(inside);
    return d > 0.0 && d * d > bound2 * N.squaredNorm();
  };
  return clear(uv) && clear(vw) && clear(wu) && best.n.dot(u) > 0.0;
}

// a tetrahedron whose first corner is where the minimum is.
void start_round(const Minimum& best, Hull& hull) noexcept {
  const Vec3 u = perpendicular(best.n), v = best.n.cross(u);
  const double height = 1.0 / 3.0, radius = std::sqrt(8.0) / 3.0, half = 0.5, root = std::sqrt(0.75);
  const Vec3 low = -height * best.n;
  hull.point[0] = hull.support(best.n, best.ties.tie[0].a, best.ties.tie[0].b);
  hull.point[1] = hull.support(low + radius * u, hull.point[0].a, hull.point[0].b);
  hull.point[2] = hull.support(low + radius * (root * v - half * u), hull.point[0].a, hull.point[0].b);
  hull.point[3] = hull.support(low - radius * (root * v + half * u), hull.point[0].a, hull.point[0].b);
  hull.points = 4;
  hull.add_face(1, 3, 2, false);
  for (int i = 1; i < 4; ++i) hull.add_face(0, i, i % 3 + 1, false);
}

}  // namespace

bool search(const Difference& D, double bound, Minimum& best) noexcept {
  const bool rounded = D.is_round();
  const double roll = rounded ? D.A.rolling() + D.B.rolling() : 0.0;
  if (best.overlap <= roll) return true;
  const bool sharp = !rounded && best.ties.count == 3;
  const Vec3 inside = middle(D);
  if (sharp && is_clear(best, inside, bound)) return true;
  Hull hull(D, roll);
  if (sharp)
    start_sharp(best, inside, hull);
  else
    start_round(best, hull);
  for (int i = 0; i < 4 * most_points; ++i) {
    const int suspect = hull.next_suspect(bound - roll - D.fine());
    if (suspect < 0) break;
    HullFace& f = hull.face[suspect];
    f.settled = true;
    const double length = f.N.norm();
    if (!(length > 0.0)) continue;
    const Vec3 n = f.N / length;
    const Tie tie = hull.support(n, hull.point[f.v[0]].a, hull.point[f.v[0]].b);
    const double overlap = n.dot(tie.w) + roll;
    if (!(overlap > 0.0)) return false;
    const double gap = overlap - roll - f.d / length;
    const bool known = rounded ? gap < 0.05 * overlap : hull.has(tie);
    if (overlap < bound - D.fine() || (known && gap > 10.0 * D.fine())) {
      Minimum other;
      if (!descend(D, n, other)) return false;
      if (other.overlap < best.overlap) best = other;
      bound = std::min(bound, other.overlap);
    }
    if (!known) hull.grow(tie);
  }
  return true;
}

}  // namespace contactlib

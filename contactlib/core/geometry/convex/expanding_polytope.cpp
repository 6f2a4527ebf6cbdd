// The hull of some corners of D lies inside D. For the normal n of a hull face at distance d from the origin,
// overlap(n) >= d, and the least of all d is a lower bound of every overlap. So the hull is extended at faces nearer
// than `bound`, by the support vertex of D there, until all such faces are faces of D to rounding.
#include "expanding_polytope.hpp"

#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

namespace {

constexpr int max_points = 256, max_faces = 2 * max_points, max_border = 128;
constexpr double close = 1e-7;   // of the overlap: how near a face of the hull comes to a curved surface
constexpr double beside = 1e-2;  // rad, from there a descent leads to the minimum that is known
constexpr int max_unsuccessful = 16;    // descents that find nothing lower: all around it is equally low

struct HullFace {
  std::int16_t v[3];  // counter-clockwise from outside
  bool is_final;       // a face of D, or as good as one
  Vec3 N;             // outward, of any length
  double d;           // N.x = d on the face
  double blur;        // of N.x, by rounding
};

struct Hull {
  const MinkowskiDifference& D;
  double roll;  // m, radius of a ball that rolls in D: the hull is of what is left of D inside of its middle's path
  double fine;  // m, what counts as nothing
  int points = 0, faces = 0;
  ActiveVertex point[max_points];
  HullFace face[max_faces];

  Hull(const MinkowskiDifference& difference, double ball) noexcept : D(difference), roll(ball), fine(1e-15 * D.size) {}
  ActiveVertex support(const Vec3& n, int a, int b) const noexcept {
    climb(D, n, a, b);
    Vec3 w = D.corner(a, b);
    if (D.is_round()) w += D.furthest(n) - roll * n;
    return {w, a, b};
  }
  // Whether the distance of the face is less than the bound.
  static bool is_near(const HullFace& f, double bound) noexcept {
    const double d2 = f.d * f.d, bound2 = bound * bound * f.N.squaredNorm();
    return bound > 0.0 ? f.d < 0.0 || d2 < bound2 : f.d < 0.0 && d2 > bound2;
  }
  bool sees(const Vec3& w, const HullFace& f) const noexcept { return f.N.dot(w) - f.d > f.blur; }
  bool has(const ActiveVertex& active_vertex) const noexcept {
    for (int i = 0; i < points; ++i)
      if (point[i].a == active_vertex.a && point[i].b == active_vertex.b) return true;
    return false;
  }
  void add_face(int i, int j, int k, bool is_final) noexcept {
    HullFace& f = face[faces++];
    f.v[0] = static_cast<std::int16_t>(i), f.v[1] = static_cast<std::int16_t>(j), f.v[2] = static_cast<std::int16_t>(k);
    f.is_final = is_final;
    const Vec3 along = point[j].w - point[i].w, beside = point[k].w - point[i].w;
    f.N = along.cross(beside);
    f.blur = fine * along.cwiseAbs().sum() * beside.cwiseAbs().sum();
    f.d = f.N.dot(point[i].w);
  }
  int next_suspect(double bound) const noexcept {
    for (int i = 0; i < faces; ++i)
      if (!face[i].is_final && is_near(face[i], bound)) return i;
    return -1;
  }
  bool grow(const ActiveVertex& active_vertex) noexcept;
};

// The horizon seen from w: edges of visible faces whose other side is not visible.
struct Border {
  int count = 0;
  std::int16_t from[max_border], to[max_border];

  bool toggle(std::int16_t i, std::int16_t j) noexcept {
    for (int k = 0; k < count; ++k)
      if (from[k] == j && to[k] == i) {
        --count;
        from[k] = from[count], to[k] = to[count];
        return true;
      }
    if (count == max_border) return false;
    from[count] = i, to[count++] = j;
    return true;
  }
};

// Returns false if the capacity is exceeded.
bool Hull::grow(const ActiveVertex& active_vertex) noexcept {
  if (points == max_points) return false;
  Border border;
  int hidden = 0;
  std::int16_t seen[max_faces];
  int seen_count = 0;
  for (int i = 0; i < faces; ++i) {
    if (!sees(active_vertex.w, face[i])) {
      ++hidden;
      continue;
    }
    seen[seen_count++] = static_cast<std::int16_t>(i);
    for (int k = 0; k < 3; ++k)
      if (!border.toggle(face[i].v[k], face[i].v[(k + 1) % 3])) return false;
  }
  if (seen_count == 0 || hidden + border.count > max_faces) return false;
  for (int k = seen_count - 1; k >= 0; --k) face[seen[k]] = face[--faces];
  point[points] = active_vertex;
  for (int k = 0; k < border.count; ++k) add_face(border.from[k], border.to[k], points, false);
  ++points;
  return true;
}

// The face of D at the minimum: the triangle of the active vertices, or the parallelogram of two edges. The conditions
// have no branches, which no processor would predict.
struct Base {
  int count = 3;
  ActiveVertex corner[4];

  Base(const MinkowskiDifference& D, const ActiveVertices& active_vertices) noexcept {
    const ActiveVertex &p = active_vertices.active_vertex[0], &q = active_vertices.active_vertex[1],
                       &r = active_vertices.active_vertex[2];
    std::copy(active_vertices.active_vertex, active_vertices.active_vertex + 3, corner);
    const int a = p.a != q.a ? q.a : r.a, b = p.b != q.b ? q.b : r.b;
    const bool two_a = (a != p.a) & ((q.a == p.a) | (q.a == a)) & ((r.a == p.a) | (r.a == a));
    const bool two_b = (b != p.b) & ((q.b == p.b) | (q.b == b)) & ((r.b == p.b) | (r.b == b));
    if (!(two_a & two_b)) return;
    count = 4;
    corner[1] = {D.corner(a, p.b), a, p.b};
    corner[2] = {D.corner(a, b), a, b};
    corner[3] = {D.corner(p.a, b), p.a, b};
  }
};

// Whether the ball of radius `bound` about the origin does not extend beyond the triangle, whose corners run
// counter-clockwise seen from there, or only to the region between it and corners of D further out.
bool is_clear(const MinkowskiDifference& D, const ActiveVertex& p, const ActiveVertex& q, const ActiveVertex& r,
              double bound, int more) noexcept {
  const Vec3 N = (q.w - p.w).cross(r.w - p.w);
  const double d = N.dot(p.w), least2 = bound * bound * N.squaredNorm();
  if (d > 0.0 && d * d > least2) return true;
  if (more == 0) return false;
  ActiveVertex active_vertex = p;
  climb(D, N, active_vertex.a, active_vertex.b);
  active_vertex.w = D.corner(active_vertex.a, active_vertex.b);
  const double overlap = N.dot(active_vertex.w);
  return overlap > 0.0 && overlap * overlap > least2 && is_clear(D, p, q, active_vertex, bound, more - 1) &&
         is_clear(D, q, r, active_vertex, bound, more - 1) && is_clear(D, r, p, active_vertex, bound, more - 1);
}

// The same test for the faces of the pyramid from the base to a point inside D.
bool is_clear(const MinkowskiDifference& D, const Base& base, const Vec3& n, const Vec3& inside,
              double bound) noexcept {
  const ActiveVertex tip{inside, -1, -1};
  const Vec3 N = (base.corner[1].w - base.corner[0].w).cross(base.corner[2].w - base.corner[0].w);
  const bool turned = N.dot(n) < 0.0;
  for (int i = 0; i < base.count; ++i) {
    const ActiveVertex &p = base.corner[i], &q = base.corner[i + 1 < base.count ? i + 1 : 0];
    if (!is_clear(D, turned ? p : q, turned ? q : p, tip, bound, 2)) return false;
  }
  return n.dot(base.corner[0].w - inside) > 0.0;
}

void start_sharp(const Base& base, const Vec3& n, const Vec3& inside, Hull& hull) noexcept {
  const int k = base.count;
  const Vec3 N = (base.corner[1].w - base.corner[0].w).cross(base.corner[2].w - base.corner[0].w);
  const bool turned = N.dot(n) < 0.0;
  for (int i = 0; i < k; ++i) hull.point[i] = base.corner[turned ? k - 1 - i : i];
  hull.point[k] = {inside, -1, -1};
  hull.points = k + 1;
  for (int i = 2; i < k; ++i) hull.add_face(0, i - 1, i, true);
  for (int i = 0; i < k; ++i) hull.add_face((i + 1) % k, i, k, false);
}

// Starts with a tetrahedron whose first corner is the active vertex of the minimum.
void start_round(const Minimum& best, Hull& hull) noexcept {
  const Vec3 u = perpendicular(best.n), v = best.n.cross(u);
  const double height = 1.0 / 3.0, radius = std::sqrt(8.0) / 3.0, half = 0.5, root = std::sqrt(0.75);
  const Vec3 low = -height * best.n;
  hull.point[0] =
      hull.support(best.n, best.active_vertices.active_vertex[0].a, best.active_vertices.active_vertex[0].b);
  hull.point[1] = hull.support(low + radius * u, hull.point[0].a, hull.point[0].b);
  hull.point[2] = hull.support(low + radius * (root * v - half * u), hull.point[0].a, hull.point[0].b);
  hull.point[3] = hull.support(low - radius * (root * v + half * u), hull.point[0].a, hull.point[0].b);
  hull.points = 4;
  hull.add_face(1, 3, 2, false);
  for (int i = 1; i < 4; ++i) hull.add_face(0, i, i % 3 + 1, false);
}

}  // namespace

bool expand_polytope(const MinkowskiDifference& D, double bound, Minimum& best) noexcept {
  const bool rounded = D.is_round();
  const double roll = rounded ? D.A.rolling() + D.B.rolling() : 0.0;
  if (best.overlap <= roll) return true;
  const bool sharp = !rounded && best.active_vertices.count == 3;
  const Vec3 inside = middle(D);
  Hull hull(D, roll);
  if (sharp) {  // only then there are three ties to tell the face of D by
    const Base base(D, best.active_vertices);
    if (is_clear(D, base, best.n, inside, bound)) return true;
    start_sharp(base, best.n, inside, hull);
  } else {
    start_round(best, hull);
  }
  int unsuccessful = 0;
  for (int i = 0; i < 4 * max_points; ++i) {
    const int suspect = hull.next_suspect(bound - roll - D.fine());
    if (suspect < 0) break;
    HullFace& f = hull.face[suspect];
    f.is_final = true;
    const double length = f.N.norm();
    if (!(length > 0.0)) continue;
    const Vec3 n = f.N / length;
    const ActiveVertex active_vertex = hull.support(n, hull.point[f.v[0]].a, hull.point[f.v[0]].b);
    const double overlap = n.dot(active_vertex.w) + roll;
    if (!(overlap > 0.0)) return false;
    const double gap = overlap - roll - f.d / length;
    const bool known = rounded ? gap < close * overlap : hull.has(active_vertex);
    const bool far = unsuccessful < max_unsuccessful && (n - best.n).squaredNorm() > beside * beside;
    const bool elsewhere = rounded ? far : gap > 10.0 * D.fine();
    if (overlap < bound - D.fine() || (known && elsewhere)) {
      Minimum other;
      if (!descend(D, n, other)) return false;
      unsuccessful = other.overlap < best.overlap ? 0 : unsuccessful + 1;
      if (other.overlap < best.overlap) best = other;
      bound = std::min(bound, other.overlap);
    }
    if (!known) hull.grow(active_vertex);
  }
  return true;
}

}  // namespace contactlib::geometry

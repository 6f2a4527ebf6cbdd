#include "clip.hpp"

#include "ball.hpp"
#include "side.hpp"

namespace contactlib {

namespace {

constexpr double same_normal = 1e-9;  // as the sine of the angle
constexpr int gon = 16;               // sides that stand in for a circle

// of k / 16 turns
double cosine(int k) noexcept {
  constexpr double quarter[5] = {1.0, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0.0};
  const int near = std::min(k % gon, gon - k % gon);
  return near <= gon / 4 ? quarter[near] : -quarter[gon / 2 - near];
}

// a face of a polytope or an end of a cylinder, in its solid's axes.
struct Flat {
  const Solid* solid;
  int face;  // of the surface
  Vec3 n;
  double d;  // n.x = d on it

  int sides() const noexcept { return solid->is_flat() ? gon : surface().faces[face].count; }
  const Surface& surface() const noexcept { return *solid->shape.surface; }
};

// the half space m.x <= c within a side.
struct Side {
  Vec3 m;
  double c;
};

Side side(const Flat& flat, int i) noexcept {
  if (flat.solid->is_flat()) return {Vec3(cosine(i), cosine(i + 12), 0.0), flat.solid->radii[0]};
  const Face& face = flat.surface().faces[flat.face];
  const Vec3 &x = flat.surface().corner(face, i), &next = flat.surface().corner(face, i + 1 < face.count ? i + 1 : 0);
  const Vec3 m = (next - x).cross(face.n);
  return {m, m.dot(x)};
}

Flat face_of(const Solid& solid, int face) noexcept {
  const Face& own = solid.shape.surface->faces[face];
  return {&solid, face, own.n, own.d};
}

// the face of the solid whose normal is nearest to n, of those around the ties. false: it has none.
bool face_towards(const Solid& solid, const Vec3& n, const int (&v)[3], int count, Flat& out) noexcept {
  if (solid.is_flat()) {
    out = {&solid, 0, Vec3(0.0, 0.0, std::copysign(1.0, n[2])), 0.5 * solid.shape.size[1]};
    return true;
  }
  if (!solid.shape.surface) return false;
  int best = -1;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && (v[i] == v[i - 1] || v[i] == v[0])) continue;
    const int face = face_along(*solid.shape.surface, v[i], n);
    if (face < 0) continue;
    const std::vector<Face>& faces = solid.shape.surface->faces;
    if (best < 0 || faces[face].n.dot(n) > faces[best].n.dot(n)) best = face;
  }
  if (best >= 0) out = face_of(solid, best);
  return best >= 0;
}

bool is_normal(const Flat& flat, const Vec3& n) noexcept {
  return (flat.n - n).squaredNorm() <= same_normal * same_normal;
}

// a plane polygon that is cut off side by side. two corners are a line.
struct Polygon {
  static constexpr int room = 256, most_given = 128;
  struct Corner {
    Vec3 x;
    int id;  // its number on the face, then two for each cut
  };

  int count = 0;
  Corner corner[room];

  void add(const Vec3& x, int id) noexcept {
    if (count < room) corner[count].x = x, corner[count++].id = id;
  }
};

// the face that a solid turns towards n.
void incident(const Flat& flat, const Vec3& n, Polygon& out) noexcept {
  const Solid& solid = *flat.solid;
  if (!solid.is_flat()) {
    const Face& face = flat.surface().faces[flat.face];
    const int step = (face.count + Polygon::most_given - 1) / Polygon::most_given;
    for (int i = 0; i < face.count; i += step) out.add(flat.surface().corner(face, i), i);
    return;
  }
  const double R = solid.radii[0], end = std::copysign(0.5 * solid.shape.size[1], n[2]), rho = n.head<2>().norm();
  const double x = rho < 1e-9 ? R : n[0] / rho * R, y = rho < 1e-9 ? 0.0 : n[1] / rho * R;
  out.add(Vec3(x, y, end), 0);
  if (n[2] * n[2] > 0.5) {
    out.add(Vec3(-y, x, end), 1);
    out.add(Vec3(-x, -y, end), 2);
    out.add(Vec3(y, -x, end), 3);
  } else {
    out.add(Vec3(x, y, -end), 1);
  }
}

// what lies on the inner side. `id` and the next number name the two new corners.
void cut(const Polygon& from, const Side& side, double fine, int id, Polygon& to) noexcept {
  to.count = 0;
  const bool line = from.count == 2;
  for (int i = 0; i < from.count; ++i) {
    const Polygon::Corner &p = from.corner[i], &q = from.corner[i + 1 < from.count ? i + 1 : 0];
    const double above_p = side.m.dot(p.x) - side.c, above_q = side.m.dot(q.x) - side.c;
    const bool p_in = above_p <= fine, q_in = above_q <= fine;
    if (p_in) to.add(p.x, p.id);
    if (p_in != q_in && !(line && i == 1))
      to.add(p.x + above_p / (above_p - above_q) * (q.x - p.x), id + (q_in ? 1 : 0));
  }
}

// nothing below the reference plane would be cut off: mostly so while contacts are shallow.
bool is_below_inside(const Flat& reference, const Polygon& polygon, double fine) noexcept {
  constexpr int most = 8;
  const int sides = reference.sides();
  if (sides > most || polygon.count > most || polygon.count < 3) return false;
  Vec3 point[3 * most];
  int count = 0;
  double above = reference.n.dot(polygon.corner[polygon.count - 1].x) - reference.d;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3 &p = polygon.corner[i > 0 ? i - 1 : polygon.count - 1].x, &q = polygon.corner[i].x;
    const double before = above;
    above = reference.n.dot(q) - reference.d;
    if ((before < 0.0) != (above < 0.0)) point[count++] = p + before / (before - above) * (q - p);
    if (above < 0.0) point[count++] = q;
  }
  bool inside = true;
  for (int i = 0; i < sides && inside; ++i) {
    const Side border = side(reference, i);
    const double most_out = border.c + fine * border.m.cwiseAbs().sum();
    for (int k = 0; k < count; ++k) inside &= border.m.dot(point[k]) <= most_out;
  }
  return inside;
}

// the corners below the reference plane; of many, eight from the deepest on.
int below(const Flat& reference, const Polygon& polygon, int (&chosen)[Polygon::room]) noexcept {
  int count = 0, deepest = 0;
  double least = 0.0;
  for (int i = 0; i < polygon.count; ++i) {
    const double above = reference.n.dot(polygon.corner[i].x) - reference.d;
    if (!(above < 0.0)) continue;
    if (above < least) least = above, deepest = count;
    chosen[count++] = i;
  }
  if (count <= Manifold::most) return count;
  int picked[Manifold::most];
  for (int k = 0; k < Manifold::most; ++k) picked[k] = chosen[(deepest + k * count / Manifold::most) % count];
  std::copy(picked, picked + Manifold::most, chosen);
  return Manifold::most;
}

}  // namespace

namespace {

// the face that n is the normal of, A's if there are two, and the other solid's that it faces.
struct Faces {
  Flat reference, incident;
  bool of_A;
};

bool find_faces(const Difference& D, const Minimum& minimum, Faces& out) noexcept {
  if (minimum.sharp.of == Sharp::edges) return false;
  const Vec3 n_A = minimum.n, n_B = D.against_B(n_A);
  const Ties& ties = minimum.ties;
  const int a[3] = {ties.tie[0].a, ties.tie[1].a, ties.tie[2].a}, b[3] = {ties.tie[0].b, ties.tie[1].b, ties.tie[2].b};
  Flat of_A, of_B;
  if (minimum.sharp.of == Sharp::face_A)
    of_A = face_of(D.A, minimum.sharp.face);
  else if (!face_towards(D.A, n_A, a, ties.count, of_A))
    return false;
  if (minimum.sharp.of == Sharp::face_B)
    of_B = face_of(D.B, minimum.sharp.face);
  else if (!face_towards(D.B, n_B, b, ties.count, of_B))
    return false;
  out.of_A = is_normal(of_A, n_A);
  out.reference = out.of_A ? of_A : of_B;
  out.incident = out.of_A ? of_B : of_A;
  return out.of_A || is_normal(of_B, n_B);
}

}  // namespace

bool add_face_contacts(const Difference& D, const Placement& X, const Minimum& minimum, Manifold& out) noexcept {
  Faces faces;
  if (!find_faces(D, minimum, faces)) return add_side_contacts(D, X, minimum, out);
  const Flat& reference = faces.reference;

  Polygon polygons[2];
  Polygon *now = &polygons[0], *next = &polygons[1];
  incident(faces.incident, faces.of_A ? D.against_B(minimum.n) : minimum.n, *now);
  for (int i = 0; i < now->count; ++i) {
    Vec3& x = now->corner[i].x;
    x = faces.of_A ? Vec3(D.p_AB + D.R_AB * x) : Vec3(D.R_AB.transpose() * (x - D.p_AB));
  }
  if (!is_below_inside(reference, *now, 0.1 * D.fine())) {
    const int given = now->count;
    for (int i = 0; i < reference.sides() && now->count > 0; ++i) {
      const Side border = side(reference, i);
      cut(*now, border, 0.1 * D.fine() * border.m.cwiseAbs().sum(), given + 2 * i, *next);
      std::swap(now, next);
    }
  }

  int chosen[Polygon::room];
  const int count = below(reference, *now, chosen);
  const Vec3 n_W = faces.of_A ? Vec3(X.R_WA * reference.n) : Vec3(X.R_WB * -reference.n);
  for (int k = 0; k < count; ++k) {
    const Polygon::Corner& corner = now->corner[chosen[k]];
    const double depth = reference.d - reference.n.dot(corner.x);
    const Vec3 middle = corner.x + 0.5 * depth * reference.n;
    out.add(faces.of_A ? Vec3(X.R_WA * middle) : Vec3(X.p_AB_W + X.R_WB * middle), n_W, depth, roaming + corner.id);
  }
  return count > 0;
}

}  // namespace contactlib

#include "clip.hpp"

#include "geometry/manifold/ball.hpp"
#include "side.hpp"

namespace contactlib::geometry {

namespace {

constexpr double same_normal = 1e-9;  // as the sine of the angle
constexpr int gon = 16;               // sides that stand in for a circle

// Cosine of k / 16 of a turn.
double cosine(int k) noexcept {
  constexpr double quarter[5] = {1.0, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0.0};
  const int near = std::min(k % gon, gon - k % gon);
  return near <= gon / 4 ? quarter[near] : -quarter[gon / 2 - near];
}

// A face of a polytope or an end of a cylinder, in its solid's axes.
struct Flat {
  const Solid* solid;
  int face;  // of the surface
  Vec3 n;
  double d;  // n.x = d on it

  int sides() const noexcept { return solid->is_flat() ? gon : surface().faces[face].count; }
  const Surface& surface() const noexcept { return *solid->shape.surface; }
};

// The half space m.x <= c on the inner side of a side plane.
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

// The face whose normal is nearest to n, of the faces around the active vertices. Returns false if the solid has none.
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

// A plane polygon that is clipped by one side after another. Two corners are a line.
struct Polygon {
  static constexpr int capacity = 256, max_given = 128;
  struct Corner {
    Vec3 x;
    int id;  // its number on the face, then two for each cut
  };

  int count = 0;
  Corner corner[capacity];

  void add(const Vec3& x, int id) noexcept { add_if(true, x, id); }
  void add_if(bool yes, const Vec3& x, int id) noexcept {
    if (count < capacity) corner[count].x = x, corner[count].id = id, count += yes;
  }
};

// The incident face: the face of a solid that is most opposed to n, mapped by `to`.
template <class Map>
void incident(const Flat& flat, const Vec3& n, const Map& to, Polygon& out) noexcept {
  const Solid& solid = *flat.solid;
  if (!solid.is_flat()) {
    const Surface& surface = flat.surface();
    const Face& face = surface.faces[flat.face];
    const int step = (face.count + Polygon::max_given - 1) / Polygon::max_given;
    for (int i = 0; i < face.count; i += step) out.add(to(surface.corner(face, i)), i);
    return;
  }
  const double R = solid.radii[0], end = std::copysign(0.5 * solid.shape.size[1], n[2]), rho = n.head<2>().norm();
  const double x = rho < 1e-9 ? R : n[0] / rho * R, y = rho < 1e-9 ? 0.0 : n[1] / rho * R;
  out.add(to(Vec3(x, y, end)), 0);
  if (n[2] * n[2] > 0.5) {
    out.add(to(Vec3(-y, x, end)), 1);
    out.add(to(Vec3(-x, -y, end)), 2);
    out.add(to(Vec3(y, -x, end)), 3);
  } else {
    out.add(to(Vec3(x, y, -end)), 1);
  }
}

// Distances of the corners beyond a side. Returns false if none is beyond by more than `fine`.
bool is_beyond(const Polygon& polygon, const Side& side, double fine, double (&beyond)[Polygon::capacity]) noexcept {
  bool any = false;
  for (int i = 0; i < polygon.count; ++i) {
    beyond[i] = side.m.dot(polygon.corner[i].x) - side.c;
    any |= !(beyond[i] <= fine);
  }
  return any;
}

// The part of the polygon on the inner side. `id` and `id + 1` number the two new corners.
void cut(const Polygon& from, const double (&beyond)[Polygon::capacity], double fine, int id, Polygon& to) noexcept {
  to.count = 0;
  const bool line = from.count == 2;
  for (int i = 0; i < from.count; ++i) {
    const int next = i + 1 < from.count ? i + 1 : 0;
    const Polygon::Corner &p = from.corner[i], &q = from.corner[next];
    const bool p_in = beyond[i] <= fine, q_in = beyond[next] <= fine;
    to.add_if(p_in, p.x, p.id);
    if (p_in != q_in && !(line && i == 1))
      to.add(p.x + beyond[i] / (beyond[i] - beyond[next]) * (q.x - p.x), id + (q_in ? 1 : 0));
  }
}

// The corners below the reference plane, or above it by less than `swept`, with their depths below it. Of more than
// eight, eight from the deepest on.
struct Below {
  struct Corner {
    int i;
    double depth;
  };

  int count = 0;
  Corner corner[Polygon::capacity];

  Below(const Flat& reference, const Polygon& polygon, double swept) noexcept {
    for (int i = 0; i < polygon.count; ++i) {
      const double depth = reference.d - reference.n.dot(polygon.corner[i].x);
      corner[count] = {i, depth};
      count += depth > -swept;
    }
    if (count > Manifold::max_points) thin();
  }

 private:
  void thin() noexcept {
    int deepest = 0;
    for (int k = 1; k < count; ++k)
      if (corner[k].depth > corner[deepest].depth) deepest = k;
    Corner picked[Manifold::max_points];
    for (int k = 0; k < Manifold::max_points; ++k)
      picked[k] = corner[(deepest + k * count / Manifold::max_points) % count];
    std::copy(picked, picked + Manifold::max_points, corner);
    count = Manifold::max_points;
  }
};

// The reference face, whose normal is n (A's if both have one), and the incident face of the other solid.
struct Faces {
  Flat of_A, of_B;
  bool refer_to_A;

  const Flat& reference() const noexcept { return refer_to_A ? of_A : of_B; }
  const Flat& incident() const noexcept { return refer_to_A ? of_B : of_A; }
};

bool find_faces(const MinkowskiDifference& D, const Minimum& minimum, Faces& out) noexcept {
  if (minimum.sharp.of == Sharp::edges) return false;
  const Vec3 n_A = minimum.n, n_B = D.against_B(n_A);
  const ActiveVertices& active_vertices = minimum.active_vertices;
  const int a[3] = {active_vertices.active_vertex[0].a, active_vertices.active_vertex[1].a,
                    active_vertices.active_vertex[2].a},
            b[3] = {active_vertices.active_vertex[0].b, active_vertices.active_vertex[1].b,
                    active_vertices.active_vertex[2].b};
  if (minimum.sharp.of == Sharp::face_A)
    out.of_A = face_of(D.A, minimum.sharp.face);
  else if (!face_towards(D.A, n_A, a, active_vertices.count, out.of_A))
    return false;
  if (minimum.sharp.of == Sharp::face_B)
    out.of_B = face_of(D.B, minimum.sharp.face);
  else if (!face_towards(D.B, n_B, b, active_vertices.count, out.of_B))
    return false;
  out.refer_to_A = is_normal(out.of_A, n_A);
  return out.refer_to_A || is_normal(out.of_B, n_B);
}

// Clips the incident face by the sides of the reference face. Most sides clip nothing.
const Polygon& clip(const Flat& reference, double fine, Polygon (&polygons)[2]) noexcept {
  Polygon *now = &polygons[0], *next = &polygons[1];
  double beyond[Polygon::capacity];
  const int given = now->count, sides = reference.sides();
  for (int i = 0; i < sides && now->count > 0; ++i) {
    const Side border = side(reference, i);
    const double slack = fine * border.m.cwiseAbs().sum();
    if (!is_beyond(*now, border, slack, beyond)) continue;
    cut(*now, beyond, slack, given + 2 * i, *next);
    std::swap(now, next);
  }
  return *now;
}

}  // namespace

bool add_face_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept {
  Faces faces;
  if (!find_faces(D, minimum, faces)) return add_side_contacts(D, X, minimum, out);
  const Flat& reference = faces.reference();
  const bool of_A = faces.refer_to_A;

  Polygon polygons[2];
  const auto to_reference = [&D, of_A](const Vec3& x) noexcept {
    return of_A ? Vec3(D.p_AB + D.R_AB * x) : Vec3(D.R_AB.transpose() * (x - D.p_AB));
  };
  incident(faces.incident(), of_A ? D.against_B(minimum.n) : minimum.n, to_reference, polygons[0]);
  const Polygon& left = clip(reference, 0.1 * D.fine(), polygons);

  const Below below(reference, left, D.swept);
  const Vec3 n_W = of_A ? Vec3(X.R_WA * reference.n) : Vec3(X.R_WB * -reference.n);
  for (int k = 0; k < below.count; ++k) {
    const Polygon::Corner& corner = left.corner[below.corner[k].i];
    const double depth = below.corner[k].depth;
    const Vec3 middle = corner.x + 0.5 * depth * reference.n;
    out.add(of_A ? Vec3(X.R_WA * middle) : Vec3(X.p_AB_W + X.R_WB * middle), n_W, depth, roaming + corner.id);
  }
  return below.count > 0;
}

}  // namespace contactlib::geometry

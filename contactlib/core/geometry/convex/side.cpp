#include "side.hpp"

#include <limits>

#include "geometry/manifold/ball.hpp"

namespace contactlib::geometry {

namespace {

constexpr double steep = 0.1;      // slope of two lines against each other, as seen along the normal
constexpr double upright = 1e-9;   // sine: the normal is across the cylinder's axis
constexpr double crossing = 1e-6;  // of the radii: how far lines are beside each other that have crossed

// The part of a solid along the contact: a line, around which the surface is round with radius r.
struct Line {
  Vec3 x0, x1;
  double radius;

  Vec3 at(double u) const noexcept { return x0 + u * (x1 - x0); }
};

// A solid and its active features, in its own axes.
struct View {
  const Solid& solid;
  Vec3 out;     // unit, towards the other solid
  int v[2] = {};  // corners between which the supporting point lies
  int corners;  // how many: 3 stands for a face

  View(const Solid& own, const Vec3& n, const ActiveVertices& active_vertices, bool of_A) noexcept
      : solid(own), out(n), corners(0) {
    for (int i = 0; i < active_vertices.count; ++i) {
      const int corner = of_A ? active_vertices.active_vertex[i].a : active_vertices.active_vertex[i].b;
      if (!(active_vertices.weight[i] > 0.0) || (corners > 0 && corner == v[0]) || (corners > 1 && corner == v[1]))
        continue;
      if (corners < 2) v[corners] = corner;
      ++corners;
    }
  }
};

// The deepest line on a cylinder's side.
bool side_line(const View& view, Line& line) noexcept {
  const double rho = view.out.head<2>().norm(), R = view.solid.radii[0], half = 0.5 * view.solid.shape.size[1];
  if (!view.solid.is_flat() || view.out[2] * view.out[2] > 0.5) return false;
  const Vec3 x(view.out[0] / rho * R, view.out[1] / rho * R, 0.0);
  line = {x - half * Vec3::UnitZ(), x + half * Vec3::UnitZ(), R};
  return true;
}

// The cylinder's line in the other solid's axes: t along it, m across it and across the normal.
struct Ruler {
  Vec3 x, t, m;
  double fine;

  double across(const Vec3& p) const noexcept { return m.dot(p - x); }
};

// The edge that contains the supporting point; at a corner, the edge nearest to parallel.
int supporting_edge(const View& view, const Ruler& ruler, bool& parallel) noexcept {
  const Corners& c = view.solid.corners;
  double most = -1.0;
  int best = -1;
  for (int k = c.first[view.v[0]]; k < c.first[view.v[0] + 1]; ++k) {
    const IncidentEdge& incident_edge = c.incident_edges[k];
    if (view.corners == 2 && incident_edge.to != view.v[1]) continue;
    const double along = std::abs(ruler.t.dot(incident_edge.t)), across = std::abs(ruler.m.dot(incident_edge.t));
    const double cosine = along / (std::sqrt(along * along + across * across) + 1e-300);
    if (!(cosine > most)) continue;
    most = cosine;
    best = incident_edge.edge;
    parallel = across < steep * along;
  }
  return best;
}

// Of the faces around the supporting point, the most opposed one; -1 if its normal is off by more than 45 degrees.
int facing(const View& view, int edge) noexcept {
  const Surface& surface = *view.solid.shape.surface;
  int face = face_along(surface, view.v[0], view.out);
  if (view.corners == 2) {
    const int f0 = surface.edges[edge].f0, f1 = surface.edges[edge].f1;
    face = f1 >= 0 && surface.faces[f1].n.dot(view.out) > surface.faces[f0].n.dot(view.out) ? f1 : f0;
  }
  return face >= 0 && surface.faces[face].n.dot(view.out) > std::sqrt(0.5) ? face : -1;
}

// The chord in which the plane through the line and the normal cuts a face.
bool chord(const Surface& surface, const Face& face, const Ruler& ruler, Line& line) noexcept {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  line.radius = 0.0;
  const auto take = [&](const Vec3& p) noexcept {
    const double along = ruler.t.dot(p);
    if (along < low) low = along, line.x0 = p;
    if (along > high) high = along, line.x1 = p;
  };
  for (int i = 0; i < face.count; ++i) {
    const Vec3 &p = surface.corner(face, i), &q = surface.corner(face, i + 1 < face.count ? i + 1 : 0);
    const double at_p = ruler.across(p), at_q = ruler.across(q);
    if (std::abs(at_p) <= ruler.fine)
      take(p);
    else if (std::abs(at_q) > ruler.fine && (at_p < 0.0) != (at_q < 0.0))
      take(p + at_p / (at_p - at_q) * (q - p));
  }
  return low < high;
}

// The chord of the circle of a cylinder's end: with k = |m - (m.z) z|^2, its middle is m h/k from the circle's.
bool chord(const View& view, const Ruler& ruler, Line& line) noexcept {
  const Vec3 middle(0.0, 0.0, std::copysign(0.5 * view.solid.shape.size[1], view.out[2]));
  const Vec3 m(ruler.m[0], ruler.m[1], 0.0);
  const double k = m.squaredNorm(), h = -ruler.across(middle), R = view.solid.radii[0];
  const double half = R * R * k - h * h;
  if (!(half > 0.0)) return false;
  const Vec3 centre = middle + (h / k) * m, along = Vec3(-m[1], m[0], 0.0) * (std::sqrt(half) / k);
  line = {centre - along, centre + along, 0.0};
  return true;
}

// The line of the other solid along the cylinder's line; `over`: a chord is allowed.
bool line_along(const View& view, const Ruler& ruler, bool over, Line& line) noexcept {
  if (side_line(view, line)) return true;
  if (view.solid.is_flat()) return over && chord(view, ruler, line);
  if (!view.solid.shape.surface || view.corners < 1 || view.corners > 2) return false;
  bool parallel = false;
  const int e = supporting_edge(view, ruler, parallel);
  if (e < 0) return false;
  const Edge& edge = view.solid.corners.edges[e];
  if (parallel) {
    line = {view.solid.corners.x[edge.v0], view.solid.corners.x[edge.v1], 0.0};
    return true;
  }
  const int face = over ? facing(view, e) : -1;
  return face >= 0 && chord(*view.solid.shape.surface, view.solid.shape.surface->faces[face], ruler, line);
}

// Two lines that are parallel as seen along n: their positions at each length along the line.
struct Shared {
  Line A, B;
  Vec3 n, l, m;  // unit: from A to B; along A's line, or half-way between two cylinders' lines; across both
  double low, high;

  bool find() noexcept {
    l = along(A);
    if (A.radius > 0.0 && B.radius > 0.0) {  // of two cylinders none comes first
      const Vec3 other = along(B);
      l = (l + std::copysign(1.0, l.dot(other)) * other).normalized();
    }
    m = n.cross(l);
    for (Line* line : {&A, &B})
      if (line->x0.dot(l) > line->x1.dot(l)) std::swap(line->x0, line->x1);
    low = std::max(A.x0.dot(l), B.x0.dot(l));
    high = std::min(A.x1.dot(l), B.x1.dot(l));
    return low < high && std::abs(along(B).dot(n.cross(along(A)))) < steep * along(B).dot(along(A));
  }

  Vec3 along(const Line& line) const noexcept {
    const Vec3 x = line.x1 - line.x0;
    return (x - x.dot(n) * n).normalized();
  }

  Vec3 on(const Line& line, double s) const noexcept {
    return line.at((s - line.x0.dot(l)) / (line.x1 - line.x0).dot(l));
  }

  double beside(double s) const noexcept { return m.dot(on(B, s) - on(A, s)); }
};

// At a lateral distance y, two round sides with R = rA + rB recede from each other by R - sqrt(R^2 - y^2). A rounded edge
// is round, too: `swept` adds to R.
void add_at(const Shared& shared, double s, double swept, const Placement& X, int feature, Manifold& out) noexcept {
  const Line &A = shared.A, &B = shared.B;
  const double y = shared.beside(s), R = A.radius + B.radius + swept, fall = 1.0 - std::sqrt(1.0 - y * y / (R * R));
  const Vec3 p = shared.on(A, s), q = shared.on(B, s);
  const double depth = shared.n.dot(p - q) - R * fall;
  if (!(depth > -swept)) return;
  const Vec3 middle = 0.5 * (p + q + ((A.radius - B.radius) / R) * (y * shared.m - R * fall * shared.n));
  out.add(X.R_WA * middle, X.R_WA * shared.n, depth, roaming + feature);
}

// The line of each solid, if one of them is a cylinder on its side.
bool find_lines(const MinkowskiDifference& D, const Minimum& minimum, Line& of_A, Line& of_B) noexcept {
  const View A(D.A, minimum.n, minimum.active_vertices, true),
      B(D.B, D.against_B(minimum.n), minimum.active_vertices, false);
  const Vec3 z = Vec3::UnitZ();
  const double fine = D.fine();
  if (side_line(A, of_A)) {
    const Vec3 x = D.R_AB.transpose() * (of_A.x0 - D.p_AB), t = D.R_AB.transpose() * z;
    if (!line_along(B, {x, t, t.cross(B.out).normalized(), fine}, std::abs(A.out[2]) <= upright, of_B)) return false;
  } else {
    if (!side_line(B, of_B)) return false;
    const Vec3 x = D.p_AB + D.R_AB * of_B.x0, t = D.R_AB * z;
    if (!line_along(A, {x, t, t.cross(A.out).normalized(), fine}, std::abs(B.out[2]) <= upright, of_A)) return false;
  }
  of_B = {D.p_AB + D.R_AB * of_B.x0, D.p_AB + D.R_AB * of_B.x1, of_B.radius};
  return true;
}

}  // namespace

bool add_side_contacts(const MinkowskiDifference& D, const Placement& X, const Minimum& minimum,
                       Manifold& out) noexcept {
  Shared shared;
  shared.n = minimum.n;
  if (!(D.A.is_flat() || D.B.is_flat()) || !find_lines(D, minimum, shared.A, shared.B) || !shared.find()) return false;

  const double R = shared.A.radius + shared.B.radius, length = shared.high - shared.low;
  const double y0 = shared.beside(shared.low), y1 = shared.beside(shared.high);
  const bool cross = y0 * y1 < 0.0 && std::min(std::abs(y0), std::abs(y1)) > crossing * R;
  const double s = cross ? shared.low + y0 / (y0 - y1) * length : 0.0;
  if (!cross || s - shared.low > R) add_at(shared, shared.low, D.swept, X, 0, out);
  if (!cross || shared.high - s > R) add_at(shared, shared.high, D.swept, X, 1, out);
  if (cross) add_at(shared, s, D.swept, X, 2, out);
  return out.count > 0;
}

}  // namespace contactlib::geometry

// Warm start on a face: where n is nearly the normal of a face of D, such as the normal of the last contact, the face
// follows from the edges at the support vertices that are nearly perpendicular to n, without a descent.
#include "descent.hpp"
#include "support_vertex.hpp"

namespace contactlib::geometry {

namespace {

// The two edges nearest to the plane across n, both of one solid or one of each, and the distance of the next edge
// below it.
struct Pair {
  Sharp::Of of;
  double next;
};

Pair pair(const SupportVertex& at_A, const SupportVertex& at_B) noexcept {
  const double *A = at_A.rise, *B = at_B.rise;
  if (A[1] >= B[0]) return {Sharp::face_A, -std::max(A[2], B[0])};
  if (B[1] >= A[0]) return {Sharp::face_B, -std::max(A[0], B[2])};
  return {Sharp::edges, -std::max(A[1], B[1])};
}

// The face between two incident edges of a corner; of two faces the first; -1 if the edges are not neighbours.
int face_between(const IncidentEdge& e, const IncidentEdge& g) noexcept {
  const int low = std::min(e.face, e.other), high = std::max(e.face, e.other);
  if (low == g.face || low == g.other) return low;
  return high == g.face || high == g.other ? high : -1;
}

// The two edges, their face if they have one, and its normal near n. Returns false if they are not neighbours.
struct Edges {
  const IncidentEdge *e, *g;
  int face = -1;
  Vec3 normal;

  bool of_face(const Solid& solid, const SupportVertex& at) noexcept {
    const Corners& c = solid.corners;
    e = &c.incident_edges[at.incident_edge[0]];
    g = &c.incident_edges[at.incident_edge[1]];
    face = face_between(*e, *g);
    if (!solid.shape.surface || face < 0) return false;
    normal = solid.shape.surface->faces[face].n;
    return true;
  }

  void crossing(const MinkowskiDifference& D, const Vec3& n, const SupportVertex& at_A,
                const SupportVertex& at_B) noexcept {
    e = &D.A.corners.incident_edges[at_A.incident_edge[0]];
    g = &D.B.corners.incident_edges[at_B.incident_edge[0]];
    normal = e->t.cross(D.R_AB * g->t);
    normal /= std::copysign(normal.norm(), normal.dot(n));
  }
};

}  // namespace

bool warm_start(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept {
  const Corners &A = D.A.corners, &B = D.B.corners;
  const SupportVertex at_A = support_vertex(A, n), at_B = support_vertex(B, D.against_B(n));
  const int a = at_A.v, b = at_B.v;
  const Vec3& x = A.x[a];
  const Vec3 y = D.corner_B(b);
  const Pair pair = geometry::pair(at_A, at_B);
  ActiveVertex* const active_vertex = out.active_vertices.active_vertex;
  Edges edges;
  if (pair.of == Sharp::face_A) {
    if (!edges.of_face(D.A, at_A)) return false;
    active_vertex[1] = {A.x[edges.e->to] - y, edges.e->to, b};
    active_vertex[2] = {A.x[edges.g->to] - y, edges.g->to, b};
  } else if (pair.of == Sharp::face_B) {
    if (!edges.of_face(D.B, at_B)) return false;
    edges.normal = -(D.R_AB * edges.normal);
    active_vertex[1] = {D.corner(a, edges.e->to), a, edges.e->to};
    active_vertex[2] = {D.corner(a, edges.g->to), a, edges.g->to};
  } else {
    edges.crossing(D, n, at_A, at_B);
    active_vertex[1] = {A.x[edges.e->to] - y, edges.e->to, b};
    active_vertex[2] = {D.corner(a, edges.g->to), a, edges.g->to};
  }
  // No other corner becomes the support vertex, or nearly so.
  const Vec3& normal = out.n = edges.normal;
  const double capacity = pair.next - 1e-8;
  if (!(capacity > 0.0 && (normal - n).squaredNorm() < capacity * capacity)) return false;

  active_vertex[0] = {x - y, a, b};
  out.sharp = {pair.of, edges.face};
  out.active_vertices.count = 3;
  out.overlap = normal.dot(active_vertex[0].w);
  out.round_A = out.round_B = Vec3::Zero();
  if (!(out.overlap > 0.0)) return false;
  const Vec3 foot = out.overlap * normal;
  if (!reach(out.active_vertices, normal, foot)) return false;
  const double* const weight = out.active_vertices.weight;
  if (weight[0] < 0.0 && pair.of == Sharp::edges) {  // the other half of two edges' parallelogram
    active_vertex[0] = {D.corner(active_vertex[1].a, active_vertex[2].b), active_vertex[1].a, active_vertex[2].b};
    reach(out.active_vertices, normal, foot);
  }
  return weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
}

}  // namespace contactlib::geometry

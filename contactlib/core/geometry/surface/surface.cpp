// The topology of corners, edges and faces. The box tree is built in tree.cpp.
#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes.hpp"
#include "corner.hpp"
#include "face_planes.hpp"
#include "flats.hpp"
#include "math/elementary.hpp"
#include "regions.hpp"
#include "tree.hpp"

namespace contactlib::geometry {

namespace {

constexpr double rounding = 1e-9;  // of a sum of unit vectors: none
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One side of a face: from corner loops[at] to the face's next corner.
struct Side {
  std::int32_t low, high;  // its ends
  std::int32_t at;
  bool operator<(const Side& other) const noexcept {
    if (low != other.low) return low < other.low;
    return high != other.high ? high < other.high : at < other.at;
  }
  bool same_edge(const Side& other) const noexcept { return low == other.low && high == other.high; }
};

// The area vector of a polygon is the sum over a fan of triangles:  2 a = sum (p_i - p_0) x (p_{i+1} - p_0)
bool plane_of(const Surface& surface, Face& face) noexcept {
  const Vec3 p0 = surface.corner(face, 0);
  Vec3 area = Vec3::Zero(), middle = Vec3::Zero();
  double longest = 0.0;
  for (int i = 0; i < face.count; ++i) {
    const Vec3 p = surface.corner(face, i) - p0, q = surface.corner(face, (i + 1) % face.count) - p0;
    area += p.cross(q);
    middle += p;
    longest = std::max(longest, (q - p).squaredNorm());
  }
  const double norm = area.norm();
  if (!(norm > 1e-13 * longest) || !std::isfinite(norm)) return false;
  face.n = area / norm;
  face.d = face.n.dot(p0) + face.n.dot(middle) / face.count;
  return true;
}

bool read_faces(const double* vertices, std::size_t vertex_count, const std::int32_t* loops, const std::int32_t* counts,
                std::size_t face_count, Surface& out) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (vertex_count > most || face_count > most) return false;
  out.vertices.reserve(vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) out.vertices.emplace_back(vertices + 3 * v);
  out.faces.reserve(face_count);
  std::size_t first = 0;
  for (std::size_t f = 0; f < face_count; ++f) {
    if (counts[f] < 3 || first + counts[f] > most) return false;
    for (std::int32_t i = 0; i < counts[f]; ++i) {
      const std::int32_t v = loops[first + i];
      if (v < 0 || static_cast<std::size_t>(v) >= vertex_count) return false;
      out.loops.push_back(v);
    }
    Face face{static_cast<std::int32_t>(first), counts[f], Vec3::Zero(), 0.0};
    if (!plane_of(out, face)) return false;
    out.faces.push_back(face);
    first += counts[f];
  }
  return true;
}

// For every side the position in `loops` of the opposite side, -1 on a border. Returns false if an edge has more than
// two sides, or two that run in the same direction.
bool pair_sides(const Surface& surface, std::vector<std::int32_t>& back) {
  std::vector<Side> sides;
  sides.reserve(surface.loops.size());
  for (const Face& face : surface.faces)
    for (int i = 0; i < face.count; ++i) {
      const std::int32_t at = face.first + i, from = surface.loops[at];
      const std::int32_t to = surface.loops[face.first + (i + 1) % face.count];
      if (from == to) return false;
      sides.push_back({std::min(from, to), std::max(from, to), at});
    }
  std::sort(sides.begin(), sides.end());
  back.assign(sides.size(), -1);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const Side &a = sides[i - 1], &b = sides[i];
    if (!a.same_edge(b)) continue;
    if (back[a.at] >= 0 || surface.loops[a.at] == surface.loops[b.at]) return false;
    back[a.at] = b.at;
    back[b.at] = a.at;
  }
  return true;
}

double bend_of(const Surface& surface, const Edge& edge) noexcept {
  return edge.f1 < 0 ? 0.0 : surface.faces[edge.f0].n.cross(surface.faces[edge.f1].n).dot(edge.t);
}

// Edges in the order of their first appearance in the loops.
bool join_edges(Surface& out) {
  std::vector<std::int32_t> back;
  if (!pair_sides(out, back)) return false;
  std::vector<std::int32_t> face_at(out.loops.size());
  for (std::size_t f = 0; f < out.faces.size(); ++f)
    std::fill_n(face_at.begin() + out.faces[f].first, out.faces[f].count, static_cast<std::int32_t>(f));
  out.loop_edges.resize(out.loops.size());
  out.edges.reserve(out.loops.size() / 2);
  out.closed = !out.faces.empty();
  for (const Face& face : out.faces)
    for (int i = 0; i < face.count; ++i) {
      const std::int32_t at = face.first + i, other = back[at];
      if (other >= 0 && other < at) {
        out.loop_edges[at] = out.loop_edges[other];
        continue;
      }
      out.loop_edges[at] = static_cast<std::int32_t>(out.edges.size());
      Edge edge{out.loops[at], out.loops[face.first + (i + 1) % face.count], face_at[at], -1, Vec3::Zero(), 0.0, 0.0};
      if (other >= 0) edge.f1 = face_at[other];
      const Vec3 along = out.vertices[edge.v1] - out.vertices[edge.v0];
      edge.length = along.norm();
      if (!(edge.length > 0.0)) return false;
      edge.t = along / edge.length;
      edge.bend = bend_of(out, edge);
      out.closed = out.closed && edge.f1 >= 0;
      out.edges.push_back(edge);
    }
  return true;
}

void add_incident_edges(Surface& out) {
  out.first_incident_edge.assign(out.vertices.size() + 1, 0);
  for (const Edge& edge : out.edges) {
    ++out.first_incident_edge[edge.v0 + 1];
    ++out.first_incident_edge[edge.v1 + 1];
  }
  for (std::size_t v = 0; v < out.vertices.size(); ++v) out.first_incident_edge[v + 1] += out.first_incident_edge[v];
  std::vector<std::int32_t> next(out.first_incident_edge.begin(), out.first_incident_edge.end() - 1);
  out.incident_edges.resize(2 * out.edges.size());
  for (std::size_t e = 0; e < out.edges.size(); ++e) {
    const Edge& edge = out.edges[e];
    out.incident_edges[next[edge.v0]++] = {edge.t, edge.v1, static_cast<std::int32_t>(e), edge.f0, edge.f1};
    out.incident_edges[next[edge.v1]++] = {-edge.t, edge.v0, static_cast<std::int32_t>(e), edge.f1, edge.f0};
  }
}

// None for large meshes, which do not use them.
void add_wheels(Surface& out) {
  if (out.vertices.size() > 4096) return;
  out.wheels.resize(out.vertices.size());
  for (std::size_t v = 0; v < out.vertices.size(); ++v) {
    const std::int32_t first = out.first_incident_edge[v], count = out.first_incident_edge[v + 1] - first;
    Wheel& wheel = out.wheels[v];
    for (int i = 0; i < Wheel::most; ++i) {
      const IncidentEdge* const edge = i < count ? &out.incident_edges[first + i] : nullptr;
      const Vec3 t = edge ? edge->t : Vec3(Vec3::Zero());
      const Vec3 to = edge ? out.vertices[edge->to] : Vec3(Vec3::Constant(nan));
      wheel.x[i] = t[0], wheel.y[i] = t[1], wheel.z[i] = t[2];
      wheel.to_x[i] = to[0], wheel.to_y[i] = to[1], wheel.to_z[i] = to[2];
      wheel.none[i] = edge ? 0.0 : -2.0;
      wheel.length[i] = edge ? out.edges[edge->edge].length : nan;
    }
  }
}

void add_vertex_normals(Surface& out) {
  out.vertex_normals.assign(out.vertices.size(), Vec3::Zero());
  out.border_vertex.assign(out.vertices.size(), 0);
  for (const Face& face : out.faces)
    for (int i = 0; i < face.count; ++i) {
      const Vec3 p = out.corner(face, i);
      const Vec3 a = out.corner(face, (i + 1) % face.count) - p,
                 b = out.corner(face, (i + face.count - 1) % face.count) - p;
      out.vertex_normals[out.loops[face.first + i]] += math::atan2(a.cross(b).norm(), a.dot(b)) * face.n;
    }
  for (Vec3& n : out.vertex_normals) {
    const double norm = n.norm();
    if (norm > rounding)
      n /= norm;
    else
      n.setZero();
  }
  for (const Edge& edge : out.edges)
    if (edge.f1 < 0) out.border_vertex[edge.v0] = out.border_vertex[edge.v1] = 1;
}

// The edges around a vertex.
class Star {
 public:
  explicit Star(const Surface& surface) noexcept : surface_(surface) {}

  void move_to(std::int32_t v) {
    flat_ = !surface_.border_vertex[v];
    away_.clear();
    for (std::int32_t k = surface_.first_incident_edge[v]; k < surface_.first_incident_edge[v + 1]; ++k) {
      const IncidentEdge& incident_edge = surface_.incident_edges[k];
      away_.push_back(incident_edge.t);
      flat_ = flat_ && std::abs(surface_.edges[incident_edge.edge].bend) <= sharp;
    }
  }

  bool flat() const noexcept { return flat_; }
  Corner seen_from(const Vec3& g) const { return corner_of(away_, g); }

 private:
  const Surface& surface_;
  std::vector<Vec3> away_;  // unit vectors along the edges
  bool flat_ = false;
};

std::int32_t owned_edge(const Surface& surface, std::int32_t e) noexcept {
  const Edge& edge = surface.edges[e];
  if (edge.f1 < 0 || edge.bend > sharp) return its_edge | near_edge | ridge;
  return edge.bend >= -sharp ? its_edge | near_edge : its_edge;
}

// From inside, a vertex can be nearest if it is a tip or a ridge seen from there.
std::int32_t owned_vertex(const Star& star, Corner corner, const Vec3& g) {
  if (corner == Corner::tip) return its_vertex | near_vertex | tip;
  const bool near = corner == Corner::ridge || star.flat() || star.seen_from(-g) != Corner::saddle;
  return near ? its_vertex | near_vertex : its_vertex;
}

void add_bend(const Surface& surface, const Edge& edge, float& bend, float& level) noexcept {
  if (edge.f1 < 0) return;
  bend = static_cast<float>(edge.length * edge.bend);
  level = static_cast<float>(surface.faces[edge.f0].n.dot(surface.faces[edge.f1].n));
}

// Every edge and vertex belongs to the first facet that contains it.
void add_owners(Surface& out) {
  std::vector<unsigned char> edge_taken(out.edges.size(), 0), vertex_taken(out.vertices.size(), 0);
  out.convex_vertex.assign(out.vertices.size(), 0);
  Star star(out);
  for (Facet& facet : out.facets)
    for (int i = 0; i < 3; ++i) {
      const std::int32_t e = facet.edge[i], v = facet.vertex[i];
      if (e >= 0) add_bend(out, out.edges[e], facet.bend[i], facet.level[i]);
      if (e >= 0 && !edge_taken[e]) facet.owns |= owned_edge(out, e) << i, edge_taken[e] = 1;
      if (vertex_taken[v]) continue;
      star.move_to(v);
      const Corner corner = star.seen_from(out.vertex_normals[v]);
      facet.owns |= owned_vertex(star, corner, out.vertex_normals[v]) << i, vertex_taken[v] = 1;
      out.convex_vertex[v] = corner != Corner::saddle;
    }
}

// A polygon is a fan of triangles around its first corner.
void add_facets(Surface& out) {
  out.first_facet.assign(1, 0);
  for (const std::int32_t f : out.order) {
    const Face& face = out.faces[f];
    const std::int32_t* loop = out.loops.data() + face.first;
    const std::int32_t* side = out.loop_edges.data() + face.first;
    for (int i = 1; i + 1 < face.count; ++i)
      out.facets.push_back({{out.vertices[loop[0]], out.vertices[loop[i]], out.vertices[loop[i + 1]]},
                            face.n,
                            f,
                            {i == 1 ? side[0] : -1, side[i], i + 2 == face.count ? side[i + 1] : -1},
                            {loop[0], loop[i], loop[i + 1]},
                            0,
                            {},
                            {}});
    out.first_facet.push_back(static_cast<std::int32_t>(out.facets.size()));
  }
}

// The corners of a box's faces -x, +x, -y, +y, -z, +z.
constexpr std::int32_t box_loops[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

// 4k + j for the edge along axis k whose ends have the signs j along the two others
std::int32_t box_edge(const Edge& edge) noexcept {
  const int low = std::min(edge.v0, edge.v1), along = edge.v0 ^ edge.v1;
  if (along == 1) return low >> 1;
  return along == 2 ? 4 + (low & 1) + (low >> 2 << 1) : 8 + low;
}

void renumber_box_edges(Surface& out) {
  std::vector<Edge> edges(out.edges.size());
  for (const Edge& edge : out.edges) {
    Edge& to = edges[box_edge(edge)];
    to = edge;
    if (edge.v0 < edge.v1) continue;
    std::swap(to.v0, to.v1);
    std::swap(to.f0, to.f1);
    to.t = -edge.t;
  }
  for (std::int32_t& e : out.loop_edges) e = box_edge(out.edges[e]);
  out.edges = std::move(edges);
}

// The middle of a bundle of directions, see aim().
Vec3 along(int bundle) noexcept {
  const auto middle = [](int cell) noexcept { return (2 * cell + 1) / static_cast<double>(cells) - 1.0; };
  return Vec3(middle(bundle / (cells * cells)), middle(bundle / cells % cells), middle(bundle % cells));
}

// Of many corners only some are evaluated.
void add_furthest(Surface& out) noexcept {
  const std::size_t count = out.vertices.size(), step = 1 + count / 1024;
  for (const Vec3& vertex : out.vertices) out.mean += vertex;
  out.mean /= static_cast<double>(count);
  for (int bundle = 0; bundle < aims; ++bundle) {
    const Vec3 n = along(bundle);
    std::int32_t best = out.loops.empty() ? 0 : out.loops[0];
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < count; v += step) {
      const double here = n.dot(out.vertices[v]);
      if (!(here > most) || out.first_incident_edge[v + 1] == out.first_incident_edge[v]) continue;
      most = here;
      best = static_cast<std::int32_t>(v);
    }
    out.furthest[bundle] = best;
  }
}

// m, lower bound of the thickness: the least side of the box around the surface, in its axes, and 6 V/A, which is the
// diameter of a ball and three times the thickness of a plate in any orientation. An open surface has no inside.
double thickness_of(const Surface& surface) noexcept {
  if (!surface.closed) return std::numeric_limits<double>::infinity();
  double volume = 0.0, area = 0.0;
  for (const Face& face : surface.faces)
    for (int i = 2; i < face.count; ++i) {
      const Vec3 a = surface.corner(face, 0) - surface.middle;
      const Vec3 twice =
          (surface.corner(face, i - 1) - surface.middle - a).cross(surface.corner(face, i) - surface.middle - a);
      area += 0.5 * twice.norm(), volume += a.dot(twice) / 6.0;
    }
  return area > 0.0 ? std::min(2.0 * half(surface.nodes[0]).minCoeff(), 6.0 * std::abs(volume) / area) : 0.0;
}

void finish(Surface& out) {
  add_incident_edges(out);
  add_wheels(out);
  find_face_planes(out);
  add_furthest(out);
  add_vertex_normals(out);
  make_surface_tree(out);
  find_regions(out);
  add_facets(out);
  add_owners(out);
  make_bvh4_nodes(out);
  out.thickness = thickness_of(out);
  find_flats(out);
  find_fineness(out);
}

}  // namespace

bool make_surface(const double* vertices, std::size_t vertex_count, const std::int32_t* loops,
                  const std::int32_t* counts, std::size_t face_count, Surface& out) {
  out = Surface();
  if (!read_faces(vertices, vertex_count, loops, counts, face_count, out) || !join_edges(out)) return false;
  finish(out);
  return true;
}

bool make_box_surface(const double* size, Surface& out) {
  double corners[24];
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 3; ++i) corners[3 * k + i] = (k >> i & 1) ? 0.5 * size[i] : -0.5 * size[i];
  const std::int32_t counts[6] = {4, 4, 4, 4, 4, 4};
  out = Surface();
  if (!read_faces(corners, 8, box_loops, counts, 6, out) || !join_edges(out)) return false;
  renumber_box_edges(out);
  finish(out);
  return true;
}

bool make_triangle_surface(const double* corners, Surface& out) {
  const std::int32_t loops[6] = {0, 1, 2, 0, 2, 1}, counts[2] = {3, 3};
  return make_surface(corners, 3, loops, counts, 2, out);
}

bool is_convex(const Surface& surface) noexcept {
  if (!surface.closed) return false;
  for (const Face& face : surface.faces)
    for (const Vec3& vertex : surface.vertices)
      if (face.n.dot(vertex) - face.d > 1e-9 * surface.size) return false;
  return true;
}

bool bends_outwards(const Surface& surface) noexcept {
  if (!surface.closed || surface.vertices.size() + surface.faces.size() != surface.edges.size() + 2) return false;
  double outwards = 0.0, inwards = 0.0;  // m
  for (const Edge& edge : surface.edges) (edge.bend > 0.0 ? outwards : inwards) += edge.length * std::abs(edge.bend);
  return inwards <= 1e-3 * outwards;
}

}  // namespace contactlib::geometry

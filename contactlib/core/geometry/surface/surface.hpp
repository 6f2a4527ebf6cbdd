// The surface of a polytope or a mesh: corners, faces, edges and their topology. Built when a model is read.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "math/lanes.hpp"

namespace contactlib::geometry {

using math::TwoLanes;

// A plane polygon; its corners loops[first .. first + count) run counter-clockwise as seen from outside.
struct Face {
  std::int32_t first, count;
  Vec3 n;    // unit, outward
  double d;  // m, n.x = d on the face
};

// A face in coordinates of its own:  x = o + u t_u + v t_v
struct FacePlane {
  Vec3 o, t_u, t_v;  // m; unit
};

// An edge between two faces. v0 -> v1 runs along the border of face f0, against that of f1.
struct Edge {
  std::int32_t v0, v1;
  std::int32_t f0, f1;  // f1 = -1 on the border of an open mesh
  Vec3 t;               // unit, v0 -> v1
  double length;        // m
  // (n0 x n1).t, the sine of the angle between the normals of the two faces. > sharp: convex, < -sharp: concave
  double bend;
};

// The directions in which a face is flat, and not a piece of a curved surface: 2, 1 along a unit vector, or 0.
struct FlatWays {
  int ways;
  Vec3 along;
};

// An edge as seen from one of its corners.
struct IncidentEdge {
  Vec3 t;             // unit, away from the corner
  std::int32_t to;    // the corner at its other end
  std::int32_t edge;
  // the face that it borders counter-clockwise, a different one for each incident edge of the corner, or -1; and the
  // face across the edge
  std::int32_t face, other;
};

// The incident edges of a corner that has at most eight, in columns, so that all are evaluated together. Where there is
// none: an edge of length zero below what any unit vector rises, and numbers that compare as greater than no others.
struct alignas(64) Wheel {
  static constexpr int most = 8;
  double x[most], y[most], z[most];  // unit, away from the corner
  double none[most];                 // 0; -2 where there is none
  double length[most];               // m; not a number where there is none
  double to_x[most], to_y[most], to_z[most];  // m, the corners at the other ends; not a number where there is none
};

// Below this sine two faces are coplanar: their common edge has no contacts besides those of the faces.
inline constexpr double sharp = 1e-6;

// A box in the surface's axes around some faces. Leaves hold the faces order[first .. first + count).
struct BoxNode {
  double low[3], high[3];
  std::int32_t first;  // leaf: into `order`; else the left child, the right one follows it
  std::int32_t count;  // 0: not a leaf
};

// A triangle of a face, its corners counter-clockwise as seen from outside: the data of a query, in the tree's order.
struct Facet {
  Vec3 corner[3];
  Vec3 n;                // unit, of its face
  std::int32_t face;
  std::int32_t edge[3];  // from corner i to the next; -1: inside the face
  std::int32_t vertex[3];
  std::int32_t owns;     // of every edge and vertex one facet is the owner: a sum of Owns
  // the bend to the next face at edge i, in a float's digits: the edge's length times the sine of the angle between the
  // normals, > 0 if convex, and its cosine; both zero on a border
  float bend[3], level[3];
};

// Bits i = 0..2 from here on: edge[i] or vertex[i]
enum Owns : std::int32_t {
  its_edge = 1 << 0,  // belongs to this facet
  its_vertex = 1 << 3,  // belongs to this facet
  near_edge = 1 << 6,  // and can be the nearest place from outside: it is not concave
  near_vertex = 1 << 9,  // and can be the nearest place, from outside or inside: it is no saddle
  ridge = 1 << 12,  // and is an edge with bend > sharp, or on a border
  tip = 1 << 15  // and is a vertex with some plane through it that has all its edges strictly behind it
};

// The longest path from the root to a leaf: the size of a query's stack.
inline constexpr int deepest_node = 64;

// Four groups of facets, each in a ball. A point of a group can be nearest to x among its neighbours only if x lies in
// a direction within an angle of the cone's axis, or of its opposite (from inside). In floats and in lanes, so that all
// four are evaluated together; relative to the middle of the root's box.
struct Bvh4Node {
  float middle[3][4], radius[4];  // m; radius < 0: no group
  float axis[3][4];
  float sine[4], cosine[4];  // of the angle; 1 and 0: all directions
  std::int32_t child[4];  // another bvh4_node, or ~ a facet
};

inline constexpr int deepest_bvh4_node = 96;

// Directions in bundles: unit vectors through the cells of the cube around them, so that finding a bundle needs no
// division and no branch. Most cells are never used; they cost less than a division.
inline constexpr int cells = 9, aims = cells * cells * cells;  // along a side; in all

// The bundle that contains the unit vector n.
inline int aim(const Vec3& n) noexcept {
  const auto cell = [](double x) noexcept {
    return std::min(cells - 1, std::max(0, static_cast<int>(0.5 * cells + 0.5 * cells * x)));
  };
  return (cell(n[0]) * cells + cell(n[1])) * cells + cell(n[2]);
}

// The plane of some faces: n.x = d
struct Region {
  Vec3 n;  // unit, outward
  double d;  // m
};

struct Surface {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<FlatWays> flats;  // of every face
  std::vector<std::int32_t> loops;  // corners of all faces
  std::vector<std::int32_t> loop_edges;  // beside it: the edge from that corner to the next one
  // of every face, and u and v of its corners beside `loops`; none of a surface of triangles
  std::vector<FacePlane> planes;
  std::vector<std::array<double, 2>> loop_uv;
  std::vector<Edge> edges;
  // edges around vertex v: incident_edges[first_incident_edge[v] .. first_incident_edge[v + 1])
  std::vector<std::int32_t> first_incident_edge;
  std::vector<IncidentEdge> incident_edges;
  std::vector<Wheel> wheels;  // of every vertex; none of a surface with too many
  // 1: vertex v is convex: some plane through it has all its edges on or behind it, and not all in it
  std::vector<unsigned char> convex_vertex;
  std::vector<unsigned char> border_vertex;  // 1: an edge with one face ends there
  std::vector<double> fineness;  // 1/m, of every vertex: the mean of 1/width over the faces around it that are curved
  std::vector<Vec3> vertex_normals;  // unit, of the faces around it weighted by their angles; zero if none
  bool closed = false;  // every edge has two faces
  double size = 0.0;  // m, diagonal of the root's box
  double thickness = 0.0;  // m, at most: of the box in its axes, of 6 volume/area (a ball's diameter)
  std::vector<BoxNode> nodes;  // over the faces, root first
  std::vector<std::int32_t> order;
  // of a closed surface of triangles: faces that lie in one plane and are joined by edges have one region; a node has it
  // if all of its faces have it, else -1
  std::vector<Region> regions;
  std::vector<std::int32_t> region_of_face, region_of_node;
  // of face order[k]: facets[first_facet[k] .. first_facet[k + 1]). On a mesh each face is one facet
  std::vector<Facet> facets;
  std::vector<std::int32_t> first_facet;
  std::vector<Bvh4Node> bvh4_nodes;  // over the facets, root first
  Vec3 middle = Vec3::Zero();  // m, of the root's box: where the bvh4_nodes measure from
  Vec3 mean = Vec3::Zero();  // m, of all corners: inside, if it is convex
  std::int32_t furthest[aims];  // a corner far along the middle of each bundle of directions

  const Vec3& corner(const Face& face, int i) const noexcept { return vertices[loops[face.first + i]]; }

  // Prefetches a child of a Bvh4Node: large meshes are not in the cache.
  void fetch(std::int32_t child) const noexcept {
    const void* const at = child < 0 ? static_cast<const void*>(&facets[~child]) : &bvh4_nodes[child];
    static_assert(sizeof(Facet) <= 192 && sizeof(Bvh4Node) <= 192);
    for (const int line : {0, 64, 128}) __builtin_prefetch(static_cast<const char*>(at) + line);
  }
};

// Fills in all fields from corners and loops (face i has counts[i] corners). Returns false if an index is out of range,
// a corner is not finite, a face has fewer than three corners or no area, or an edge has more than two faces or two
// that run along it in the same direction. May throw std::bad_alloc: it is called while a model is read, never in a
// step.
bool make_surface(const double* vertices, std::size_t vertex_count, const std::int32_t* loops,
                  const std::int32_t* counts, std::size_t face_count, Surface& out);

// The surfaces of shapes that are given by sizes; returns false as above. A triangle has two faces, back to back.
bool make_box_surface(const double* size, Surface& out);
bool make_triangle_surface(const double* corners, Surface& out);

// Whether the surface is closed and no corner lies above a face by more than 1e-9 of the size.
bool is_convex(const Surface& surface) noexcept;
// Whether a closed surface in one piece, without a hole through it, bends inwards a thousandth as much as outwards, or less:
// coordinates with seven digits have bends of both signs in their flat faces, while a groove of the width of a few
// hundredths of the size has more.
bool bends_outwards(const Surface& surface) noexcept;

}  // namespace contactlib::geometry

// Working memory for the contact of a solid with a mesh: allocated with Data, reused from pair to pair, never saved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"

namespace contactlib::geometry {

// A face of the solid A: a convex polygon in B's axes, its corners counter-clockwise as seen from outside A.
struct Wall {
  std::int32_t first, count;  // OverlapScratch::corners[first .. first + count)
  Vec3 n;                     // unit, out of A
  double d;                   // m, n.x = d on the wall
  FlatWays flat;                  // in B's axes
};

// A sheet A without thickness, where B passes through it. A triangle of B meets it in a line, which stands for a strip
// of the triangle: of a plate that is much thinner than the line is long.
struct Sheet {
  bool there = false;
  Vec3 n = Vec3::Zero();  // unit, B's axes
  double d = 0.0;         // m, n.x = d on the sheet
  double thickness = 0.0;  // m, of the plate

  // The width of the strip of a triangle with normal n_B, m.
  double width(const Vec3& n_B) const noexcept { return thickness / std::max(n.cross(n_B).norm(), least_sine); }

  Vec3 in_sheet(const Vec3& x) const noexcept { return x - (n.dot(x) - d) * n; }

  static constexpr double least_sine = 1e-8;  // a triangle in the sheet has a strip that is not wider than this allows
};

// A triangle of the mesh B that has a part inside A.
struct Piece {
  std::int32_t face;
  std::int32_t leader;  // while patches are joined: another piece of the patch; then its first one
  std::int32_t next;  // the next piece of the patch; -1: none
  std::int32_t sides;  // bit i: a part of side i of the triangle is inside A
  bool cut;  // some corner of the triangle is outside A
  Vec3 area;  // m2, area vector of the part inside A
};

// A connected part of B's surface inside A.
struct Patch {
  std::int32_t first;  // piece
  double area;  // m2
  Vec3 area_vector;  // m2, U_0
  std::int32_t branch = -1;  // of the merge tree: what is meant is that branch; -1: all
};

// A triangle of one of two meshes that intersects the other mesh or is inside it.
struct Member {
  std::int32_t face;
  std::int32_t leader;  // while groups are joined: another member of the group; then its first one
  std::int32_t next;  // the next member of the group; -1: none
  bool of_A, crosses, proper;
  // Area vector of the intersection curve's part that runs through a triangle of B.
  Vec3 area;  // m2, sum of p x q / 2
  Vec3 gap;  // m, sum of q - p
  double length;  // m
};

// The thickness of the overlap over a piece, along a fixed direction.
struct Heights {
  double top = 0.0;  // m, the most
  Vec3 peak = Vec3::Zero();  // m, where that is, on B's surface
  std::int32_t peak_side = -1;  // the side of the triangle on which that is; -1: none
  double side[3] = {0.0, 0.0, 0.0};  // m, the most along a side of the triangle
  Vec3 at[3];  // m, where that is, on B's surface
};

// A side shared by two pieces of a patch.
struct Link {
  double height;  // m, the greatest thickness along it
  std::int32_t a, b;  // pieces
  std::int32_t edge;  // of B
  Vec3 at;  // m, where that is, on B's surface
};

inline constexpr std::int32_t along_wall = -2;  // tag of an edge of a polygon along the first wall
inline constexpr int max_branches = 32;  // further, lower peaks are ignored

// How a length falls as A moves by v + w x x:  by force.v + couple.w
struct Decrease {
  Vec3 force = Vec3::Zero(), couple = Vec3::Zero();

  // Adds `by` times the decrease of a length whose gradient is that of a point at x.
  void add(double by, const Vec3& x, const Vec3& gradient) noexcept {
    force += by * gradient;
    couple += by * x.cross(gradient);
  }
};

inline Decrease operator*(double by, const Decrease& of) noexcept { return {by * of.force, by * of.couple}; }

// A branch of the merge tree of a patch's thickness: a peak with its surroundings above the saddle at which it joins a
// higher one.
struct Branch {
  std::int32_t first, last;  // pieces, in their order by `next`
  std::int32_t parent;  // branch of the higher peak; -1: none
  std::int32_t ends[2];  // branches of the peaks on both sides of the saddle, which are not always this and parent
  double top, saddle;  // m, thickness; the saddle of a branch without parent has 0
  Vec3 at;  // m, the saddle, on B's surface
  std::int32_t edge;  // of B: the saddle is on it
  std::int32_t origin;  // face of B near the peak, which is the same in any frame
  Vec3 gradient = Vec3::Zero();  // of S: how the saddle falls as A moves
  double level = 0.0;  // m: above it the peak is measured
  std::int32_t level_of = -1;  // the branch whose saddle that is
  Decrease level_decrease;
  double common = 0.0;  // weight of the common direction, against that of its own normal
};

// A spring of a contact, in B's axes.
struct PlacedSpring {
  Vec3 x, n;  // m, half-way between the surfaces; unit, out of B
  double depth, load_share;  // m, -
};
inline constexpr int max_cuts = 8;  // of a patch, one after the other, at low saddles
inline constexpr int max_patch_springs = 4 * (max_branches + 1);  // springs of a patch that is not cut
inline constexpr int max_springs = (max_cuts + 3) * max_patch_springs;

struct OverlapScratch {
  std::vector<Vec3> corners;  // of the walls
  std::vector<Wall> walls;
  Sheet sheet;
  std::vector<Piece> pieces;
  std::vector<std::int32_t> piece_of;  // of each face of B; -1: none. All are -1 between calls
  std::vector<Patch> patches;
  std::vector<Heights> heights;  // of each piece, as the last survey found them
  std::vector<std::int32_t> peak_of, last_of;  // of each piece: see peaks.cpp
  std::vector<std::int32_t> listed;  // the pieces of a patch
  std::vector<Link> links;
  std::vector<Branch> branches;
  std::vector<PlacedSpring> springs;  // of a patch
  Vec3 up;  // unit, B's axes: the direction of the merge tree
  std::vector<Member> members;  // of a pair of meshes
  std::vector<std::int32_t> member_a, member_b;  // of each face; -1: none. All are -1 between calls
  std::vector<unsigned char> met;  // 1: a wall below some piece
  std::vector<double> reach;  // of each wall across the direction of a pass: four bounds
  std::vector<Vec3> polygon[3];  // a triangle as it is cut
  std::vector<std::int32_t> tags[3];  // the side of the triangle on which an edge of the polygon lies; -1: none;
  // along_wall - i: wall i

  // Allocates the memory for these two shapes, B a mesh. May throw std::bad_alloc.
  void grow_capacity(const Shape& A, const Shape& B);

 private:
  void make_room_on(const Shape& A, const Shape& B);
};

}  // namespace contactlib::geometry

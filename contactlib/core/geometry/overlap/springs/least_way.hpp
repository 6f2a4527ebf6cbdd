// The shortest way out of a patch that spans sharp convex edges of B. There the direction of the moments lies between
// the faces, by their areas, and the way along it may be many times the shortest one.
#pragma once

#include "solve.hpp"

namespace contactlib::geometry {

// Moved by `depth` along n, all of A is beyond a plane across n, with the whole patch and the edge behind it.
struct Way {
  Vec3 n;        // unit, out of B
  double depth;  // m
};

// All corners of A, m, B's axes.
struct Corners {
  const Vec3* first;
  std::size_t count;

  const Vec3* begin() const noexcept { return first; }
  const Vec3* end() const noexcept { return first + count; }
};

class LeastWay {
 public:
  LeastWay(const Surface& B, const Corners& corners, const OverlapScratch& scratch,
           const OverlapSolver& solver) noexcept
      : B_(B), corners_(corners), scratch_(scratch), solver_(solver) {}

  // The least over the normals of B at the sharp edges of a patch, m. Returns false if it has none, or none is shorter
  // than `below`. low: a low point of A; around: at all sharp edges of the patch's triangles, inside A or not.
  bool find(const PatchPart& part, double below, const Vec3& low, bool around, Way& out) noexcept;

  // The depth along n, m.
  double along(const PatchPart& part, const Vec3& n) const noexcept;

  // Of A's lowest corner along n, m.
  double lowest(const Vec3& n) const noexcept;

  // A point of contact, B's axes: on the line along n through the middle of the patch, half-way between the surfaces.
  Vec3 place_of(const PatchPart& part, const Way& way) const noexcept;

 private:
  // The normals of B at an edge, from those of one of its faces to the other's.
  struct Arc {
    Vec3 from, to, at;  // at: m, on the edge
  };
  static constexpr int max_arcs = 16;

  bool is_new(const Arc& arc) const noexcept;
  void search(const PatchPart& part, const Arc& arc, Way& out) const noexcept;

  const Surface& B_;
  const Corners corners_;
  const OverlapScratch& scratch_;
  const OverlapSolver& solver_;
  Arc arcs_[max_arcs];
  int count_ = 0;
};

}  // namespace contactlib::geometry

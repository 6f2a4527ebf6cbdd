// Cached candidates: for two bodies, all pairs of their shapes that are not further apart than a margin, with a lower
// bound of each distance. They are valid while a bound on the relative motion of the bodies is less than the margin
// (conservative advancement, docs/simulation.md). The list is scratch memory: the contacts that follow from it, their
// order and their bits are those of a new traversal of the trees.
#pragma once

#include <cstdint>
#include <vector>

#include "bounding/tree.hpp"
#include "model/model.hpp"

namespace contactlib::state {

using bounding::Candidate;
using model::Model;

// The placement of the moving body of two in the axes of the other.
struct RelativePose {
  Mat3 R;
  Vec3 middle;  // m, of the ball around its shapes
  double far;   // m, scale of the coordinates; NaN or infinite where there is no bound
};

struct CachedPair {
  // constant
  bool a_moves = true;    // the smaller of the two bodies moves in the axes of the other
  Vec3 middle;            // m, of a ball around the shapes of the moving body, in its axes
  double radius, size;    // m, of this ball; scale of both bodies' coordinates
  double longest;         // m, largest margin
  // at the reference, which is the last evaluation that traversed the trees
  RelativePose reference;
  double margin = -1.0;   // m, of the list; negative: there is none
  std::size_t first = 0, count = 0;  // of CachedCandidates::entries, sorted by row of the pair table
  int uses = 0;           // evaluations since the reference
  int failures = 0, pause = 0;  // lists that did not last, one after the other; evaluations without an attempt

  // An upper bound of the distance between the places of any point of the moving body now and at the reference, seen
  // from the other body; infinite or not a number where there is none.
  double motion(const RelativePose& now) const noexcept;

  // Begins a new reference without a list. Returns the margin of the list that is worth the work; negative: none is.
  double begin(const RelativePose& now, double moved) noexcept;
};

class CachedCandidates {
 public:
  void make(const Model& model);  // may throw bad_alloc

  // Memory for the list of a pair, which replaces its old one; null if there is not enough.
  Candidate* reserve(CachedPair& pair, std::size_t count) noexcept;

  Candidate* list(const CachedPair& pair) noexcept { return entries_.data() + pair.first; }

  std::vector<CachedPair> pairs;  // those of PairIndex::listed

 private:
  void compact() noexcept;

  std::vector<Candidate> entries_;
  std::vector<CachedPair*> by_place_;
  std::size_t used_ = 0;
};

}  // namespace contactlib::state

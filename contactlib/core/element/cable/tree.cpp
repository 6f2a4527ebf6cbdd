#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace contactlib::element {

using Box = CableSkinScratch::Box;
using Tree = CableSkinScratch::Strand;

namespace {

// The box around an element: the cubic is within the hull of its four Bezier points.
void enclose(const double* q, double third, Box& box) noexcept {
  for (int i = 0; i < 3; ++i) {
    const double r0 = q[i], p = r0 + third * q[i + 3], r1 = q[i + 6], s = r1 - third * q[i + 9];
    box.low[i] = std::min(std::min(r0, p), std::min(r1, s));
    box.high[i] = std::max(std::max(r0, p), std::max(r1, s));
  }
}

void join_boxes(Tree& tree) noexcept {
  Box* const boxes = tree.boxes.data();
  for (std::size_t i = tree.curves.size() - 1; i > 0; --i) {
    const Box &a = boxes[2 * i], &b = boxes[2 * i + 1];
    for (int k = 0; k < 3; ++k) {
      boxes[i].low[k] = std::min(a.low[k], b.low[k]);
      boxes[i].high[k] = std::max(a.high[k], b.high[k]);
    }
  }
}

}  // namespace

void widen(Box& box, const Vec3& p) noexcept {
  for (int i = 0; i < 3; ++i) {
    box.low[i] = std::min(box.low[i], p[i]);
    box.high[i] = std::max(box.high[i], p[i]);
  }
}

void refit(Tree& tree, const CableStrand& strand) noexcept {
  const std::vector<CableElement>& elements = strand.design->elements;
  double sum = 0.0;
  for (std::size_t i = 0; i < 6 * (elements.size() + 1); ++i) sum += strand.q[i];
  tree.finite = std::isfinite(sum);
  if (!tree.finite) return;
  const std::size_t n = elements.size();
  for (std::size_t leaf = n; leaf < 2 * n; ++leaf) {
    const std::size_t e = element_of(tree, leaf);
    enclose(strand.q + 6 * e, elements[e].length / 3.0, tree.boxes[leaf]);
  }
  join_boxes(tree);
  std::fill(tree.ready.begin(), tree.ready.end(), char{0});
}

void prepare(Tree& tree, const CableStrand& strand, std::size_t element) noexcept {
  if (std::exchange(tree.ready[element], char{1})) return;
  const int n = strand.skin.capsules;
  const double d = 1.0 / n;
  const CableCurve& curve = tree.curves[element] = {strand.q + 6 * element, strand.design->elements[element].length};
  Vec3 begin = curve.c0;
  double bend = curve.bend(0.0).squaredNorm();
  for (int c = 0; c < n; ++c) {
    const double to = c + 1 < n ? (c + 1) * d : 1.0;
    const Vec3 end = curve.at(to), half = 0.5 * (end - begin);
    const double next = curve.bend(to).squaredNorm();
    // max |r''| dxi^2/8; r'' is linear
    const double sag = 0.125 * d * d * std::sqrt(std::max(bend, next));
    tree.capsules[n * element + c] = {0.5 * (begin + end), half, half.norm(), sag, c * d, to};
    begin = end;
    bend = next;
  }
}

}  // namespace contactlib::element

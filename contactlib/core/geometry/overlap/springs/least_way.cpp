// With v on an edge of B, and n on the arc between the normals of its two faces, the depth is
//   max over A's corners a of n.(v - a)
// It is least at an end of the arc, or where two corners of A are equally low. From one of these to the next the lowest
// corner changes once, as on the hull of A's corners seen along the edge.
#include "least_way.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace contactlib::geometry {

namespace {

constexpr double cos_sharp = 0.984807753012208;  // 10 degrees
constexpr double equal = 1e-9;  // of lengths and cosines: the same but for rounding

// A corner of A below the edge, in the plane across it: along the first normal of the arc, and along the last one's
// part across the first.
struct Below {
  double x, y;
};

}  // namespace

double LeastWay::lowest(const Vec3& n) const noexcept {
  double low = std::numeric_limits<double>::infinity();
  for (const Vec3& a : corners_) low = std::min(low, n.dot(a));
  return low;
}

double LeastWay::along(const PatchPart& part, const Vec3& n) const noexcept {
  double high = -std::numeric_limits<double>::infinity();
  solver_.for_each_corner(part, [&](const Vec3& v) noexcept { high = std::max(high, n.dot(v)); });
  return high - lowest(n);
}

Vec3 LeastWay::place_of(const PatchPart& part, const Way& way) const noexcept {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  solver_.for_each_corner(part, [&](const Vec3& v) noexcept { sum += v, ++count; });
  const Vec3 middle = sum / std::max(1, count);
  return middle + (lowest(way.n) + 0.5 * way.depth - way.n.dot(middle)) * way.n;
}

bool LeastWay::is_new(const Arc& arc) const noexcept {
  for (int i = 0; i < count_; ++i) {
    const Arc& old = arcs_[i];
    const double off = std::abs(arc.from.dot(arc.at - old.at)) + std::abs(arc.to.dot(arc.at - old.at));
    if (arc.from.dot(old.from) > 1.0 - equal && arc.to.dot(old.to) > 1.0 - equal && off < equal * B_.size) return false;
  }
  return true;
}

void LeastWay::search(const PatchPart& part, const Arc& arc, Way& out) const noexcept {
  const double cosine = arc.from.dot(arc.to);
  const Vec3 across = (arc.to - cosine * arc.from).normalized();
  const double sine = across.dot(arc.to);
  const auto below = [&](const Vec3& a) noexcept { return Below{arc.from.dot(arc.at - a), across.dot(arc.at - a)}; };
  Way best{arc.from, out.depth};
  const auto compare = [&](double c, double s, const Below& a) noexcept {
    const double depth = c * a.x + s * a.y;
    if (depth < best.depth) best = {c * arc.from + s * across, depth};
  };
  Below now = below(*corners_.first);
  for (const Vec3& a : corners_) {
    const Below one = below(a);
    if (one.x > now.x || (one.x == now.x && one.y > now.y)) now = one;
  }
  compare(1.0, 0.0, now);
  for (std::size_t turn = 0; turn < corners_.count; ++turn) {
    Below next = now;
    double most = cosine / sine;  // cotangents of the angle: beyond it the arc ends
    for (const Vec3& a : corners_) {
      const Below one = below(a);
      const double down = now.x - one.x, beside = one.y - now.y;
      if (down > 0.0 && beside > most * down) most = beside / down, next = one;
    }
    if (next.x == now.x) break;
    const double norm = std::sqrt(1.0 + most * most);
    compare(most / norm, 1.0 / norm, now);
    now = next;
  }
  compare(cosine, sine, now);
  if (!(best.depth < out.depth)) return;
  best.depth = std::max(best.depth, along(part, best.n));
  if (best.depth > 0.0 && best.depth < out.depth) out = best;
}

// A way along n on an arc is at least n.(v - low), of which the least is at an end.
bool LeastWay::find(const PatchPart& part, double below, const Vec3& low, bool around, Way& out) noexcept {
  count_ = 0;
  out.depth = below;
  for (std::int32_t k = part.patch->first; k >= 0 && count_ < max_arcs; k = scratch_.pieces[k].next) {
    const Piece& piece = scratch_.pieces[k];
    const Face& face = B_.faces[piece.face];
    if (part.side.dot(face.n) < across_side) continue;
    for (int i = 0; i < 3 && count_ < max_arcs; ++i) {
      if (!around && !(piece.sides & 1 << i)) continue;
      const Edge& edge = B_.edges[B_.loop_edges[face.first + i]];
      if (edge.f1 < 0 || !(edge.bend > 0.0) || (!around && edge.f0 != piece.face)) continue;
      const Vec3& other = B_.faces[edge.f0 == piece.face ? edge.f1 : edge.f0].n;
      const Arc arc{face.n, other, B_.vertices[edge.v0]};
      const Vec3 up = arc.at - low;
      if (face.n.dot(other) > cos_sharp || !(std::min(face.n.dot(up), other.dot(up)) < out.depth)) continue;
      if (!is_new(arc)) continue;
      arcs_[count_++] = arc;
      search(part, arc, out);
    }
  }
  return out.depth < below;
}

}  // namespace contactlib::geometry

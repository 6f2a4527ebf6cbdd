// Which parts of a surface contact touch each other.
#include <algorithm>
#include <limits>
#include <numeric>

#include "outlines.hpp"

namespace contactlib::geometry {

namespace {

// Of the depth: a gap of the surface that is narrower is none. Curved borders between the cells of a mesh's field are
// straight lines, to about 1e-3 of the depth.
constexpr double closed_gap = 1e-2;
// Of the size of the contact: angles at which parts of curved surfaces end are found to 1e-8.
constexpr double border_error = 1e-7;

struct Bounds {
  Vec3 low, high;
  std::uint32_t part;

  bool meets(const Vec3& from, const Vec3& to, double tolerance) const noexcept {
    return (from.array() <= high.array() + tolerance).all() && (to.array() >= low.array() - tolerance).all();
  }
};

Bounds bounds_of(const Outlines& outlines, std::uint32_t part) noexcept {
  constexpr double endless = std::numeric_limits<double>::infinity();
  Bounds out{Vec3::Constant(endless), Vec3::Constant(-endless), part};
  const Outline& outline = outlines.parts[part];
  for (std::uint32_t i = outline.first; i < outline.first + outline.count; ++i)
    out.low = out.low.cwiseMin(outlines.corners[i].x), out.high = out.high.cwiseMax(outlines.corners[i].x);
  return out;
}

double squared_distance_to_segment(const Vec3& p, const Vec3& q, const Vec3& x) noexcept {
  const Vec3 d = q - p;
  const double size = d.squaredNorm(), t = size > 0.0 ? std::clamp(d.dot(x - p) / size, 0.0, 1.0) : 0.0;
  return (p + t * d - x).squaredNorm();
}

// Of the segments a0-a1 and b0-b1: at an end of one of them, or between both.
double squared_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) noexcept {
  double least = std::min({squared_distance_to_segment(a0, a1, b0), squared_distance_to_segment(a0, a1, b1),
                           squared_distance_to_segment(b0, b1, a0), squared_distance_to_segment(b0, b1, a1)});
  const Vec3 a = a1 - a0, b = b1 - b0, r = a0 - b0;
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b), ar = a.dot(r), br = b.dot(r);
  const double det = aa * bb - ab * ab;
  if (!(det > 1e-14 * aa * bb)) return least;
  const double s = (ab * br - bb * ar) / det, t = (aa * br - ab * ar) / det;
  if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) least = std::min(least, (r + s * a - t * b).squaredNorm());
  return least;
}

// The border of a part, a convex polygon in space; with two corners a segment.
struct Polygon {
  const OutlineCorner* x;
  std::uint32_t count, columns, rows;
  Vec3 n = Vec3::Zero();  // twice its area

  Polygon(const Outlines& outlines, const Outline& part) noexcept
      : x(outlines.corners.data() + part.first),
        count(part.columns > 0 ? part.count / part.columns * 2 : part.count),
        columns(part.columns),
        rows(count / 2) {
    for (std::uint32_t i = 2; i < count; ++i) n += (at(i - 1) - at(0)).cross(at(i) - at(0));
  }
  // Of rows, the last places forth and the first places back.
  const Vec3& at(std::uint32_t i) const noexcept {
    i = i < count ? i : i - count;
    if (columns == 0) return x[i].x;
    return x[i < rows ? (i + 1) * columns - 1 : (count - 1 - i) * columns].x;
  }

  // Whether the foot of y on its plane is inside, no further than the tolerance.
  bool has_over(const Vec3& y, double tolerance) const noexcept {
    const double size = n.norm();
    if (!(size > 0.0) || std::abs(n.dot(y - at(0))) > tolerance * size) return false;
    for (std::uint32_t i = 0; i < count; ++i)
      if (n.dot((at(i + 1) - at(i)).cross(y - at(i))) < 0.0) return false;
    return true;
  }
};

// Parts of one surface do not pass through each other: they meet at their borders, or a corner of one is on the other.
bool touch(const Polygon& A, const Polygon& B, const Bounds& of_b, double tolerance) noexcept {
  const double squared = tolerance * tolerance;
  for (std::uint32_t i = 0; i < A.count; ++i) {
    if (!of_b.meets(A.at(i).cwiseMin(A.at(i + 1)), A.at(i).cwiseMax(A.at(i + 1)), tolerance)) continue;
    for (std::uint32_t k = 0; k < B.count; ++k)
      if (squared_distance(A.at(i), A.at(i + 1), B.at(k), B.at(k + 1)) <= squared) return true;
  }
  for (std::uint32_t k = 0; k < B.count; ++k)
    if (A.has_over(B.at(k), tolerance)) return true;
  for (std::uint32_t i = 0; i < A.count; ++i)
    if (B.has_over(A.at(i), tolerance)) return true;
  return false;
}

// Sets that are joined step by step; each has the number of its first part.
struct Sets {
  std::vector<std::uint32_t> of;

  explicit Sets(std::size_t count) : of(count) { std::iota(of.begin(), of.end(), 0u); }
  std::uint32_t first(std::uint32_t i) noexcept {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
  }
  void join(std::uint32_t i, std::uint32_t k) noexcept {
    i = first(i), k = first(k);
    of[std::max(i, k)] = std::min(i, k);
  }
};

// The axis along which the contact is longest.
int sweep_axis(const std::vector<Bounds>& bounds) noexcept {
  Vec3 low = bounds[0].low, high = bounds[0].high;
  for (const Bounds& one : bounds) low = low.cwiseMin(one.low), high = high.cwiseMax(one.high);
  int axis;
  (high - low).maxCoeff(&axis);
  return axis;
}

void join_touching(const Outlines& outlines, double tolerance, Sets& sets) {
  std::vector<Bounds> bounds;
  for (std::uint32_t part = 0; part < outlines.parts.size(); ++part)
    if (outlines.parts[part].count > 0) bounds.push_back(bounds_of(outlines, part));
  if (bounds.empty()) return;
  const int axis = sweep_axis(bounds);
  std::sort(bounds.begin(), bounds.end(), [axis](const Bounds& a, const Bounds& b) {
    return a.low[axis] < b.low[axis] || (a.low[axis] == b.low[axis] && a.part < b.part);
  });
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Bounds& a = bounds[i];
    const Polygon polygon(outlines, outlines.parts[a.part]);
    for (std::size_t k = i + 1; k < bounds.size() && bounds[k].low[axis] <= a.high[axis] + tolerance; ++k) {
      const Bounds& b = bounds[k];
      if (!b.meets(a.low, a.high, tolerance) || sets.first(a.part) == sets.first(b.part)) continue;
      if (touch(polygon, Polygon(outlines, outlines.parts[b.part]), b, tolerance)) sets.join(a.part, b.part);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> find_patches(const Outlines& outlines, double tolerance) {
  Sets sets(outlines.parts.size());
  join_touching(outlines, tolerance, sets);
  std::vector<std::uint32_t> patch(sets.of.size());
  std::uint32_t count = 0;
  for (std::uint32_t part = 0; part < patch.size(); ++part) {
    const std::uint32_t first = sets.first(part);
    patch[part] = first == part ? count++ : patch[first];
  }
  return patch;
}

double border_tolerance(const Outlines& outlines, double depth) noexcept {
  if (outlines.corners.empty()) return 0.0;
  Vec3 low = outlines.corners[0].x, high = low;
  for (const OutlineCorner& corner : outlines.corners) low = low.cwiseMin(corner.x), high = high.cwiseMax(corner.x);
  return std::max(closed_gap * depth, border_error * (high - low).norm());
}

}  // namespace contactlib::geometry

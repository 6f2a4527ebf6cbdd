// Capsules against triangles: which parts of many pairs can have a contact is computed in lanes, without branches and by
// the operations of `capsule_triangle` in their order. The kernel adds the contacts of these parts. Where a number is not
// finite, or very large, it adds those of all parts.
#include <algorithm>
#include <cstddef>

#include "geometry/surface/surface.hpp"
#include "lanes.hpp"
#include "triangle.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::any, math::at_most, math::cross, math::eigen_dot, math::greater, math::is_not, math::less,
    math::lesser, math::magnitude;

namespace {

// Columns of the pairs: corners, directions of the sides, their lengths, normal of the triangle.
constexpr int corner_at = 2, side_at = 11, side_length_at = 20, normal_at = 23;
using TrianglePairs = SweepPairs<26, 64>;

// The lanes of pairs k, k + 1, ..
template <class Lanes>
struct Sheets {
  using Three = Lanes3<Lanes>;

  const TrianglePairs& pairs;
  const std::size_t k;
  const SweepInLanes<Lanes> sweep;
  const Three n, corner, e, f;
  const Lanes height0, height1, r2, none = {};

  Sheets(const TrianglePairs& pairs, std::size_t k) noexcept
      : pairs(pairs),
        k(k),
        sweep(pairs.sweep<Lanes>(k)),
        n(pairs.three<Lanes>(normal_at, k)),
        corner(at_corner(0)),
        e(at_corner(1) - corner),
        f(at_corner(2) - corner),
        height0(eigen_dot(n, sweep.Q0 - corner)),
        height1(eigen_dot(n, sweep.Q1 - corner)),
        r2(sweep.r * sweep.r) {}

  Three at_corner(int i) const noexcept { return pairs.three<Lanes>(corner_at + 3 * i, k); }
  Three along(int i) const noexcept { return pairs.three<Lanes>(side_at + 3 * i, k); }
  Lanes length_of(int i) const noexcept { return pairs.at<Lanes>(side_length_at + i, k); }

  // As `Inside`.
  struct Inside {
    Lanes side[3], all;
  };
  Inside inside(const Three& p) const noexcept {
    const Three across = cross(n, p - corner);
    Inside out;
    out.side[0] = -eigen_dot(across, e);
    out.side[2] = eigen_dot(across, f);
    out.side[1] = eigen_dot(n, cross(e, f)) - out.side[0] - out.side[2];
    out.all = at_most(none, out.side[0]) * at_most(none, out.side[1]) * at_most(none, out.side[2]);
    return out;
  }

  // Square of the distance of p from the border, m2, as `from_border`.
  Lanes to_border(const Inside& in, const Three& p) const noexcept {
    Lanes least = none, on_side[3], hit[3];
    for (int i = 0; i < 3; ++i) {
      const Three q = p - at_corner(i), t = along(i);
      const Lanes s = eigen_dot(q, t), squared = eigen_dot(q, q);
      const Three w = q - s * t;
      hit[i] = less(in.side[i], none) * less(none, s) * less(s, length_of(i));
      on_side[i] = eigen_dot(w, w);
      least = i == 0 ? squared : lesser(squared, least);
    }
    for (int i = 2; i >= 0; --i) least = hit[i] > none ? on_side[i] : least;  // the first one counts
    return least;
  }

  // Whether an end is near, as `nearest_within`.
  Lanes end_is_near(const Three& p, const Lanes& height) const noexcept {
    const Lanes close = less(magnitude(height), sweep.r);
    if (!any(close)) return none;
    const Inside in = inside(p);
    return close * greater(in.all, less(to_border(in, p), r2));
  }

  // Whether the body is near side i, as `over_edge`.
  Lanes side_is_near(int i) const noexcept {
    const Three t = along(i), w = sweep.Q0 - at_corner(i), u = cross(t, sweep.d);
    const Lanes u2 = eigen_dot(u, u), apart = eigen_dot(w, u), close = less(apart * apart, r2 * u2);
    if (!any(close)) return none;
    const Lanes s = eigen_dot(cross(w, t), u), on_side = eigen_dot(cross(w, sweep.d), u);
    return close * less(none, s) * less(s, sweep.length * u2) * less(none, on_side) * less(on_side, length_of(i) * u2);
  }

  // Whether the body is near corner i, as `over_corner`.
  Lanes corner_is_near(int i) const noexcept {
    const Three E = at_corner(i);
    const Lanes s = eigen_dot(E - sweep.Q0, sweep.d);
    const Three EF = sweep.at(s) - E;
    return less(none, s) * less(s, sweep.length) * less(eigen_dot(EF, EF), r2);
  }

  // Whether the axis crosses the sheet, as `add_axis`.
  Lanes crosses() const noexcept {
    const Lanes across = less(height0 * height1, none);
    if (!any(across)) return none;
    return across * inside(sweep.at(sweep.length * (height0 / (height0 - height1)))).all;
  }

  // The bits of the parts, as a number.
  Lanes parts() const noexcept {
    const Lanes usual = sweep.is_usual(none);
    const Lanes nearer = lesser(magnitude(height0), magnitude(height1));
    const Lanes near = is_not(less(none, height0 * height1) * at_most(sweep.r, nearer));
    if (!any(near)) return none;
    Lanes out = end_is_near(sweep.Q0, height0) + 2.0 * end_is_near(sweep.Q1, height1);
    for (int i = 0; i < 3; ++i) out += static_cast<double>(1u << (triangle_side + i)) * side_is_near(i);
    for (int i = 0; i < 3; ++i) out += static_cast<double>(1u << (triangle_corner + i)) * corner_is_near(i);
    out += static_cast<double>(1u << triangle_inside) * crosses();
    return usual > none ? near * out : static_cast<double>(all_of_triangle) - none;
  }
};

struct Target {
  using Pairs = TrianglePairs;

  static void numbers_of(const Shape& B, Column to) noexcept {
    const auto put = [&](const Vec3& v) noexcept {
      for (int j = 0; j < 3; ++j) *to.next() = v[j];
    };
    const Surface& sheet = *B.surface;
    for (std::size_t i = 0; i < 3; ++i) put(sheet.vertices[i]);
    for (std::size_t i = 0; i < 3; ++i) put(sheet.edges[i].t);
    for (std::size_t i = 0; i < 3; ++i) *to.next() = sheet.edges[i].length;
    put(sheet.faces[0].n);
  }

  template <class Lanes>
  static PartsInLanes<Lanes> find(const TrianglePairs& pairs, std::size_t k) noexcept {
    return {Sheets<Lanes>(pairs, k).parts()};
  }

  static void add(const Shape& A, const Shape& B, const Placement& X, unsigned parts, Manifold& out) noexcept {
    capsule_triangle_parts(A, B, X, parts, out);
  }
};

}  // namespace

void capsule_triangle_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                           ManifoldPoint* points, PairContacts* found) noexcept {
  if (has_four_lanes(count)) return math::in_lanes<PartsInBlocks<Target>>(count, A, B, X, count, points, found);
  one_by_one<capsule_triangle>(A, B, X, count, points, found);
}

}  // namespace contactlib::geometry

// Capsules against triangles: which parts of many pairs can have a contact is computed in lanes, without branches and by
// the operations of `capsule_triangle` in their order. The kernel adds the contacts of these parts. Where a number is not
// finite, or very large, it adds those of all parts.
#include <algorithm>
#include <cstddef>

#include "geometry/surface/surface.hpp"
#include "lanes.hpp"
#include "triangle.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::any, math::at_most, math::cross, math::eigen_dot, math::greater, math::is_not, math::lanes,
    math::less, math::lesser, math::load, math::magnitude, math::store;

namespace {

constexpr std::size_t block = 64;

// Numbers of the pairs, by columns: radius and length of A; corners, directions of the sides, their lengths, normal of B.
struct Pairs {
  static constexpr int corner = 2, side = 11, side_length = 20, normal = 23, numbers = 26;
  const Shape *A[block], *B[block];
  SweepColumns<block> X;
  double column[numbers][block];

  // Forgets the shapes of the first `count` pairs.
  explicit Pairs(std::size_t count) noexcept { std::fill_n(A, count, nullptr); }

  // Batches have the same shapes again and again.
  void set_shapes(std::size_t k, const Shape& a, const Shape& b) noexcept {
    if (A[k] == &a && B[k] == &b) return;
    A[k] = &a, B[k] = &b;
    column[0][k] = a.size[0], column[1][k] = a.size[1];
    for (int i = 0; i < 3; ++i) {
      const Edge& edge = b.surface->edges[static_cast<std::size_t>(i)];
      put(corner + 3 * i, k, b.surface->vertices[static_cast<std::size_t>(i)]);
      put(side + 3 * i, k, edge.t);
      column[side_length + i][k] = edge.length;
    }
    put(normal, k, b.surface->faces[0].n);
  }

  template <class Lanes>
  Lanes at(int i, std::size_t k) const noexcept {
    return load<Lanes>(column[i] + k);
  }
  template <class Lanes>
  Lanes3<Lanes> three(int i, std::size_t k) const noexcept {
    return {at<Lanes>(i, k), at<Lanes>(i + 1, k), at<Lanes>(i + 2, k)};
  }

 private:
  void put(int i, std::size_t k, const Vec3& v) noexcept {
    for (int j = 0; j < 3; ++j) column[i + j][k] = v[j];
  }
};

// The lanes of pairs k, k + 1, ..
template <class Lanes>
struct Sheets {
  using Three = Lanes3<Lanes>;

  const Pairs& pairs;
  const std::size_t k;
  const SweepInLanes<Lanes> sweep;
  const Three n, corner, e, f;
  const Lanes height0, height1, r2, none = {};

  Sheets(const Pairs& pairs, std::size_t k) noexcept
      : pairs(pairs),
        k(k),
        sweep(pairs.X, pairs.at<Lanes>(0, k), pairs.at<Lanes>(1, k), k),
        n(pairs.three<Lanes>(Pairs::normal, k)),
        corner(at_corner(0)),
        e(at_corner(1) - corner),
        f(at_corner(2) - corner),
        height0(eigen_dot(n, sweep.Q0 - corner)),
        height1(eigen_dot(n, sweep.Q1 - corner)),
        r2(sweep.r * sweep.r) {}

  Three at_corner(int i) const noexcept { return pairs.three<Lanes>(Pairs::corner + 3 * i, k); }
  Three along(int i) const noexcept { return pairs.three<Lanes>(Pairs::side + 3 * i, k); }
  Lanes length_of(int i) const noexcept { return pairs.at<Lanes>(Pairs::side_length + i, k); }

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
    const Lanes usual = sweep.is_usual();
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

struct Loop {
  Pairs pairs;
  double parts[block];

  explicit Loop(std::size_t count) noexcept : pairs(std::min(in_whole_lanes(count), block)) {}

  // Lanes behind the last pair take this pair again.
  void set(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count) noexcept {
    const auto clamped = [&](std::size_t k) noexcept { return std::min(k, count - 1); };
    pairs.X.set(X, count);
    for (std::size_t k = 0; k < in_whole_lanes(count); ++k) pairs.set_shapes(k, *A[clamped(k)], *B[clamped(k)]);
  }

  template <class Lanes>
  void find(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) store(parts + k, Sheets<Lanes>(pairs, k).parts());
  }

  int give(std::size_t k, const Shape& A, const Shape& B, const Placement& X, ManifoldPoint* points) const noexcept {
    if (!(parts[k] > 0.0)) return 0;
    Manifold out{points, Manifold::max_points};
    capsule_triangle_parts(A, B, X, static_cast<unsigned>(parts[k]), out);
    return out.count;
  }
};

}  // namespace

void capsule_triangle_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                           ManifoldPoint* points, std::int32_t* counts) noexcept {
  if (has_four_lanes(count)) return math::in_lanes<InBlocks<Loop, block>>(count, A, B, X, count, points, counts);
  one_by_one<capsule_triangle>(A, B, X, count, points, counts);
}

}  // namespace contactlib::geometry

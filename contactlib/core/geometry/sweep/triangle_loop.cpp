// Balls against a triangle. Each loop computes one quantity for a block of placements, without branches, so that its time
// depends on the number of operations and not on their latency.
#include <algorithm>
#include <cstddef>

#include "ball_sheet.hpp"
#include "geometry/manifold/columns.hpp"
#include "geometry/surface/surface.hpp"
#include "math/columns.hpp"
#include "math/lanes.hpp"
#include "triangle.hpp"

namespace contactlib::geometry {

using math::FourLanes, math::Lanes3, math::dot, math::lanes, math::load, math::store;

namespace {

constexpr std::size_t block = 64;

// Axes of B and offset, among the numbers of a placement.
const double* axes(const Placement& X) noexcept { return X.R_WB.data(); }
const double* offset(const Placement& X) noexcept {
  static_assert(offsetof(Placement, p_AB_W) == offsetof(Placement, R_WB) + 9 * sizeof(double));
  static_assert(sizeof(Placement) >= offsetof(Placement, p_AB_W) + sizeof(FourLanes));  // four numbers are read there
  return X.p_AB_W.data();
}

template <class Lanes>
struct Block {
  using Three = Lanes3<Lanes>;

  const BallSheet<Lanes> sheet;
  const Vec3 corner;
  double x[block], y[block], z[block];  // m, to the first corner, to the border; at last the normal, in B
  double height[block], inside[block], depth[block], reach[block], load_share[block];

  explicit Block(const Shape& B) noexcept
      : sheet(B.surface->vertices.data(), B.surface->faces[0].n), corner(B.surface->vertices[0]) {}

  Three at(std::size_t k) const noexcept { return {load<Lanes>(x + k), load<Lanes>(y + k), load<Lanes>(z + k)}; }
  void put(std::size_t k, const Three& a) noexcept { store(x + k, a.x), store(y + k, a.y), store(z + k, a.z); }

  // v = R^T p_AB + corner, of four placements at a time. Lanes behind the last placement take it again.
  void place(const Placement* X, std::size_t count) noexcept {
    double* const to[3] = {x, y, z};
    for (std::size_t k = 0; k < in_whole_lanes(count); k += 4) {
      const Placement* rows[4];
      FourLanes p[4];
      for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = X + std::min(k + i, count - 1);
        p[i] = load<FourLanes>(offset(*rows[i]));
      }
      for (int j = 0; j < 3; ++j) {
        const double* const axis[4] = {axes(*rows[0]) + 3 * j, axes(*rows[1]) + 3 * j, axes(*rows[2]) + 3 * j,
                                       axes(*rows[3]) + 3 * j};
        store(to[j] + k, FourLanes(math::dots_of_four<Lanes>(axis, p) + corner[j]));
      }
    }
  }

  void find_border(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      const Three v = at(k);
      Lanes in;
      put(k, sheet.to_border(v, in));
      store(inside + k, in);
      store(height + k, dot(sheet.n, v));
    }
  }

  // radius: m, of the balls k, k + 1, ..
  template <class Radius>
  void measure(std::size_t count, const Radius& radius) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      const Lanes none = {}, r = radius(k);
      const auto contact = sheet.contact(r, load<Lanes>(height + k), load<Lanes>(inside + k), at(k));
      put(k, contact.n);
      store(depth + k, contact.depth);
      store(reach + k, contact.depth > none ? r - 0.5 * contact.depth : none);
      store(load_share + k, contact.depth > none ? 1.0 - none : none);
    }
  }

  template <class Radius>
  void find(const Placement* X, std::size_t count, const Radius& radius) noexcept {
    place(X, count);
    find_border(count);
    measure(count, radius);
  }

  // n_W = R n, three numbers side by side
  FourLanes normal(const Placement& X, std::size_t k) const noexcept {
    const double* const R = axes(X);
    return load<FourLanes>(R) * x[k] + (load<FourLanes>(R + 3) * y[k] + load<FourLanes>(R + 6) * z[k]);
  }

  // C = (r - depth/2) n
  void give(const Placement* X, std::size_t count, ContactColumns out) const noexcept {
    for (std::size_t k = 0; k < count; ++k) {
      const FourLanes n = normal(X[k], k);
      math::to_row(n, out.n_AB_W.next());
      math::to_row(reach[k] * n, out.p_AC_W.next());
      *out.depth.next() = depth[k];
      *out.load_share.next() = load_share[k];
    }
  }

  // Returns the end of the contacts.
  ManifoldPoint* give(const Placement* X, std::size_t count, ManifoldPoint* points,
                      PairContacts* found) const noexcept {
    for (std::size_t k = 0; k < count; ++k) {
      const FourLanes n = normal(X[k], k);
      math::to_row(n, points->n_AB_W.data());
      math::to_row(reach[k] * n, points->p_AC_W.data());
      points->depth = depth[k], points->feature = 0, points->load_share = load_share[k];
      found[k] = {static_cast<std::int32_t>(load_share[k])};
      points += found[k].count;
    }
    return points;
  }
};

struct AtPlacements {
  template <class Lanes>
  static void run(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                  const ContactColumns& out) noexcept {
    Block<Lanes> balls(B);
    const Lanes r = in_all<Lanes>(A.size[0]);
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      balls.find(X + first, here, [&](std::size_t) noexcept { return r; });
      balls.give(X + first, here, out.from(first));
    }
  }
};

// Balls of any sizes on one triangle.
struct OnOne {
  template <class Lanes>
  static void run(const Shape* const* A, const Shape& B, const Placement* X, std::size_t count, ManifoldPoint* points,
                  PairContacts* found) noexcept {
    Block<Lanes> balls(B);
    double r[block];
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      for (std::size_t k = 0; k < in_whole_lanes(here); ++k) r[k] = A[first + std::min(k, here - 1)]->size[0];
      balls.find(X + first, here, [&](std::size_t k) noexcept { return load<Lanes>(r + k); });
      points = balls.give(X + first, here, points, found + first);
    }
  }
};

}  // namespace

void sphere_triangle_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                          const ContactColumns& out) noexcept {
  math::in_lanes<AtPlacements>(count, A, B, X, count, out);
}

void sphere_triangle_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                           ManifoldPoint* points, PairContacts* found) noexcept {
  constexpr std::size_t least = 4;  // of fewer balls on one triangle the kernel is as fast
  for (std::size_t k = 0, end = 0; k < count;) {
    while (end < count && B[end] == B[k]) ++end;
    const std::size_t here = end - k;
    if (here >= least)
      math::in_lanes<OnOne>(here, A + k, *B[k], X + k, here, points, found + k);
    else
      one_by_one<sphere_triangle>(A + k, B + k, X + k, here, points, found + k);
    for (; k < end; ++k) points += found[k].count;
  }
}

}  // namespace contactlib::geometry

// Capsules against planes and against each other, many pairs, without branches. The operations are those of the kernels
// in their order. Where a normal is not of unit length, as that of two axes that cross, the kernel answers.
#include "rod_loop.hpp"

#include <algorithm>
#include <cstddef>

#include "geometry/sweep/lanes.hpp"
#include "geometry/sweep/round.hpp"
#include "plane.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::any, math::at_most, math::cross, math::eigen_dot, math::greater, math::is_not, math::lanes,
    math::less, math::load, math::magnitude, math::negative, math::root, math::store;

namespace {

constexpr std::size_t block = 32;

using Pairs = SweepPairs<4, block>;

void numbers_of(const Shape& B, Column to) noexcept { *to.next() = B.size[0], *to.next() = B.size[1]; }

// A contact of each pair, if `has` is set.
struct Found {
  double p_AC_W[3][block], n_AB_W[3][block], depth[block], feature[block], has[block];

  void give(std::size_t k, ManifoldPoint& out) const noexcept {
    out = {Vec3(p_AC_W[0][k], p_AC_W[1][k], p_AC_W[2][k]), Vec3(n_AB_W[0][k], n_AB_W[1][k], n_AB_W[2][k]), depth[k],
           static_cast<std::int32_t>(feature[k])};
  }
};

// The pairs k, k + 1, ..
template <class Lanes>
struct Rods {
  using Three = Lanes3<Lanes>;

  const std::size_t k;
  const Three a, b, M;  // unit directions of the axes; m, the middle of B's axis from that of A's
  const Lanes r_a, half_a, r_b, half_b, none = {}, one = none + 1.0;
  Lanes odd = none;  // 1: a contact has a normal that is not of unit length

  Rods(const Pairs& pairs, std::size_t k) noexcept
      : k(k),
        a(pairs.X.at<Lanes>(z_WA, k)),
        b(pairs.X.at<Lanes>(z_WB, k)),
        M(pairs.X.at<Lanes>(p_AB_W, k)),
        r_a(pairs.at<Lanes>(0, k)),
        half_a(0.5 * pairs.at<Lanes>(1, k)),
        r_b(pairs.at<Lanes>(2, k)),
        half_b(0.5 * pairs.at<Lanes>(3, k)) {}

  // The ball about P against a surface at signed distance phi with outward normal g, as `add_ball`.
  void add(Found& out, const Lanes& condition, const Three& P, const Three& g, const Lanes& phi,
           const Lanes& feature) noexcept {
    const Lanes depth = r_a - phi, has = condition * less(none, depth), reach = r_a - 0.5 * depth;
    odd = greater(odd, has * is_not(less(magnitude(eigen_dot(g, g) - 1.0), 0.5 * one)));  // as `is_unit`
    const Three C = P - reach * g, n = negative(g);
    store(out.p_AC_W[0] + k, C.x), store(out.p_AC_W[1] + k, C.y), store(out.p_AC_W[2] + k, C.z);
    store(out.n_AB_W[0] + k, n.x), store(out.n_AB_W[1] + k, n.y), store(out.n_AB_W[2] + k, n.z);
    store(out.depth + k, depth), store(out.feature + k, feature), store(out.has + k, has);
  }

  Three at_a(const Lanes& s) const noexcept { return origin<Lanes> + s * a; }
  Three at_b(const Lanes& t) const noexcept { return M + t * b; }

  // The balls at s and t on the axes.
  void add_balls(Found& out, const Lanes& condition, const Lanes& s, const Lanes& t, const Lanes& feature) noexcept {
    const Three P = at_a(s), w = P - at_b(t);
    const Lanes squared = eigen_dot(w, w), distance = root(squared), reach = r_a + r_b;
    add(out, condition * is_not(at_most(reach * reach, squared)), P, {w.x / distance, w.y / distance, w.z / distance},
        distance - r_b, feature);
  }
};

// Both ends of A against the half space below B's z axis.
struct OnPlane {
  static constexpr Kernel kernel = capsule_plane;
  static constexpr int contacts = 2;

  template <class Lanes>
  static void find(Rods<Lanes>& rods, Found* found) noexcept {
    const auto& z = rods.b;
    const Lanes3<Lanes> half{rods.a.x * rods.half_a, rods.a.y * rods.half_a, rods.a.z * rods.half_a};
    const auto add = [&](Found& out, const Lanes3<Lanes>& P, const Lanes& feature) noexcept {
      rods.add(out, rods.one, P, z, eigen_dot(z, P - rods.M), feature);
    };
    add(found[0], negative(half), rods.none);
    add(found[1], half, rods.one);
  }
};

// The closest points of both axes, and the ends over the other axis: see `capsule_capsule`.
struct OnCapsule {
  static constexpr Kernel kernel = capsule_capsule;
  static constexpr int contacts = 5;

  template <class Lanes>
  struct End {
    Lanes s, t, squared, over;  // m, m, m2; 1: the foot of the perpendicular lies on the other segment
  };

  template <class Lanes>
  static Lanes clamped(const Lanes& a, const Lanes& half) noexcept {
    const Lanes up = a < -half ? -half : a;
    return half < up ? half : up;
  }

  template <class Lanes>
  static void find(Rods<Lanes>& rods, Found* found) noexcept {
    using Three = Lanes3<Lanes>;
    const Lanes none = {}, &half_a = rods.half_a, &half_b = rods.half_b;
    const auto end_of_a = [&](const Lanes& s) noexcept {
      const Three Q = rods.at_a(s);
      const Lanes free = eigen_dot(Q - rods.M, rods.b), t = clamped(free, half_b);
      const Three w = Q - rods.at_b(t);
      return End<Lanes>{s, t, eigen_dot(w, w), at_most(magnitude(free), half_b)};
    };
    const auto end_of_b = [&](const Lanes& t) noexcept {
      const Three Q = rods.at_b(t);
      const Lanes free = eigen_dot(Q - origin<Lanes>, rods.a), s = clamped(free, half_a);
      const Three w = Q - rods.at_a(s);
      return End<Lanes>{s, t, eigen_dot(w, w), less(magnitude(free), half_a)};
    };
    const End<Lanes> ends[4] = {end_of_a(-half_a), end_of_a(half_a), end_of_b(-half_b), end_of_b(half_b)};
    Lanes s = ends[0].s, t = ends[0].t, least = ends[0].squared, feature = ends[0].over;
    for (int i = 1; i < 4; ++i) {
      const Lanes own = ends[i].over * (1.0 + i);
      s = ends[i].squared < least ? ends[i].s : s;
      t = ends[i].squared < least ? ends[i].t : t;
      feature = ends[i].squared < least ? own : feature;
      least = ends[i].squared < least ? ends[i].squared : least;
    }
    // the common perpendicular of the two lines
    const Three axb = cross(rods.a, rods.b), w = rods.M - origin<Lanes>;
    const Lanes squared = eigen_dot(axb, axb);
    const Lanes s_x = eigen_dot(cross(w, rods.b), axb) / squared, t_x = eigen_dot(cross(w, rods.a), axb) / squared;
    const Lanes crossed =
        is_not(less(squared, 1e-24 - none)) * less(magnitude(s_x), half_a) * less(magnitude(t_x), half_b);
    s = crossed > none ? s_x : s;
    t = crossed > none ? t_x : t;
    rods.add_balls(found[0], rods.one, s, t, crossed > none ? none : feature);
    for (int i = 0; i < 4; ++i) {
      const Lanes away = magnitude(i < 2 ? ends[i].s - s : ends[i].t - t);
      const Lanes counts = ends[i].over * less(rods.r_a + rods.r_b, away);
      if (any(counts))
        rods.add_balls(found[1 + i], counts, ends[i].s, ends[i].t, none + (1.0 + i));
      else
        store(found[1 + i].has + rods.k, none);
    }
  }
};

template <class Target>
struct Loop {
  Pairs pairs;
  Found found[Target::contacts];
  double odd[block];

  void set(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count) noexcept {
    pairs.set(A, B, X, count, numbers_of);
  }

  template <class Lanes>
  void find(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      Rods<Lanes> rods(pairs, k);
      Target::find(rods, found);
      store(odd + k, rods.odd);
    }
  }

  PairContacts give(std::size_t k, const Shape& A, const Shape& B, const Placement& X,
                    ManifoldPoint* points) const noexcept {
    if (odd[k] > 0.0) {
      Manifold out{points, Manifold::max_points};
      Target::kernel(A, B, X, out);
      return {out.count, out.gap};
    }
    int at = 0;
    for (const Found& each : found) each.give(k, points[at]), at += static_cast<int>(each.has[k]);
    return {at};
  }
};

}  // namespace

void capsule_plane_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                        ManifoldPoint* points, PairContacts* found) noexcept {
  math::in_lanes<InBlocks<Loop<OnPlane>, block>>(count, A, B, X, count, points, found);
}

void capsule_capsule_loop(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                          ManifoldPoint* points, PairContacts* found) noexcept {
  math::in_lanes<InBlocks<Loop<OnCapsule>, block>>(count, A, B, X, count, points, found);
}

}  // namespace contactlib::geometry

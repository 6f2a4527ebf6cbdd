// A ball against a plane, a ball, a capsule, a box or a socket at many placements, without branches. The operations are
// those of the kernels in their order. Where the normal is not of unit length, as that of two balls with one centre, the
// kernel answers.
#include "ball_loop.hpp"

#include <algorithm>
#include <cstddef>

#include "geometry/manifold/columns.hpp"
#include "geometry/socket/socket.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/round.hpp"
#include "math/lanes.hpp"
#include "plane.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::at_most, math::eigen_dot, math::greater, math::in_all_lanes, math::is_not, math::lanes,
    math::less, math::load, math::magnitude, math::negative, math::root, math::store, math::with_sign;

namespace {

constexpr std::size_t block = 64;

// Placements of balls on another shape; the first number is the ball's radius.
template <class Placements, int numbers>
using BallPairs = PairColumns<Placements, numbers, block>;

// What the middle P of the ball meets: the surface at signed distance phi with outward normal g.
template <class Lanes>
struct Met {
  Lanes3<Lanes> g_W;
  Lanes phi, is_near;
  Lanes3<Lanes> p_AP_W = origin<Lanes>;
};

struct OnPlane {
  static constexpr Kernel kernel = sphere_plane;
  using Pairs = BallPairs<Columns<z_WB, 8, block>, 1>;

  static void numbers_of(const Shape& A, const Shape&, Column to) noexcept { *to.next() = A.size[0]; }

  template <class Lanes>
  static Met<Lanes> meet(const Pairs& pairs, std::size_t k) noexcept {
    const auto z = pairs.X.at<Lanes>(z_WB, k);
    return {z, eigen_dot(z, origin<Lanes> - pairs.X.at<Lanes>(p_AB_W, k)), load<Lanes>(math::ones)};
  }
};

// The ball of radius rB about O, which is seen from A's origin at -w.
template <class Lanes>
Met<Lanes> meet_ball(const Lanes3<Lanes>& w, const Lanes& r_a, const Lanes& r_b) noexcept {
  const Lanes squared = eigen_dot(w, w), distance = root(squared), reach = r_a + r_b;
  return {{w.x / distance, w.y / distance, w.z / distance}, distance - r_b, is_not(at_most(reach * reach, squared))};
}

struct OnBall {
  static constexpr Kernel kernel = sphere_sphere;
  using Pairs = BallPairs<Columns<p_AB_W, 4, block>, 2>;

  static void numbers_of(const Shape& A, const Shape& B, Column to) noexcept {
    *to.next() = A.size[0], *to.next() = B.size[0];
  }

  template <class Lanes>
  static Met<Lanes> meet(const Pairs& pairs, std::size_t k) noexcept {
    return meet_ball(origin<Lanes> - pairs.X.at<Lanes>(p_AB_W, k), pairs.at<Lanes>(0, k), pairs.at<Lanes>(1, k));
  }
};

struct OnCapsule {
  static constexpr Kernel kernel = sphere_capsule;
  static constexpr bool tells_gap = false;  // the kernel tells none
  using Pairs = BallPairs<Columns<z_WB, 8, block>, 3>;

  static void numbers_of(const Shape& A, const Shape& B, Column to) noexcept {
    *to.next() = A.size[0], *to.next() = B.size[0], *to.next() = 0.5 * B.size[1];
  }

  template <class Lanes>
  static Met<Lanes> meet(const Pairs& pairs, std::size_t k) noexcept {
    const auto a = pairs.X.at<Lanes>(z_WB, k), M = pairs.X.at<Lanes>(p_AB_W, k);
    const Lanes high = pairs.at<Lanes>(2, k), low = -high, free = eigen_dot(origin<Lanes> - M, a);
    const Lanes up = free < low ? low : free, foot = high < up ? high : up;
    return meet_ball(origin<Lanes> - (M + foot * a), pairs.at<Lanes>(0, k), pairs.at<Lanes>(1, k));
  }
};

// The nearest point of the surface of the box `+- half` to p, in B's axes: see `Apart` of the kernel.
template <class Lanes>
struct OnSides {
  Lanes3<Lanes> g_B;
  Lanes phi, squared;  // m, m2: of the distance from outside; 0 inside

  OnSides(const Lanes3<Lanes>& half, const Lanes3<Lanes>& p) noexcept {
    const Lanes none = {}, one = none + 1.0;
    const Lanes3<Lanes> gap{with_sign(p.x, one) - half.x, with_sign(p.y, one) - half.y, with_sign(p.z, one) - half.z};
    const auto outside = [](const Lanes& a) noexcept { return 0.5 * (a + with_sign(a, Lanes{} + 1.0)); };
    const Lanes3<Lanes> w{outside(gap.x), outside(gap.y), outside(gap.z)};
    squared = eigen_dot(w, w);
    const Lanes distance = root(squared);
    // inside: the first of the nearest sides
    const Lanes of_two = gap.y > gap.x ? gap.y : gap.x, most = gap.z > of_two ? gap.z : of_two;
    const Lanes x = gap.y > gap.x ? none : one, y = gap.y > gap.x ? one : none;
    const Lanes3<Lanes> side{gap.z > of_two ? none : x, gap.z > of_two ? none : y, gap.z > of_two ? one : none};
    const auto normal = [&](const Lanes& across, const Lanes& of_side, const Lanes& of_p) noexcept {
      const Lanes inward = of_side > none ? with_sign(one, of_p) : none;
      return squared > none ? with_sign(across, of_p) / distance : inward;
    };
    g_B = {normal(w.x, side.x, p.x), normal(w.y, side.y, p.y), normal(w.z, side.z, p.z)};
    phi = squared > none ? distance : most;
  }
};

template <class Lanes, class Placements>
math::Lanes33<Lanes> axes_of_b(const Placements& X, std::size_t k) noexcept {
  return {X.template at<Lanes>(x_WB, k), X.template at<Lanes>(y_WB, k), X.template at<Lanes>(z_WB, k)};
}

// The core of a box: that of a rounded one is met by a ball that is larger by the rounding.
struct OnBox {
  static constexpr Kernel kernel = sphere_box;
  static constexpr bool tells_gap = true;
  using Pairs = BallPairs<Columns<x_WB, 12, block>, 4>;

  static void numbers_of(const Shape& A, const Shape& B, Column to) noexcept {
    *to.next() = A.size[0];
    for (int i = 0; i < 3; ++i) *to.next() = 0.5 * B.size[i];
  }

  template <class Lanes>
  static Met<Lanes> meet(const Pairs& pairs, std::size_t k) noexcept {
    const auto R = axes_of_b<Lanes>(pairs.X, k);
    const OnSides<Lanes> box(pairs.three<Lanes>(1, k), negative(R.transposed_times(pairs.X.at<Lanes>(p_AB_W, k))));
    const Lanes r = pairs.at<Lanes>(0, k);
    return {R * box.g_B, box.phi, at_most(box.squared, r * r)};
  }
};

// A socket whose nearest rim point is exact: see `add_socket_end` and `nearest_on_socket`. The ball is a sweep of length
// zero, whose operations decide the signs of zeros.
struct OnSocket {
  static constexpr Kernel kernel = sphere_socket;
  using Pairs = BallPairs<Columns<z_WA, 16, block>, 6>;

  static void numbers_of(const Shape& A, const Shape& B, Column to) noexcept {
    *to.next() = A.size[0], *to.next() = B.size[3], *to.next() = B.size[4];
    for (int i = 0; i < 3; ++i) *to.next() = 0.5 * B.size[i];
  }

  // From the nearest point of the rim, which is E = (x, y, 0) R/rho, to P.
  template <class Lanes>
  static Lanes3<Lanes> from_rim(const Lanes3<Lanes>& P, const Lanes& across2, const Lanes& R) noexcept {
    const Lanes none = {}, rho = root(across2), scale = R / rho, x = P.x * scale, y = P.y * scale;
    return {P.x - (rho > none ? x : R), P.y - (rho > none ? y : none), P.z};
  }

  template <class Lanes>
  static Met<Lanes> meet(const Pairs& pairs, std::size_t k) noexcept {
    const auto R_WB = axes_of_b<Lanes>(pairs.X, k);
    const Lanes r = pairs.at<Lanes>(0, k), R = pairs.at<Lanes>(1, k), h = pairs.at<Lanes>(2, k);  // m, of ball and hole
    const Lanes3<Lanes> half = pairs.three<Lanes>(3, k), d_W = pairs.X.at<Lanes>(z_WA, k);
    const Lanes none = {}, R2 = R * R, capacity = R - r;
    const Lanes3<Lanes> P =
        negative(R_WB.transposed_times(pairs.X.at<Lanes>(p_AB_W, k))) - none * R_WB.transposed_times(d_W);
    const Lanes3<Lanes> c{P.x, P.y, P.z < -h ? P.z + h : none};
    const Lanes squared = eigen_dot(c, c), across2 = P.x * P.x + P.y * P.y, hole = R - root(squared);
    const Lanes above = at_most(none, P.z), on_rim = above * at_most(across2, R2);
    const Lanes in_hole = less(P.z, none) * at_most(squared, R2);
    const Lanes clear = in_hole * less(none, capacity) * at_most(squared, capacity * capacity);
    const OnSides<Lanes> box(half, {P.x, P.y, P.z + half.z});
    const Lanes is_nearer = is_not(less(none, box.phi)) * less(box.phi, hole);  // in the material
    const Lanes on_hole = greater(in_hole, is_not(above) * greater(at_most(none, hole), is_nearer));
    // the vector along the normal, and its length
    const Lanes3<Lanes> EP = from_rim(P, across2, R);
    const Lanes distance = root(on_rim > none ? eigen_dot(EP, EP) : squared), per = 1.0 / distance;
    const auto normal = [&](const Lanes& of_rim, const Lanes& of_hole, const Lanes& of_box) noexcept {
      const Lanes round = (on_rim > none ? of_rim : -of_hole) * per;
      return greater(on_rim, on_hole) > none ? round : of_box;
    };
    const Lanes round = on_rim > none ? distance : hole;
    return {
        R_WB * Lanes3<Lanes>{normal(EP.x, c.x, box.g_B.x), normal(EP.y, c.y, box.g_B.y), normal(EP.z, c.z, box.g_B.z)},
        greater(on_rim, on_hole) > none ? round : box.phi, is_not(at_most(r, P.z)) * is_not(clear), none * d_W};
  }
};

// Of each pair at most one.
struct Contacts {
  double p_AC_W[3][block], n_AB_W[3][block], depth[block], has[block], odd[block], gap[block];

  // depth = r - phi,   n_AB = -g,   C = -g (r - depth/2)
  template <class Lanes>
  void add(std::size_t k, const Lanes& r, const Met<Lanes>& met) noexcept {
    const Lanes none = {}, depth_ = r - met.phi, reach = r - 0.5 * depth_;
    const Lanes touches = met.is_near * less(none, depth_);
    const Lanes unit = less(magnitude(eigen_dot(met.g_W, met.g_W) - 1.0), 0.5 - none);
    const Lanes3<Lanes> p = met.p_AP_W - reach * met.g_W, n = negative(met.g_W);
    const auto put = [&](double* column, const Lanes& a) noexcept { store(column + k, touches > none ? a : none); };
    put(p_AC_W[0], p.x), put(p_AC_W[1], p.y), put(p_AC_W[2], p.z);
    put(n_AB_W[0], n.x), put(n_AB_W[1], n.y), put(n_AB_W[2], n.z);
    put(depth, depth_);
    store(has + k, touches);
    store(odd + k, touches * is_not(unit));
    store(gap + k, met.is_near > none ? none : met.phi - r);
  }

  ManifoldPoint at(std::size_t k) const noexcept {
    return {Vec3(p_AC_W[0][k], p_AC_W[1][k], p_AC_W[2][k]), Vec3(n_AB_W[0][k], n_AB_W[1][k], n_AB_W[2][k]), depth[k], 0,
            has[k]};
  }
};

// The contact of the kernel; all zero if there is none.
ManifoldPoint contact_of(Kernel kernel, const Shape& A, const Shape& B, const Placement& X) noexcept {
  ManifoldPoint point{Vec3::Zero(), Vec3::Zero(), 0.0, 0, 0.0};
  Manifold manifold{&point, 1};
  kernel(A, B, X, manifold);
  return point;
}

void write(const ManifoldPoint& point, ContactColumns& out) noexcept {
  Vec3::Map(out.p_AC_W.next()) = point.p_AC_W;
  Vec3::Map(out.n_AB_W.next()) = point.n_AB_W;
  *out.depth.next() = point.depth;
  *out.load_share.next() = point.load_share;
}

template <class Surface>
struct Loop {
  typename Surface::Pairs pairs;
  Contacts contacts;

  void set(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count) noexcept {
    pairs.set(A, B, X, count, Surface::numbers_of);
  }

  template <class Lanes>
  void find(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>)
      contacts.add(k, pairs.template at<Lanes>(0, k), Surface::template meet<Lanes>(pairs, k));
  }

  PairContacts give(std::size_t k, const Shape& A, const Shape& B, const Placement& X,
                    ManifoldPoint* points) const noexcept {
    if (contacts.odd[k] > 0.0) {
      Manifold out{points, Manifold::max_points};
      Surface::kernel(A, B, X, out);
      return {out.count, out.gap};
    }
    *points = contacts.at(k);
    return {static_cast<std::int32_t>(contacts.has[k]), Surface::tells_gap ? contacts.gap[k] : 0.0};
  }

  // Two shapes at many placements.
  template <class Lanes>
  static void run(const Shape& A, const Shape& B, const Placement* X, std::size_t count, ContactColumns out) noexcept {
    Loop loop;
    loop.pairs.fill(A, B, 0, std::min(block, in_whole_lanes(count)), Surface::numbers_of);
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      loop.pairs.X.set(X + first, here);
      loop.template find<Lanes>(here);
      for (std::size_t k = 0; k < here; ++k)
        write(loop.contacts.odd[k] > 0.0 ? contact_of(Surface::kernel, A, B, X[first + k]) : loop.contacts.at(k), out);
    }
  }
};

template <class Surface>
void at_placements(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                   const ContactColumns& out) noexcept {
  math::in_lanes<Loop<Surface>>(count, A, B, X, count, out);
}

template <class Surface>
void of_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
              ManifoldPoint* points, PairContacts* found) noexcept {
  math::in_lanes<InBlocks<Loop<Surface>, block>>(count, A, B, X, count, points, found);
}

}  // namespace

void sphere_plane_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                       const ContactColumns& out) noexcept {
  at_placements<OnPlane>(A, B, X, count, out);
}

void sphere_sphere_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept {
  at_placements<OnBall>(A, B, X, count, out);
}

void sphere_capsule_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                         const ContactColumns& out) noexcept {
  at_placements<OnCapsule>(A, B, X, count, out);
}

void sphere_capsule_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                          ManifoldPoint* points, PairContacts* found) noexcept {
  of_pairs<OnCapsule>(A, B, X, count, points, found);
}

void sphere_box_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                     const ContactColumns& out) noexcept {
  at_placements<OnBox>(A, B, X, count, out);
}

void sphere_box_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                      ManifoldPoint* points, PairContacts* found) noexcept {
  of_pairs<OnBox>(A, B, X, count, points, found);
}

void sphere_socket_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept {
  if (B.rim == RimMethod::exact && has_four_lanes(count)) return at_placements<OnSocket>(A, B, X, count, out);
  ContactColumns each = out;
  for (std::size_t k = 0; k < count; ++k) write(contact_of(sphere_socket, A, B, X[k]), each);
}

}  // namespace contactlib::geometry

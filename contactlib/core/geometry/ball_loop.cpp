// A ball against a plane, a ball, a capsule or a box at many placements, without branches. The operations are those of
// the kernels in their order. Where the normal is not of unit length, as that of two balls with one centre, the kernel
// answers.
#include "ball_loop.hpp"

#include <algorithm>
#include <cstddef>

#include "geometry/manifold/columns.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/round.hpp"
#include "math/lanes.hpp"
#include "plane.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::at_most, math::eigen_dot, math::greater, math::in_all_lanes, math::is_not, math::lanes,
    math::less, math::load, math::magnitude, math::negative, math::root, math::store, math::with_sign;

namespace {

constexpr std::size_t block = 64;
// What the middle of the ball meets: the surface at signed distance phi with outward normal g.
template <class Lanes>
struct Met {
  Lanes3<Lanes> g_W;
  Lanes phi, is_near;
};

struct OnPlane {
  static constexpr Kernel kernel = sphere_plane;
  using Numbers = Columns<z_WB, 8, block>;

  OnPlane(const Shape&, const Shape&) noexcept {}

  template <class Lanes>
  Met<Lanes> meet(const Numbers& X, std::size_t k) const noexcept {
    const auto z = X.at<Lanes>(z_WB, k);
    return {z, eigen_dot(z, origin<Lanes> - X.at<Lanes>(p_AB_W, k)), load<Lanes>(math::ones)};
  }
};

// The ball of radius rB about O, which is seen from A's origin at -w.
template <class Lanes>
Met<Lanes> meet_ball(const Lanes3<Lanes>& w, double r_a, double r_b) noexcept {
  const Lanes squared = eigen_dot(w, w), distance = root(squared), reach = r_a + r_b - Lanes{};
  return {{w.x / distance, w.y / distance, w.z / distance}, distance - r_b, is_not(at_most(reach * reach, squared))};
}

struct OnBall {
  static constexpr Kernel kernel = sphere_sphere;
  using Numbers = Columns<p_AB_W, 4, block>;
  const double r_a, r_b;

  OnBall(const Shape& A, const Shape& B) noexcept : r_a(A.size[0]), r_b(B.size[0]) {}

  template <class Lanes>
  Met<Lanes> meet(const Numbers& X, std::size_t k) const noexcept {
    return meet_ball(origin<Lanes> - X.at<Lanes>(p_AB_W, k), r_a, r_b);
  }
};

struct OnCapsule {
  static constexpr Kernel kernel = sphere_capsule;
  using Numbers = Columns<z_WB, 8, block>;
  const double r_a, r_b, half;

  OnCapsule(const Shape& A, const Shape& B) noexcept : r_a(A.size[0]), r_b(B.size[0]), half(0.5 * B.size[1]) {}

  template <class Lanes>
  Met<Lanes> meet(const Numbers& X, std::size_t k) const noexcept {
    const auto a = X.at<Lanes>(z_WB, k), M = X.at<Lanes>(p_AB_W, k);
    const Lanes free = eigen_dot(origin<Lanes> - M, a), low = -half - Lanes{}, high = half - Lanes{};
    const Lanes up = free < low ? low : free, foot = high < up ? high : up;
    return meet_ball(origin<Lanes> - (M + foot * a), r_a, r_b);
  }
};

// The core of a box: that of a rounded one is met by a ball that is larger by the rounding.
struct OnBox {
  static constexpr Kernel kernel = sphere_box;
  using Numbers = Columns<x_WB, 12, block>;
  const Vec3 half;
  const double r;

  OnBox(const Shape& A, const Shape& B) noexcept : half(0.5 * Vec3(B.size)), r(A.size[0]) {}

  template <class Lanes>
  Met<Lanes> meet(const Numbers& X, std::size_t k) const noexcept {
    using Three = Lanes3<Lanes>;
    const math::Lanes33<Lanes> R{X.at<Lanes>(x_WB, k), X.at<Lanes>(y_WB, k), X.at<Lanes>(z_WB, k)};
    const Lanes none = {}, one = none + 1.0;
    const Three p = negative(R.transposed_times(X.at<Lanes>(p_AB_W, k)));
    const Three gap{with_sign(p.x, one) - half[0], with_sign(p.y, one) - half[1], with_sign(p.z, one) - half[2]};
    const auto outside = [](const Lanes& a) noexcept { return 0.5 * (a + with_sign(a, Lanes{} + 1.0)); };
    const Three w{outside(gap.x), outside(gap.y), outside(gap.z)};
    const Lanes squared = eigen_dot(w, w), distance = root(squared);
    // inside: the first of the nearest sides
    const Lanes of_two = gap.y > gap.x ? gap.y : gap.x, most = gap.z > of_two ? gap.z : of_two;
    const Lanes x = gap.y > gap.x ? none : one, y = gap.y > gap.x ? one : none;
    const Three side{gap.z > of_two ? none : x, gap.z > of_two ? none : y, gap.z > of_two ? one : none};
    const auto normal = [&](const Lanes& across, const Lanes& of_side, const Lanes& of_p) noexcept {
      const Lanes inward = of_side > none ? with_sign(one, of_p) : none;
      return squared > none ? with_sign(across, of_p) / distance : inward;
    };
    const Lanes phi = squared > none ? distance : most;
    return {R * Three{normal(w.x, side.x, p.x), normal(w.y, side.y, p.y), normal(w.z, side.z, p.z)}, phi,
            at_most(squared, r * r - none) * less(phi, r - none)};
  }
};

struct Contacts {
  double p_AC_W[3][block], n_AB_W[3][block], depth[block], has[block], odd[block];

  // depth = r - phi,   n_AB = -g,   C = -g (r - depth/2)
  template <class Lanes>
  void add(std::size_t k, double r, const Met<Lanes>& met) noexcept {
    const Lanes none = {}, depth_ = r - met.phi, reach = r - 0.5 * depth_;
    const Lanes touches = met.is_near * less(none, depth_);
    const Lanes unit = less(magnitude(eigen_dot(met.g_W, met.g_W) - 1.0), 0.5 - none);
    const Lanes3<Lanes> p = origin<Lanes> - reach * met.g_W, n = negative(met.g_W);
    const auto put = [&](double* column, const Lanes& a) noexcept { store(column + k, touches > none ? a : none); };
    put(p_AC_W[0], p.x), put(p_AC_W[1], p.y), put(p_AC_W[2], p.z);
    put(n_AB_W[0], n.x), put(n_AB_W[1], n.y), put(n_AB_W[2], n.z);
    put(depth, depth_);
    store(has + k, touches);
    store(odd + k, touches * is_not(unit));
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
  template <class Lanes>
  static void run(const Shape& A, const Shape& B, const Placement* X, std::size_t count, ContactColumns out) noexcept {
    const Surface surface(A, B);
    typename Surface::Numbers numbers;
    Contacts contacts;
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      numbers.set(X + first, here);
      for (std::size_t k = 0; k < here; k += lanes<Lanes>)
        contacts.add(k, A.size[0], surface.template meet<Lanes>(numbers, k));
      for (std::size_t k = 0; k < here; ++k)
        write(contacts.odd[k] > 0.0 ? contact_of(Surface::kernel, A, B, X[first + k]) : contacts.at(k), out);
    }
  }
};

}  // namespace

void sphere_plane_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                       const ContactColumns& out) noexcept {
  math::in_lanes<Loop<OnPlane>>(count, A, B, X, count, out);
}

void sphere_sphere_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                        const ContactColumns& out) noexcept {
  math::in_lanes<Loop<OnBall>>(count, A, B, X, count, out);
}

void sphere_capsule_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                         const ContactColumns& out) noexcept {
  math::in_lanes<Loop<OnCapsule>>(count, A, B, X, count, out);
}

void sphere_box_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                     const ContactColumns& out) noexcept {
  math::in_lanes<Loop<OnBox>>(count, A, B, X, count, out);
}

}  // namespace contactlib::geometry

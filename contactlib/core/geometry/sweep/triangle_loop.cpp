// A ball against a triangle at many placements. Each loop computes one quantity for a block of placements, without
// branches, so that its time depends on the number of operations and not on their latency.
#include <algorithm>
#include <cstddef>

#include "geometry/manifold/columns.hpp"
#include "geometry/surface/surface.hpp"
#include "math/columns.hpp"
#include "math/lanes.hpp"
#include "triangle.hpp"

namespace contactlib::geometry {

using math::FourLanes, math::Lanes3, math::dot, math::lanes, math::load, math::root, math::store;

namespace {

constexpr std::size_t block = 64;

// One by one: of a number less zeros, gcc makes an instruction for each lane.
template <class Lanes>
Lanes in_all(double a) noexcept {
  Lanes out;
  for (std::size_t i = 0; i < lanes<Lanes>; ++i) out[i] = a;
  return out;
}

template <class Lanes>
Lanes3<Lanes> in_all(const Vec3& v) noexcept {
  return {in_all<Lanes>(v[0]), in_all<Lanes>(v[1]), in_all<Lanes>(v[2])};
}

// A triangle relative to the ball's centre: v leads to its first corner, e and f from there along its sides, g from the
// end of e to that of f.
template <class Lanes>
struct Sheet {
  using Three = Lanes3<Lanes>;

  Three n, e, f, g;
  Three out_e, out_f;         // in the sheet, out of e and f, as long as they are
  Lanes per_e, per_f, per_g;  // 1/m2: -1 over their squared lengths
  Lanes area;                 // m2, twice that of the triangle
  Lanes one, none;            // unknown to the compiler, which so takes the greater of two numbers in one operation

  Sheet(const Vec3* corner, const Vec3& n_) noexcept {
    const Vec3 side_e = corner[1] - corner[0], side_f = corner[2] - corner[0], side_g = side_f - side_e;
    n = in_all<Lanes>(n_);
    e = in_all<Lanes>(side_e), f = in_all<Lanes>(side_f), g = in_all<Lanes>(side_g);
    out_e = in_all<Lanes>(side_e.cross(n_)), out_f = in_all<Lanes>(n_.cross(side_f));
    per_e = in_all<Lanes>(-1.0 / side_e.squaredNorm());
    per_f = in_all<Lanes>(-1.0 / side_f.squaredNorm());
    per_g = in_all<Lanes>(-1.0 / side_g.squaredNorm());
    area = in_all<Lanes>(n_.dot(side_e.cross(side_f)));
    one = load<Lanes>(math::ones), none = one - one;
  }

  Lanes on_side(const Lanes& u) const noexcept { return math::lesser(math::greater(u, none), one); }

  // The vector to the nearest point of the border from beyond some side, and the least distance inside of the sides:
  //   v + a e + b f:   on e  a = u, b = 0,   on g  a = 1 - u, b = u,   on f  a = 0, b = u;   0 <= u <= 1
  // Of two sides that the foot is beyond, the one counts along which the foot is past their common corner.
  Three to_border(const Three& v, Lanes& inside) const noexcept {
    const Lanes none = {}, in_e = dot(out_e, v), in_f = dot(out_f, v), in_g = area - in_e - in_f;
    const Lanes u_e = on_side(dot(v, e) * per_e), u_f = on_side(dot(v, f) * per_f);
    const Lanes u_g = on_side(dot(Three{v.x + e.x, v.y + e.y, v.z + e.z}, g) * per_g);
    const Lanes from_g = in_e < none ? 1.0 - u_e : none;  // > 0: on e, not at its corner with g
    const Lanes from_f = (in_e < none ? u_e : none) + (in_g < none ? 1.0 - u_g : none);  // > 0: not at a corner with f
    const Lanes on_g = from_g > none ? none : in_g, on_f = from_f > none ? none : in_f;  // < 0: it is
    const Lanes a = on_g < none ? 1.0 - u_g : u_e, b = on_g < none ? u_g : none;
    const Lanes s = on_f < none ? none : a, t = on_f < none ? u_f : b, in = in_e < in_f ? in_e : in_f;
    inside = in < in_g ? in : in_g;
    return {v.x + s * e.x + t * f.x, v.y + s * e.y + t * f.y, v.z + s * e.z + t * f.z};
  }
};

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

  const Sheet<Lanes> sheet;
  const Vec3 corner;
  const Lanes r;
  double x[block], y[block], z[block];  // m, to the first corner, to the border; at last the normal, in B
  double height[block], inside[block], depth[block], reach[block], load_share[block];

  Block(const Shape& A, const Shape& B) noexcept
      : sheet(B.surface->vertices.data(), B.surface->faces[0].n),
        corner(B.surface->vertices[0]),
        r(in_all<Lanes>(A.size[0])) {}

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

  // If the foot is inside: the height, along n; otherwise along w, of length |w|, unless that is zero.
  void measure(std::size_t count) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      const Lanes none = {}, h = load<Lanes>(height + k);
      const Three w = at(k), &n = sheet.n;
      const Lanes distance = root(dot(w, w)), per = 1.0 / distance;
      const Lanes beyond = load<Lanes>(inside + k) < none ? distance : none;  // > 0: it is
      const Lanes way = h > none ? 1.0 - none : none - 1.0, apart = h < none ? -h : h;
      const Lanes deep = r - (beyond > none ? distance : apart);
      const Lanes nx = beyond > none ? w.x * per : way * n.x;
      const Lanes ny = beyond > none ? w.y * per : way * n.y;
      const Lanes nz = beyond > none ? w.z * per : way * n.z;
      const Lanes depth_ = deep > none ? deep : none;
      put(k, {deep > none ? nx : none, deep > none ? ny : none, deep > none ? nz : none});
      store(depth + k, depth_);
      store(reach + k, r - 0.5 * depth_);
      store(load_share + k, deep > none ? 1.0 - none : none);
    }
  }

  // n_W = R n, three numbers side by side;   C = (r - depth/2) n
  void give(const Placement* X, std::size_t count, ContactColumns out) noexcept {
    for (std::size_t k = 0; k < count; ++k) {
      const double* const R = axes(X[k]);
      const FourLanes n = load<FourLanes>(R) * x[k] + (load<FourLanes>(R + 3) * y[k] + load<FourLanes>(R + 6) * z[k]);
      math::to_row(n, out.n_AB_W.next());
      math::to_row(reach[k] * n, out.p_AC_W.next());
      *out.depth.next() = depth[k];
      *out.load_share.next() = load_share[k];
    }
  }
};

struct Loop {
  template <class Lanes>
  static void run(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                  const ContactColumns& out) noexcept {
    Block<Lanes> balls(A, B);
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t here = std::min(block, count - first);
      balls.place(X + first, here);
      balls.find_border(here);
      balls.measure(here);
      balls.give(X + first, here, out.from(first));
    }
  }
};

}  // namespace

void sphere_triangle_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                          const ContactColumns& out) noexcept {
  math::in_lanes<Loop>(count, A, B, X, count, out);
}

}  // namespace contactlib::geometry

// A ball against a triangle at many placements. Each loop computes one quantity for a block of placements, without
// branches, so that its time depends on the number of operations and not on their latency.
#include <algorithm>
#include <cstddef>

#include "geometry/surface/surface.hpp"
#include "math/columns.hpp"
#include "math/lanes.hpp"
#include "triangle.hpp"

namespace contactlib::geometry {

using math::Lanes3, math::clamped, math::dot, math::lanes, math::load, math::root, math::store;

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

  Sheet(const Vec3* corner, const Vec3& n_) noexcept {
    const Vec3 side_e = corner[1] - corner[0], side_f = corner[2] - corner[0], side_g = side_f - side_e;
    n = in_all<Lanes>(n_);
    e = in_all<Lanes>(side_e), f = in_all<Lanes>(side_f), g = in_all<Lanes>(side_g);
    out_e = in_all<Lanes>(side_e.cross(n_)), out_f = in_all<Lanes>(n_.cross(side_f));
    per_e = in_all<Lanes>(-1.0 / side_e.squaredNorm());
    per_f = in_all<Lanes>(-1.0 / side_f.squaredNorm());
    per_g = in_all<Lanes>(-1.0 / side_g.squaredNorm());
    area = in_all<Lanes>(n_.dot(side_e.cross(side_f)));
  }

  // The vector to the nearest point of the border from beyond some side, and the least distance inside of the sides:
  //   v + a e + b f:   on e  a = u, b = 0,   on g  a = 1 - u, b = u,   on f  a = 0, b = u;   0 <= u <= 1
  // Of two sides that the foot is beyond, the one counts along which the foot is past their common corner.
  Three to_border(const Three& v, Lanes& inside) const noexcept {
    const Lanes none = {}, in_e = dot(out_e, v), in_f = dot(out_f, v), in_g = area - in_e - in_f;
    const Lanes u_e = clamped(dot(v, e) * per_e, 0.0, 1.0), u_f = clamped(dot(v, f) * per_f, 0.0, 1.0);
    const Lanes u_g = clamped(dot(Three{v.x + e.x, v.y + e.y, v.z + e.z}, g) * per_g, 0.0, 1.0);
    const Lanes from_g = in_e < none ? 1.0 - u_e : none;  // > 0: on e, not at its corner with g
    const Lanes from_f = (in_e < none ? u_e : none) + (in_g < none ? 1.0 - u_g : none);  // > 0: not at a corner with f
    const Lanes on_g = from_g > none ? none : in_g, on_f = from_f > none ? none : in_f;  // < 0: it is
    const Lanes a = on_g < none ? 1.0 - u_g : u_e, b = on_g < none ? u_g : none;
    const Lanes s = on_f < none ? none : a, t = on_f < none ? u_f : b, in = in_e < in_f ? in_e : in_f;
    inside = in < in_g ? in : in_g;
    return {v.x + s * e.x + t * f.x, v.y + s * e.y + t * f.y, v.z + s * e.z + t * f.z};
  }
};

template <class Lanes>
struct Block {
  using Three = Lanes3<Lanes>;

  const Sheet<Lanes> sheet;
  const Three corner;
  const Lanes r;
  double placement[12][block];  // R_WB and p_AB_W, by columns
  double x[block], y[block], z[block];  // m, to the first corner, to the border; at last the normal
  double height[block], inside[block], depth[block], load_share[block];

  Block(const Shape& A, const Shape& B) noexcept
      : sheet(B.surface->vertices.data(), B.surface->faces[0].n),
        corner(in_all<Lanes>(B.surface->vertices[0])),
        r(in_all<Lanes>(A.size[0])) {}

  Three at(std::size_t k) const noexcept { return {load<Lanes>(x + k), load<Lanes>(y + k), load<Lanes>(z + k)}; }
  void put(std::size_t k, const Three& a) noexcept { store(x + k, a.x), store(y + k, a.y), store(z + k, a.z); }

  // v = R^T p_AB + corner. Lanes behind the last placement take it again.
  void place(const Placement* X, std::size_t count) noexcept {
    static_assert(sizeof(Placement) == 24 * sizeof(double) && offsetof(Placement, R_WB) == 9 * sizeof(double) &&
                  offsetof(Placement, p_AB_W) == 18 * sizeof(double));
    const auto row = [&](std::size_t k) noexcept {
      return reinterpret_cast<const double*>(X + std::min(k, count - 1)) + 9;
    };
    const std::size_t filled = (count + 7) / 8 * 8;
    for (std::size_t k = 0; k < filled; k += 4)
      math::columns_of_four<12>({row(k), row(k + 1), row(k + 2), row(k + 3)}, placement[0] + k, block);
    for (std::size_t k = 0; k < filled; k += lanes<Lanes>) put(k, rotation(k).transposed_times(column(9, k)) + corner);
  }

  Three column(int i, std::size_t k) const noexcept {
    return {load<Lanes>(placement[i] + k), load<Lanes>(placement[i + 1] + k), load<Lanes>(placement[i + 2] + k)};
  }
  math::Lanes33<Lanes> rotation(std::size_t k) const noexcept { return {column(0, k), column(3, k), column(6, k)}; }

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
      put(k, {deep > none ? nx : none, deep > none ? ny : none, deep > none ? nz : none});
      store(depth + k, deep > none ? deep : none);
      store(load_share + k, deep > none ? 1.0 - none : none);
    }
  }

  // C = (r - depth/2) n
  void give(std::size_t count, ContactColumns out) noexcept {
    for (std::size_t k = 0; k < count; k += lanes<Lanes>) {
      const Three n = rotation(k) * at(k);
      const Lanes reach = r - 0.5 * load<Lanes>(depth + k);
      put(k, n);
      store(placement[0] + k, reach * n.x), store(placement[1] + k, reach * n.y), store(placement[2] + k, reach * n.z);
    }
    for (std::size_t k = 0; k < count; ++k) {
      Vec3::Map(out.n_AB_W.next()) = Vec3(x[k], y[k], z[k]);
      Vec3::Map(out.p_AC_W.next()) = Vec3(placement[0][k], placement[1][k], placement[2][k]);
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
      balls.give(here, out.from(first));
    }
  }
};

}  // namespace

void sphere_triangle_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                          const ContactColumns& out) noexcept {
  math::in_lanes<Loop>(count, A, B, X, count, out);
}

}  // namespace contactlib::geometry

// A ball against a triangle without branches: the operations of the kernel, with one number as its Lanes, and of the loop.
#pragma once

#include "math/lanes.hpp"

namespace contactlib::geometry {

// One by one: of a number less zeros, gcc makes an instruction for each lane.
template <class Lanes>
inline Lanes in_all(double a) noexcept {
  if constexpr (math::lanes<Lanes> == 1) {
    return a;
  } else {
    Lanes out;
    for (std::size_t i = 0; i < math::lanes<Lanes>; ++i) out[i] = a;
    return out;
  }
}

template <class Lanes>
inline math::Lanes3<Lanes> in_all(const Vec3& v) noexcept {
  return {in_all<Lanes>(v[0]), in_all<Lanes>(v[1]), in_all<Lanes>(v[2])};
}

// A triangle relative to the ball's centre: v leads to its first corner, e and f from there along its sides, g from the
// end of e to that of f.
template <class Lanes>
struct BallSheet {
  using Three = math::Lanes3<Lanes>;

  Three n, e, f, g;
  Three out_e, out_f;  // in the sheet, out of e and f, as long as they are
  Lanes per_e, per_f, per_g;  // 1/m2: -1 over their squared lengths
  Lanes area;  // m2, twice that of the triangle
  Lanes one, none;  // unknown to the compiler, which so takes the greater of two numbers in one operation

  BallSheet(const Vec3* corner, const Vec3& n_) noexcept {
    const Vec3 side_e = corner[1] - corner[0], side_f = corner[2] - corner[0], side_g = side_f - side_e;
    n = in_all<Lanes>(n_);
    e = in_all<Lanes>(side_e), f = in_all<Lanes>(side_f), g = in_all<Lanes>(side_g);
    out_e = in_all<Lanes>(side_e.cross(n_)), out_f = in_all<Lanes>(n_.cross(side_f));
    per_e = in_all<Lanes>(-1.0 / side_e.squaredNorm());
    per_f = in_all<Lanes>(-1.0 / side_f.squaredNorm());
    per_g = in_all<Lanes>(-1.0 / side_g.squaredNorm());
    area = in_all<Lanes>(n_.dot(side_e.cross(side_f)));
    one = math::load<Lanes>(math::ones), none = one - one;
  }

  Lanes on_side(const Lanes& u) const noexcept { return math::lesser(math::greater(u, none), one); }

  // The vector to the nearest point of the border from beyond some side, and the least distance inside of the sides:
  //   v + a e + b f:   on e  a = u, b = 0,   on g  a = 1 - u, b = u,   on f  a = 0, b = u;   0 <= u <= 1
  // Of two sides that the foot is beyond, the one counts along which the foot is past their common corner.
  Three to_border(const Three& v, Lanes& inside) const noexcept {
    using math::dot;
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

  struct Contact {
    Three n;
    Lanes depth;  // m
  };

  // If the foot is inside: at `height` along n; otherwise along w, of length |w|, unless that is so short that its square
  // loses digits. All zero if the ball of radius r does not touch.
  Contact contact(const Lanes& r, const Lanes& height, const Lanes& inside, const Three& w) const noexcept {
    const Lanes none = {}, distance = math::root(math::dot(w, w)), per = 1.0 / distance;
    const Lanes beyond = inside < none ? distance : none, least = 1e-150 - none;  // m; beyond > least: along w
    const Lanes way = height > none ? 1.0 - none : none - 1.0, apart = height < none ? -height : height;
    const Lanes deep = r - (beyond > least ? distance : apart);
    const Lanes x = beyond > least ? w.x * per : way * n.x;
    const Lanes y = beyond > least ? w.y * per : way * n.y;
    const Lanes z = beyond > least ? w.z * per : way * n.z;
    return {{deep > none ? x : none, deep > none ? y : none, deep > none ? z : none}, deep > none ? deep : none};
  }
};

}  // namespace contactlib::geometry

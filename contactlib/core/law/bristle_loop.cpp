// The friction law `bristle` for many contacts. All lanes take both ways of `slide`, and one root and one quotient serve
// the limit while it holds and the return while it slips. The operations are those of `slide`, in its order, without the
// third component, which is zero.
#include "bristle_loop.hpp"

#include "math/columns.hpp"
#include "math/lanes.hpp"

namespace contactlib::law {

using math::at_most, math::is_not, math::lanes, math::less, math::load, math::root, math::store;

namespace {

template <class Lanes>
void add_to(double* sums, const Lanes& a) noexcept {
  store(sums, load<Lanes>(sums) + a);
}

// The contacts i, i + 1, ..
template <class Lanes>
struct Bristles {
  const Lanes none = {}, one = none + 1.0;
  const double h;
  const Lanes k, c, touches, hold, slip, v_x, v_y;
  const math::Lanes3<Lanes> before;  // the bristles
  const Lanes slipping, trial_x, trial_y;
  const Lanes kz2, zv, lost, squared;

  Bristles(const FrictionBlock& block, std::size_t i, double h, const BristleParameters& p) noexcept
      : h(h),
        k(p.stiffness - none),
        c(p.damping - none),
        touches(less(none, load<Lanes>(block.depth + i))),
        hold(p.mu_static * load<Lanes>(block.normal_force + i)),
        slip(p.mu_kinetic * load<Lanes>(block.normal_force + i)),
        v_x(load<Lanes>(block.v_x + i)),
        v_y(load<Lanes>(block.v_y + i)),
        before(math::from_rows<Lanes>(block.bristles + 3 * i)),
        slipping(before.z),
        trial_x(before.x + h * v_x),
        trial_y(before.y + h * v_y),
        kz2(k * (trial_x * trial_x + trial_y * trial_y)),
        zv(k * along_v()),
        lost(c * (v_x * v_x + v_y * v_y)),
        squared(k * kz2) {}

  // The zero of the third component decides the sign of a zero.
  Lanes along_v() const noexcept { return trial_x * v_x + (trial_y * v_y + none); }

  Lanes sticks() const noexcept {
    const Lanes limit = slipping == none ? hold : slip;
    const Lanes below = at_most(squared, limit * limit);
    return h == 0.0 ? Lanes(below * (slipping == none ? one : none)) : below;
  }

  static Lanes positive(const Lanes& a) noexcept { return a > Lanes{} ? a : Lanes{}; }

  void give(const FrictionBlock& block, std::size_t i) const noexcept {
    const Lanes stays = sticks();
    const Lanes w_x = k * trial_x + c * v_x, w_y = k * trial_y + c * v_y, w2 = squared + c * (2.0 * zv + lost);
    const Lanes force2 = stays > none ? w2 : squared, most = stays > none ? hold : slip;
    const Lanes part = most / force2 * root(force2);

    const Lanes cap = w2 <= hold * hold ? one : part, held_heat = positive(part * (zv + lost) - zv);
    const Lanes stick_heat = w2 <= hold * hold ? lost : held_heat;

    const Lanes keep = squared > 1e-200 - none ? part : none;
    const Lanes slip_heat = positive(h > 0.0 ? keep * (1.0 - keep) * (kz2 / h) : keep * k * along_v());

    const Lanes f_x = stays > none ? -cap * w_x : -(k * keep) * trial_x;
    const Lanes f_y = stays > none ? -cap * w_y : -(k * keep) * trial_y;
    const Lanes stored = stays > none ? 0.5 * kz2 : 0.5 * keep * keep * kz2;
    const Lanes heat = stays > none ? stick_heat : slip_heat, z = stays > none ? one : keep;
    store(block.f_x + i, touches > none ? f_x : none);
    store(block.f_y + i, touches > none ? f_y : none);
    add_to(block.stored + i, touches > none ? stored : none);
    add_to(block.heat + i, touches > none ? heat : none);
    const math::Lanes3<Lanes> after{touches > none ? z * trial_x : none, touches > none ? z * trial_y : none,
                                    touches * is_not(stays)};
    math::to_rows(after, block.bristles + 3 * i);
  }
};

struct Loop {
  template <class Lanes>
  static void run(const FrictionBlock& block, double h, const BristleParameters& parameters,
                  std::size_t* done) noexcept {
    std::size_t i = 0;
    if constexpr (lanes<Lanes> >= 4)  // two ways in two lanes take longer than one way each
      for (; i + lanes<Lanes> <= block.count; i += lanes<Lanes>)
        Bristles<Lanes>(block, i, h, parameters).give(block, i);
    *done = i;
  }
};

}  // namespace

std::size_t bristle_loop(const FrictionBlock& block, double h, const BristleParameters& parameters) noexcept {
  std::size_t done = 0;
  math::in_lanes<Loop>(block.count, block, h, parameters, &done);
  return done;
}

}  // namespace contactlib::law

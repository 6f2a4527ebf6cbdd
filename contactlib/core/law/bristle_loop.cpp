// The friction law `bristle` for many contacts. All lanes take both ways of `slide`, and one root and one quotient
// serve the limit while it holds and the return while it slips. The operations are those of `slide`, in its order; on a plane
// without the third component, which is zero.
#include "bristle_loop.hpp"

#include "math/columns.hpp"
#include "math/lanes.hpp"

namespace contactlib::law {

using math::Lanes3, math::at_most, math::eigen_dot, math::is_not, math::lanes, math::less, math::load, math::root,
    math::store;

namespace {

template <class Lanes>
void add_to(double* sums, const Lanes& a) noexcept {
  store(sums, load<Lanes>(sums) + a);
}

// Inner products of the trial deflection z' = z + h v and the sliding velocity.
template <class Lanes>
struct Products {
  Lanes zz, zv, vv;
};

// One step of as many contacts as there are lanes.
template <class Lanes>
struct Step {
  const Lanes none = {}, one = none + 1.0;
  const Lanes k, c, hold, slip;
  Lanes stays, cap, keep, stored, heat;

  Step(const BristleParameters& p, double h, const Lanes& normal_force, const Lanes& slipping,
       const Products<Lanes>& of) noexcept
      : k(p.stiffness - none),
        c(p.damping - none),
        hold(p.mu_static * normal_force),
        slip(p.mu_kinetic * normal_force) {
    const Lanes kz2 = k * of.zz, zv = k * of.zv, lost = c * of.vv, squared = k * kz2;
    const Lanes limit = slipping == none ? hold : slip, below = at_most(squared, limit * limit);
    stays = h == 0.0 ? Lanes(below * (slipping == none ? one : none)) : below;
    const Lanes w2 = squared + c * (2.0 * zv + lost);
    const Lanes force2 = stays > none ? w2 : squared, most = stays > none ? hold : slip;
    const Lanes part = most / force2 * root(force2);

    const Lanes held_heat = positive(part * (zv + lost) - zv), stick_heat = w2 <= hold * hold ? lost : held_heat;
    cap = w2 <= hold * hold ? one : part;

    keep = squared > 1e-200 - none ? part : none;
    const Lanes slip_heat = positive(h > 0.0 ? keep * (1.0 - keep) * (kz2 / h) : keep * k * of.zv);

    stored = stays > none ? 0.5 * kz2 : 0.5 * keep * keep * kz2;
    heat = stays > none ? stick_heat : slip_heat;
  }

  static Lanes positive(const Lanes& a) noexcept { return a > Lanes{} ? a : Lanes{}; }

  // components of the force and of the deflection after the step
  Lanes force(const Lanes& trial, const Lanes& v) const noexcept {
    return stays > none ? -cap * (k * trial + c * v) : -(k * keep) * trial;
  }
  Lanes after(const Lanes& trial) const noexcept { return (stays > none ? one : keep) * trial; }
  Lanes slips() const noexcept { return is_not(stays); }
};

// The contacts i, i + 1, .. of a plane.
template <class Lanes>
void slide_on_plane(const FrictionBlock& block, std::size_t i, double h, const BristleParameters& p) noexcept {
  const Lanes none = {}, touches = less(none, load<Lanes>(block.depth + i));
  const Lanes v_x = load<Lanes>(block.v_x + i), v_y = load<Lanes>(block.v_y + i);
  const Lanes3<Lanes> before = math::from_rows<Lanes>(block.bristles + 3 * i);  // deflections, and 1 while slipping
  const Lanes x = before.x + h * v_x, y = before.y + h * v_y;
  // the zero of the third component decides the sign of a zero
  const Products<Lanes> products{x * x + y * y, x * v_x + (y * v_y + none), v_x * v_x + v_y * v_y};
  const Step<Lanes> step(p, h, load<Lanes>(block.normal_force + i), before.z, products);
  const Lanes f_x = step.force(x, v_x), f_y = step.force(y, v_y);
  store(block.f_x + i, touches > none ? f_x : none);
  store(block.f_y + i, touches > none ? f_y : none);
  add_to(block.stored + i, touches > none ? step.stored : none);
  add_to(block.heat + i, touches > none ? step.heat : none);
  const Lanes3<Lanes> after{touches > none ? step.after(x) : none, touches > none ? step.after(y) : none,
                            touches * step.slips()};
  math::to_rows(after, block.bristles + 3 * i);
}

// The contacts i, i + 1, .. in space.
template <class Lanes>
void slide_in_space(const FrictionColumns& contacts, std::size_t i, double h, const BristleParameters& p) noexcept {
  const Lanes3<Lanes> v = contacts.v_t_W.at<Lanes>(i), trial = contacts.z_W.at<Lanes>(i) + (h - Lanes{}) * v;
  const Products<Lanes> products{eigen_dot(trial, trial), eigen_dot(trial, v), eigen_dot(v, v)};
  const Step<Lanes> step(p, h, load<Lanes>(contacts.normal_force + i), load<Lanes>(contacts.slipping + i), products);
  contacts.f_t_W.put<Lanes>(i, {step.force(trial.x, v.x), step.force(trial.y, v.y), step.force(trial.z, v.z)});
  contacts.z_W.put<Lanes>(i, {step.after(trial.x), step.after(trial.y), step.after(trial.z)});
  store(contacts.slipping + i, step.slips());
  store(contacts.stored + i, step.stored);
  store(contacts.heat + i, step.heat);
}

template <class Lanes>
void slide_all(const FrictionBlock& block, std::size_t i, double h, const BristleParameters& p) noexcept {
  slide_on_plane<Lanes>(block, i, h, p);
}
template <class Lanes>
void slide_all(const FrictionColumns& contacts, std::size_t i, double h, const BristleParameters& p) noexcept {
  slide_in_space<Lanes>(contacts, i, h, p);
}

struct Loop {
  template <class Lanes, class Contacts>
  static void run(const Contacts& contacts, double h, const BristleParameters& parameters, std::size_t* done) noexcept {
    std::size_t i = 0;
    if constexpr (lanes<Lanes> >= 4)  // two ways in two lanes take longer than one way each
      for (; i + lanes<Lanes> <= contacts.count; i += lanes<Lanes>) slide_all<Lanes>(contacts, i, h, parameters);
    *done = i;
  }
};

}  // namespace

std::size_t bristle_loop(const FrictionBlock& block, double h, const BristleParameters& parameters) noexcept {
  std::size_t done = 0;
  math::in_lanes<Loop>(block.count, block, h, parameters, &done);
  return done;
}

std::size_t bristle_loop(const FrictionColumns& contacts, double h, const BristleParameters& parameters) noexcept {
  std::size_t done = 0;
  math::in_lanes<Loop>(contacts.count, contacts, h, parameters, &done);
  return done;
}

}  // namespace contactlib::law

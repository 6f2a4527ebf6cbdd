// The normal laws. A law is a function, an enum of its parameters, and its row in the table below.
#include "normal.hpp"

#include <cmath>

#include "math/elementary.hpp"
#include "math/lanes.hpp"

namespace contactlib::law {

namespace {

// The exponents of a line, a Hertz contact and a cone need no pow(), which is slower.
double power(double x, double n) noexcept {
  if (n == 1.0) return x;
  if (n == 1.5) return x * std::sqrt(x);
  if (n == 2.0) return x * x;
  return math::pow(x, n);
}

// Damping that starts from zero together with the spring force (Hunt and Crossley 1975).
NormalForce damped(double spring, double lambda, double depth_rate, double stored) noexcept {
  return pushing(spring * (1.0 + lambda * depth_rate), spring, depth_rate, stored);
}

// For laws that consist of a contact model only.
NormalForce none(const NormalInput&, const double*) noexcept { return {0.0, 0.0, 0.0}; }

// f = max(0, k x + c x')
struct KelvinVoigt {
  enum : int { stiffness, damping, count };
};
NormalForce kelvin_voigt(const NormalInput& in, const double* parameters) noexcept {
  const double k = parameters[KelvinVoigt::stiffness], c = parameters[KelvinVoigt::damping], x = in.depth;
  return pushing(k * x + c * in.depth_rate, k * x, in.depth_rate, 0.5 * k * x * x);
}

// f = max(0, k x^n (1 + lambda x'))
struct HuntCrossley {
  enum : int { stiffness, exponent, damping, count };
};
NormalForce hunt_crossley(const NormalInput& in, const double* parameters) noexcept {
  const double k = parameters[HuntCrossley::stiffness], n = parameters[HuntCrossley::exponent];
  const double x = in.depth, spring = k * power(x, n);
  return damped(spring, parameters[HuntCrossley::damping], in.depth_rate, spring * x / (n + 1.0));
}

// f = max(0, 4/3 E* sqrt(R) x^(3/2) (1 + lambda x'))
struct Hertz {
  enum : int { modulus, radius, damping, count };
};
NormalForce hertz(const NormalInput& in, const double* parameters) noexcept {
  const double E = parameters[Hertz::modulus], R = parameters[Hertz::radius], x = in.depth;
  const double spring = 4.0 / 3.0 * E * x * std::sqrt(R * x);
  return damped(spring, parameters[Hertz::damping], in.depth_rate, 0.4 * spring * x);
}

// f = max(0, F(x) (1 + lambda x')), F linear between the points
struct ForceCurve {
  enum : int { damping, count };
};
NormalForce curve(const NormalInput& in, const double* parameters) noexcept {
  const CurvePoint here = curve_at(in.curve, in.depth);
  return damped(here.force, parameters[ForceCurve::damping], in.depth_rate, here.stored);
}

// An elastic foundation: the pressure is K e (1 + lambda x') where the surfaces are inside each other by e, and
//   stored = K/2 S(x),  f = max(0, K/2 S'(x) (1 + lambda x')),  S(x) = int e^2 dA
struct ElasticFoundation {
  enum : int { modulus, damping, count };
};
NormalForce elastic_foundation(const NormalInput& in, const double* parameters) noexcept {
  const double half = 0.5 * parameters[ElasticFoundation::modulus];
  return damped(half * in.extent2_slope, parameters[ElasticFoundation::damping], in.depth_rate, half * in.extent2);
}

// The laws in lanes: the operations of the functions above, in their order.
template <class Lanes>
struct ForceLanes {
  Lanes force, stored, heat;
};

template <class Lanes>
ForceLanes<Lanes> pushing(const Lanes& force, const Lanes& spring, const Lanes& rate, const Lanes& stored) noexcept {
  const Lanes f = force > Lanes{} ? force : Lanes{};
  return {f, stored, (f - spring) * rate};
}

struct KelvinVoigtLanes {
  double k, c;

  explicit KelvinVoigtLanes(const double* parameters) noexcept
      : k(parameters[KelvinVoigt::stiffness]), c(parameters[KelvinVoigt::damping]) {}
  static constexpr bool is_computed() noexcept { return true; }
  template <class Lanes>
  ForceLanes<Lanes> at(const Lanes& x, const Lanes& rate) const noexcept {
    return pushing<Lanes>(k * x + c * rate, k * x, rate, 0.5 * k * x * x);
  }
};

struct HuntCrossleyLanes {
  double k, n, lambda;

  explicit HuntCrossleyLanes(const double* parameters) noexcept
      : k(parameters[HuntCrossley::stiffness]),
        n(parameters[HuntCrossley::exponent]),
        lambda(parameters[HuntCrossley::damping]) {}
  bool is_computed() const noexcept { return n == 1.0 || n == 1.5 || n == 2.0; }  // without pow()
  template <class Lanes>
  ForceLanes<Lanes> at(const Lanes& x, const Lanes& rate) const noexcept {
    const Lanes spring = k * (n == 1.0 ? x : x * (n == 1.5 ? math::root(x) : x));
    return pushing<Lanes>(spring * (1.0 + lambda * rate), spring, rate, spring * x / (n + 1.0));
  }
};

struct HertzLanes {
  double E, R, lambda;

  explicit HertzLanes(const double* parameters) noexcept
      : E(parameters[Hertz::modulus]), R(parameters[Hertz::radius]), lambda(parameters[Hertz::damping]) {}
  static constexpr bool is_computed() noexcept { return true; }
  template <class Lanes>
  ForceLanes<Lanes> at(const Lanes& x, const Lanes& rate) const noexcept {
    const Lanes spring = 4.0 / 3.0 * E * x * math::root<Lanes>(R * x);
    return pushing<Lanes>(spring * (1.0 + lambda * rate), spring, rate, 0.4 * spring * x);
  }
};

// The first points of a block; `done`: how many, a multiple of the lanes.
struct NormalLoop {
  template <class Lanes, class Law>
  static void run(const NormalBlock& block, const Law& law, std::size_t* done) noexcept {
    const NormalBlock b = block;  // numbers that no store changes
    const Law here = law;
    const Lanes none = {};
    std::size_t i = 0;
    for (; i + math::lanes<Lanes> <= b.count; i += math::lanes<Lanes>) {
      const Lanes depth = math::load<Lanes>(b.depth + i), x = depth > none ? depth : none;
      const ForceLanes<Lanes> found = here.at(x, math::load<Lanes>(b.depth_rate + i));
      math::store<Lanes>(b.force + i, depth > none ? found.force : none);
      math::store<Lanes>(b.stored + i, depth > none ? found.stored : none);
      math::store<Lanes>(b.heat + i, depth > none ? found.heat : none);
    }
    *done = i;
  }
};

template <auto law>
void one_by_one(std::size_t first, const NormalBlock& block, const double* parameters, const Curve& curve) noexcept {
  double* __restrict force = block.force, * __restrict stored = block.stored, * __restrict heat = block.heat;
  for (std::size_t i = first; i < block.count; ++i) {
    const bool touches = block.depth[i] > 0.0;
    const NormalForce found = law({touches ? block.depth[i] : 0.0, block.depth_rate[i], curve}, parameters);
    force[i] = touches ? found.force : 0.0;
    stored[i] = touches ? found.stored : 0.0;
    heat[i] = touches ? found.heat : 0.0;
  }
}

template <auto law>
void normal_loop(const NormalBlock& block, const double* parameters, const Curve& curve) noexcept {
  one_by_one<law>(0, block, parameters, curve);
}

template <auto law, class Law>
void lanes_loop(const NormalBlock& block, const double* parameters, const Curve& curve) noexcept {
  std::size_t done = 0;
  const Law in_all_lanes(parameters);
  if (in_all_lanes.is_computed()) math::in_lanes<NormalLoop>(block.count, block, in_all_lanes, &done);
  one_by_one<law>(done, block, parameters, curve);
}

template <auto law>
constexpr NormalLaw both{law, normal_loop<law>};
template <auto law, class Law>
constexpr NormalLaw in_lanes{law, lanes_loop<law, Law>};

}  // namespace

// clang-format off
constexpr NormalRow normal_laws[] = {
  {"none",          both<none>,          0, {}},
  {"kelvin_voigt",  in_lanes<kelvin_voigt, KelvinVoigtLanes>,  KelvinVoigt::count, {
    {KelvinVoigt::stiffness,  "stiffness", "N/m",   0, true,  "stiffness k of the contact"},
    {KelvinVoigt::damping,    "damping",   "N.s/m", 0, false, "damping c of the contact"}}},
  {"hunt_crossley", in_lanes<hunt_crossley, HuntCrossleyLanes>, HuntCrossley::count, {
    {HuntCrossley::stiffness, "stiffness", "N/m^n", 0, true,  "stiffness k of the contact"},
    {HuntCrossley::exponent,  "exponent",  "1",     1, false, "exponent n of the penetration depth"},
    {HuntCrossley::damping,   "damping",   "s/m",   0, false, "damping lambda per spring force"}}},
  {"hertz",         in_lanes<hertz, HertzLanes>, Hertz::count, {
    {Hertz::modulus,          "modulus",   "Pa",    0, true,  "contact modulus E*, 1/E* = (1-nu_A^2)/E_A + (1-nu_B^2)/E_B"},
    {Hertz::radius,           "radius",    "m",     0, true,  "effective radius R, 1/R = 1/R_A + 1/R_B"},
    {Hertz::damping,          "damping",   "s/m",   0, false, "damping lambda per spring force"}}},
  {"curve",         both<curve>,         ForceCurve::count, {
    {ForceCurve::damping,     "damping",   "s/m",   0, false, "damping lambda per force of the curve"}}},
  {"elastic_foundation", both<elastic_foundation>, ElasticFoundation::count, {
    {ElasticFoundation::modulus, "modulus", "Pa/m", 0, true,  "foundation modulus K: pressure per extent, E/layer of a layer that is free to expand sideways"},
    {ElasticFoundation::damping, "damping", "s/m",  0, false, "damping lambda per spring force"}}},
};
// clang-format on
const int normal_law_count = sizeof normal_laws / sizeof normal_laws[0];
static_assert(matches_enums(normal_laws));

bool needs_curve(int row) noexcept { return normal_laws[row].force.one == curve; }
bool needs_surface(int row) noexcept { return normal_laws[row].force.one == elastic_foundation; }

}  // namespace contactlib::law

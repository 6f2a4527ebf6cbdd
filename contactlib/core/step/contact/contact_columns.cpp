#include "contact_columns.hpp"

#include <algorithm>
#include <cstddef>

#include "math/columns.hpp"
#include "math/lanes.hpp"

namespace contactlib::step {

using law::FrictionColumns, law::LawParameters, law::NormalBlock, law::VectorColumns, law::friction_laws,
    law::normal_laws;
using math::Lanes3, math::cross, math::eigen_dot, math::lanes, math::less, math::load, math::store;
using model::BodyState, model::Law;

namespace {

constexpr std::size_t block = most_in_lanes;

// Numbers of a record from `first` on, as a row.
template <class Record>
double* row_of(Record& record, std::size_t first) noexcept {
  return reinterpret_cast<double*>(&record) + first;
}
template <class Record>
const double* row_of(const Record& record, std::size_t first) noexcept {
  return reinterpret_cast<const double*>(&record) + first;
}

#define CONTACTLIB_NUMBER(Record, member) (offsetof(Record, member) / sizeof(double))

// Places of the columns, as the numbers follow one another in a contact.
namespace place {
constexpr std::size_t first = CONTACTLIB_NUMBER(Contact, p_AC_W);
enum : std::size_t { p_AC = 0, p_BC = 3, n = 6, depth = 9, count = 12 };
static_assert(CONTACTLIB_NUMBER(Contact, p_BC_W) == first + p_BC && CONTACTLIB_NUMBER(Contact, n_AB_W) == first + n &&
              CONTACTLIB_NUMBER(Contact, depth) == first + depth);
}  // namespace place

namespace force {
constexpr std::size_t first = CONTACTLIB_NUMBER(Contact, depth_rate);
enum : std::size_t { rate, v, f = 4, t = 7, normal = 10, load_share, stored, heat, z, count = 18 };
static_assert(CONTACTLIB_NUMBER(Contact, v_AB_W) == first + v && CONTACTLIB_NUMBER(Contact, f_B_W) == first + f &&
              CONTACTLIB_NUMBER(Contact, t_B_W) == first + t &&
              CONTACTLIB_NUMBER(Contact, normal_force) == first + normal &&
              CONTACTLIB_NUMBER(Contact, load_share) == first + load_share &&
              CONTACTLIB_NUMBER(Contact, stored_energy) == first + stored &&
              CONTACTLIB_NUMBER(Contact, heat) == first + heat && CONTACTLIB_NUMBER(Contact, z_W) == first + z);
}  // namespace force

namespace body {
constexpr std::size_t first = CONTACTLIB_NUMBER(BodyState, q_WB) + 2;  // eight numbers
enum : std::size_t { v = 2, w = 5, count = 8 };
static_assert(CONTACTLIB_NUMBER(BodyState, v_WB) == first + v && CONTACTLIB_NUMBER(BodyState, w_WB) == first + w);
}  // namespace body

// The numbers of contacts and of their bodies, by columns. The last contact fills the columns up.
struct Columns {
  Contact* contacts;
  const BodyState* bodies;
  std::size_t count, filled;

  double placed[place::count][block], a[body::count][block], b[body::count][block];
  double given[force::count][block];
  double v_t[3][block], f_t[3][block], slipping[block];
  double normal[block], stored[2][block], heat[2][block];  // of the normal law and of friction
  bool same_bodies, deep;  // whether all have the same bodies, and a positive depth

  Contact& contact(std::size_t k) const noexcept { return contacts[std::min(k, count - 1)]; }

  template <class Lanes, std::size_t columns>
  static Lanes3<Lanes> vector(const double (&from)[columns][block], std::size_t i, std::size_t k) noexcept {
    return {load<Lanes>(from[i] + k), load<Lanes>(from[i + 1] + k), load<Lanes>(from[i + 2] + k)};
  }
  template <class Lanes, std::size_t columns>
  static void put(double (&to)[columns][block], std::size_t i, std::size_t k, const Lanes3<Lanes>& a) noexcept {
    store(to[i] + k, a.x), store(to[i + 1] + k, a.y), store(to[i + 2] + k, a.z);
  }
  static VectorColumns vectors(double (*columns)[block]) noexcept { return {columns[0], columns[1], columns[2]}; }
};

// Velocities of a body in all lanes, or of one body in each.
template <class Lanes>
struct Motion {
  Lanes3<Lanes> v, w;

  explicit Motion(const BodyState& of) noexcept
      : v(math::in_all_lanes<Lanes>(of.v_WB)), w(math::in_all_lanes<Lanes>(of.w_WB)) {}
  Motion(const double (&columns)[body::count][block], std::size_t k) noexcept
      : v(Columns::vector<Lanes>(columns, body::v, k)), w(Columns::vector<Lanes>(columns, body::w, k)) {}
};

// Reads the contacts, and computes their velocities as `set_velocity`.
struct Velocities {
  static void read(Columns& c, std::size_t k) noexcept {
    const Contact &c0 = c.contact(k), &c1 = c.contact(k + 1), &c2 = c.contact(k + 2), &c3 = c.contact(k + 3);
    const auto row = [](const Contact& of) { return row_of(of, place::first); };
    const auto bristle = [](const Contact& of) { return row_of(of, force::first + force::z); };
    math::columns_of_four<place::count>({row(c0), row(c1), row(c2), row(c3)}, c.placed[0] + k, block);
    math::four_columns({bristle(c0), bristle(c1), bristle(c2), bristle(c3)}, c.given[force::z] + k, block);
    for (std::size_t i = k; i < k + 4; ++i) {
      const Contact& of = c.contact(i);
      c.given[force::load_share][i] = of.load_share;
      c.slipping[i] = of.slipping;
    }
    if (c.same_bodies) return;
    const auto state = [&](std::int32_t i) { return row_of(c.bodies[i], body::first); };
    math::columns_of_four<body::count>({state(c0.body_a), state(c1.body_a), state(c2.body_a), state(c3.body_a)},
                                       c.a[0] + k, block);
    math::columns_of_four<body::count>({state(c0.body_b), state(c1.body_b), state(c2.body_b), state(c3.body_b)},
                                       c.b[0] + k, block);
  }

  static bool have_same_bodies(const Columns& c) noexcept {
    const Contact& first = *c.contacts;
    return std::all_of(c.contacts, c.contacts + c.count,
                       [&](const Contact& of) { return of.body_a == first.body_a && of.body_b == first.body_b; });
  }

  template <class Lanes>
  static void run(Columns* of) noexcept {
    Columns& c = *of;
    c.same_bodies = have_same_bodies(c);
    for (std::size_t k = 0; k < c.filled; k += 4) read(c, k);
    const Lanes none = {};
    Lanes deep = none + 1.0;
    Motion<Lanes> A(c.bodies[c.contacts->body_a]), B(c.bodies[c.contacts->body_b]);
    for (std::size_t k = 0; k < c.filled; k += lanes<Lanes>) {
      if (!c.same_bodies) A = Motion<Lanes>(c.a, k), B = Motion<Lanes>(c.b, k);
      const Lanes3<Lanes> n = c.vector<Lanes>(c.placed, place::n, k);
      const Lanes3<Lanes> v = (B.v - A.v) + (cross(B.w, c.vector<Lanes>(c.placed, place::p_BC, k)) -
                                             cross(A.w, c.vector<Lanes>(c.placed, place::p_AC, k)));
      const Lanes rate = -eigen_dot(v, n), apart = -rate;
      store(c.given[force::rate] + k, rate);
      c.put(c.given, force::v, k, v);
      c.put(c.v_t, 0, k, v - apart * n);
      deep *= less(none, load<Lanes>(c.placed[place::depth] + k));
    }
    c.deep = !math::any(math::is_not(deep));
  }
};

// Adds the forces, and writes the contacts.
struct Forces {
  static void write(const Columns& c, std::size_t k) noexcept {
    Contact spare[4];
    const auto row = [&](std::size_t i) noexcept {
      return row_of(k + i < c.count ? c.contacts[k + i] : spare[i], force::first);
    };
    math::rows_of_four<16>(c.given[0] + k, block, {row(0), row(1), row(2), row(3)});
    for (std::size_t i = k; i < std::min(k + 4, c.count); ++i) {
      c.contacts[i].z_W[2] = c.given[force::z + 2][i];
      c.contacts[i].slipping = c.slipping[i] != 0.0;
    }
  }

  template <class Lanes>
  static void run(Columns* of) noexcept {
    Columns& c = *of;
    const Lanes none = {};
    for (std::size_t k = 0; k < c.filled; k += lanes<Lanes>) {
      const auto sum = [&](const double (&parts)[2][block]) {
        return load<Lanes>(parts[0] + k) + none + load<Lanes>(parts[1] + k) + none;
      };
      const Lanes share = load<Lanes>(c.given[force::load_share] + k), normal = share * load<Lanes>(c.normal + k);
      const Lanes t = share * none;
      store(c.given[force::normal] + k, normal);
      c.put(c.given, force::f, k,
            normal * c.vector<Lanes>(c.placed, place::n, k) + share * c.vector<Lanes>(c.f_t, 0, k));
      c.put(c.given, force::t, k, Lanes3<Lanes>{t, t, t});
      store(c.given[force::stored] + k, Lanes(share * sum(c.stored)));
      store(c.given[force::heat] + k, Lanes(share * (load<Lanes>(c.heat[0] + k) + load<Lanes>(c.heat[1] + k) + none)));
    }
    for (std::size_t k = 0; k < c.filled; k += 4) write(c, k);
  }
};

}  // namespace

bool apply_in_lanes(const Model& model, Data& data, Contact* contacts, std::size_t count, double h) noexcept {
  const Law& row = model.laws[contacts->law];
  const LawParameters& parameters = data.laws()[contacts->law];
  Columns c;
  c.contacts = contacts, c.bodies = data.bodies(), c.count = count, c.filled = count <= 4 ? 4 : (count + 7) / 8 * 8;
  math::in_lanes<Velocities>(c.filled, &c);
  if (!c.deep) return false;
  const NormalBlock pressing{c.placed[place::depth], c.given[force::rate], c.normal, c.stored[0], c.heat[0], c.filled};
  normal_laws[row.normal].force.many(pressing, parameters.normal, {row.curve.data(), row.curve.size()});
  const FrictionColumns sliding{c.vectors(c.v_t), c.normal,         c.vectors(c.given + force::z),
                                c.slipping,       c.vectors(c.f_t), c.stored[1],
                                c.heat[1],        c.filled};
  friction_laws[row.friction].force.in_space(sliding, h, parameters.friction);
  math::in_lanes<Forces>(c.filled, &c);
  return true;
}

}  // namespace contactlib::step

#include "quadrature.hpp"

#include <cstddef>

namespace contactlib::geometry {

namespace {

using Point = Quadrature::Point;

// Orbits of a point under the symmetries of a triangle: one, three or six points.
template <std::size_t count>
struct Table {
  Point points[count] = {};
  std::size_t filled = 0;

  constexpr void add(double a, double b, double c, double weight) noexcept { points[filled++] = {a, b, c, weight}; }
  constexpr void centre(double weight) noexcept { add(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, weight); }
  constexpr void three(double b, double weight) noexcept {
    const double a = 1.0 - 2.0 * b;
    add(a, b, b, weight), add(b, a, b, weight), add(b, b, a, weight);
  }
  constexpr void six(double a, double b, double weight) noexcept {
    const double c = 1.0 - a - b;
    add(a, b, c, weight), add(b, a, c, weight), add(a, c, b, weight);
    add(c, a, b, weight), add(b, c, a, weight), add(c, b, a, weight);
  }
};

// D. A. Dunavant, High degree efficient symmetrical Gaussian quadrature rules for the triangle, Int. J. Numer. Methods
// Eng. 21 (1985) 1129-1148; the digits beyond his solve the same equations.
constexpr Table<3> degree_2() noexcept {
  Table<3> t;
  t.three(1.0 / 6.0, 1.0 / 3.0);
  return t;
}
constexpr Table<6> degree_4() noexcept {
  Table<6> t;
  t.three(0.4459484909159648, 0.22338158967801136);
  t.three(0.0915762135097708, 0.10995174365532197);
  return t;
}
constexpr Table<12> degree_6() noexcept {
  Table<12> t;
  t.three(0.24928674517089516, 0.1167862757264052);
  t.three(0.06308901449150539, 0.050844906370211315);
  t.six(0.05314504984480613, 0.31035245103379616, 0.0828510756183584);
  return t;
}
constexpr Table<16> degree_8() noexcept {
  Table<16> t;
  t.centre(0.14431560767779614);
  t.three(0.4592925882927334, 0.09509163426727647);
  t.three(0.1705693077517756, 0.10321737053471029);
  t.three(0.05054722831703039, 0.032458497623196046);
  t.six(0.008394777409981263, 0.2631128296345906, 0.027230314174442567);
  return t;
}

// Gauss and Legendre's rule on [0, 1] with ten points, for the square that a triangle is the half of:
//   a = u, b = (1 - u) v, c = (1 - u)(1 - v), dA = 2 (1 - u) du dv
constexpr int lines = 10;
constexpr double nodes[lines / 2][2] = {{0.14887433898163122, 0.29552422471475287},
                                        {0.4333953941292472, 0.26926671930999635},
                                        {0.6794095682990244, 0.21908636251598204},
                                        {0.8650633666889845, 0.1494513491505806},
                                        {0.9739065285171717, 0.06667134430868814}};

constexpr Table<lines * lines> degree_18() noexcept {
  Table<lines * lines> t;
  const auto at = [](int i) { return 0.5 + (i % 2 ? 0.5 : -0.5) * nodes[i / 2][0]; };
  for (int i = 0; i < lines; ++i)
    for (int j = 0; j < lines; ++j) {
      const double u = at(i), v = at(j);
      t.add(u, (1.0 - u) * v, (1.0 - u) * (1.0 - v), 0.5 * nodes[i / 2][1] * nodes[j / 2][1] * (1.0 - u));
    }
  return t;
}

constexpr Table<3> table_2 = degree_2();
constexpr Table<6> table_4 = degree_4();
constexpr Table<12> table_6 = degree_6();
constexpr Table<16> table_8 = degree_8();
constexpr Table<lines * lines> table_18 = degree_18();

constexpr Quadrature rules[] = {{2, 3, table_2.points},
                                {4, 6, table_4.points},
                                {6, 12, table_6.points},
                                {8, 16, table_8.points},
                                {18, lines * lines, table_18.points}};

}  // namespace

const Quadrature& quadrature(int degree) noexcept {
  const Quadrature* rule = rules;
  while (rule->degree < degree) ++rule;
  return *rule;
}

}  // namespace contactlib::geometry

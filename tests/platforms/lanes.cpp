// The loops in lanes against the functions for one pair or one contact, bit for bit: usual placements, placements on the
// borders of the regions, and numbers that are odd or none. Argument: how many of each kind. Prints for each kind how many
// there were, how many of them touch, and the number of lanes.
#include "lanes.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "geometry/ball_loop.hpp"
#include "geometry/pairs.hpp"
#include "geometry/plane.hpp"
#include "geometry/rod_loop.hpp"
#include "geometry/socket/socket.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/round.hpp"
#include "geometry/sweep/triangle.hpp"
#include "law/laws.hpp"
#include "math/lanes.hpp"

using namespace contactlib;
using namespace contactlib::geometry;

namespace {

struct Case {
  Shape A{}, B{};
  Placement X;

  // A's axes in B are R, its origin is p_BA_B; B is turned any way round.
  void place(const Mat3& R_BA, const Vec3& p_BA_B, bool turned) {
    X.R_WB = turned ? any_rotation() : Mat3(Mat3::Identity());
    X.R_WA = X.R_WB * R_BA;
    X.p_AB_W = -(X.R_WB * p_BA_B);
    X.hint_W.setZero();
  }
};

// ---- a capsule in a socket -----------------------------------------------------------------------

void capsule_and_socket(Case& c) {
  const double R = 0.0175, clearance = any_of({0.2e-3, 0.2e-3, 0.2e-3, 2e-3, 0.0, -1e-3});
  const double sizes[] = {0.1, 0.12, 0.0725, R, 0.05, 4.0};
  std::copy(sizes, sizes + 6, c.B.size);
  c.B.rim = engine() % 16 ? RimMethod::exact : RimMethod::subdivision;
  c.A.kind = engine() % 8 ? ShapeKind::capsule : ShapeKind::segment;
  c.A.size[0] = c.A.kind == ShapeKind::capsule ? R - clearance : 0.0;
  c.A.size[1] = any_of({0.06, 0.06, 0.06, 0.01, 0.15, 0.0});
}

// The tip and the axis at the mouth near the hole's axis.
void insert(Case& c, bool on_grid) {
  capsule_and_socket(c);
  const double most = any_of({0.3e-3, 0.3e-3, 3e-3, 0.02}), half = 0.5 * c.A.size[1];
  Vec3 tip(uniform(-most, most), uniform(-most, most), -uniform(-0.02, 0.052)), mouth = vector(most);
  if (on_grid) {
    tip = {any_of({0.0, -0.0, 0.2e-3, -0.2e-3, 0.05}), any_of({0.0, -0.0, 0.2e-3}),
           any_of({0.0, -0.0, -0.05, -0.0502, c.A.size[0], -c.A.size[1]})};
    mouth = {tip[0], tip[1], 0.0};
  }
  mouth[2] = 0.0;
  Vec3 d = engine() % 2 ? Vec3(mouth - tip) : Vec3(tip - mouth);
  d = d.norm() > 1e-6 && !on_grid ? Vec3(d.normalized()) : Vec3(0.0, 0.0, any_of({1.0, -1.0}));
  Mat3 R_BA = Mat3::Identity();
  R_BA.col(2) = d;
  R_BA.col(0) = (engine() % 2 ? Vec3::UnitX() : Vec3::UnitY()).cross(d);
  R_BA.col(1) = d.cross(R_BA.col(0));
  c.place(R_BA, tip + (d[2] > 0.0 ? half : -half) * d, !on_grid);
}

using Draw = void (*)(Case& c);

void in_hole(Case& c) { insert(c, false); }
void on_borders(Case& c) { insert(c, true); }
void at_socket(Case& c) {
  capsule_and_socket(c);
  c.place(any_rotation(), vector(any_of({0.02, 0.1, 0.2})), true);
}
void square_at_socket(Case& c) {
  capsule_and_socket(c);
  c.place(square(),
          0.0025 * Vec3(static_cast<double>(engine() % 81) - 40.0, static_cast<double>(engine() % 81) - 40.0,
                        static_cast<double>(engine() % 81) - 60.0),
          false);
}

// Replaces one to three numbers of the placement or the sizes, of which B has `of_B`.
void make_odd(Case& c, std::size_t of_B) {
  for (std::size_t k = 1 + engine() % 3; k > 0; --k) {
    const std::size_t i = engine() % (23 + of_B);
    double* const where = i < 9    ? c.X.R_WA.data() + i
                          : i < 18 ? c.X.R_WB.data() + (i - 9)
                          : i < 21 ? c.X.p_AB_W.data() + (i - 18)
                          : i < 23 ? c.A.size + (i - 21)
                                   : c.B.size + (i - 23);
    *where = odd();
  }
}

void odd_at_socket(Case& c) {
  engine() % 2 ? in_hole(c) : at_socket(c);
  make_odd(c, 5);
}

// ---- capsules against planes and each other --------------------------------------------------------

void rod(Shape& shape) {
  shape.kind = engine() % 4 ? ShapeKind::capsule : ShapeKind::segment;
  shape.size[0] = shape.kind == ShapeKind::capsule ? any_of({0.05, 0.05, 0.01}) : 0.0;
  shape.size[1] = any_of({0.2, 0.2, 0.5, 0.0});
}

void any_rods(Case& c) {
  rod(c.A), rod(c.B);
  c.place(any_rotation(), vector(any_of({0.05, 0.1, 0.3})), true);
}

// Side by side or at right angles, on a grid whose step is a quarter of a length, also with crossing axes.
void square_rods(Case& c) {
  rod(c.A), rod(c.B);
  c.place(square(),
          0.05 * Vec3(static_cast<double>(engine() % 9) - 4.0, static_cast<double>(engine() % 3) - 1.0,
                      static_cast<double>(engine() % 9) - 4.0),
          engine() % 2 == 0);
}

void odd_rods(Case& c) {
  engine() % 2 ? any_rods(c) : square_rods(c);
  make_odd(c, 2);
}

// ---- capsules against triangles --------------------------------------------------------------------

void rod_on_triangle(Case& c) {
  rod(c.A);
  c.B.kind = ShapeKind::triangle;
  c.B.surface = &triangle();
}

void any_on_triangle(Case& c) {
  rod_on_triangle(c);
  c.place(any_rotation(), vector(any_of({0.05, 0.1, 0.2})), true);
}

// In the sheet, along a side or across it, on a grid of corners and radii.
void square_on_triangle(Case& c) {
  rod_on_triangle(c);
  c.place(square(),
          0.05 * Vec3(static_cast<double>(engine() % 9) - 4.0, static_cast<double>(engine() % 7) - 3.0,
                      static_cast<double>(engine() % 5) - 2.0),
          engine() % 2 == 0);
}

void odd_on_triangle(Case& c) {
  engine() % 2 ? any_on_triangle(c) : square_on_triangle(c);
  make_odd(c, 0);
}

// ---- capsules against boxes ------------------------------------------------------------------------

void rod_on_box(Case& c) {
  rod(c.A);
  c.B.kind = ShapeKind::box;
  c.B.size[0] = any_of({0.2, 0.1, 0.02}), c.B.size[1] = any_of({0.2, 0.3}), c.B.size[2] = any_of({0.1, 0.1, 0.0});
}

void any_on_box(Case& c) {
  rod_on_box(c);
  c.place(any_rotation(), vector(any_of({0.05, 0.15, 0.3})), true);
}

// Along edges or across them, on a grid of faces, edges, corners and radii.
void square_on_box(Case& c) {
  rod_on_box(c);
  c.place(square(),
          0.05 * Vec3(static_cast<double>(engine() % 9) - 4.0, static_cast<double>(engine() % 9) - 4.0,
                      static_cast<double>(engine() % 7) - 3.0),
          engine() % 2 == 0);
}

// The axis in a plane that edges span or cross at 45 degrees, through an edge or a corner or at the distance of a radius.
void diagonal_on_box(Case& c) {
  rod_on_box(c);
  const Vec3 d = Vec3(any_of({-1.0, 0.0, 1.0}), any_of({-1.0, 0.0, 1.0}), any_of({-1.0, 1.0})).normalized();
  Mat3 R_BA;
  R_BA << d.unitOrthogonal(), d.cross(d.unitOrthogonal()), d;
  const Vec3 side(any_of({-0.5, 0.0, 0.5}), any_of({-0.5, 0.5}), any_of({-0.5, 0.5}));
  const Vec3 at = side.cwiseProduct(Vec3(c.B.size[0], c.B.size[1], c.B.size[2]));
  c.place(R_BA, at + any_of({0.0, 0.0, 0.05, 0.1}) * d + any_of({0.0, c.A.size[0], 1e-9}) * R_BA.col(0),
          engine() % 2 == 0);
}

void odd_on_box(Case& c) {
  engine() % 2 ? any_on_box(c) : square_on_box(c);
  make_odd(c, 3);
}

// ---- balls -----------------------------------------------------------------------------------------

template <ShapeKind kind>
void ball_on(Case& c) {
  draw_ball(kind, c.A, c.B);
  c.X = ball_placement(kind);
}

// ---- the comparison ------------------------------------------------------------------------------

// Returns the number of contacts, or -1 after it has printed the first difference.
long compare(Kernel kernel, PairLoop loop, const std::vector<Case>& cases) {
  const std::size_t n = cases.size();
  std::vector<const Shape*> A, B;
  std::vector<Placement> X;
  const std::uint64_t run = 1 + 15 * (engine() % 2);  // how many pairs share a shape B, on average
  for (const Case& c : cases) {
    A.push_back(&c.A), X.push_back(c.X);
    B.push_back(B.empty() || engine() % run == 0 ? &c.B : B.back());
  }
  std::vector<ManifoldPoint> points(n * Manifold::max_points);
  std::vector<PairContacts> found(n);
  loop(A.data(), B.data(), X.data(), n, points.data(), found.data());
  const ManifoldPoint* at = points.data();
  for (std::size_t i = 0; i < n; ++i) {
    ManifoldPoint expected[Manifold::max_points];
    Manifold out{expected, Manifold::max_points};
    kernel(*A[i], *B[i], X[i], out);
    const bool is_known = std::isfinite(out.gap);  // else a loop may tell another one
    bool alike = out.count == found[i].count && (!is_known || found[i].gap == out.gap);
    for (int k = 0; alike && k < out.count; ++k) alike = same(at[k], expected[k]);
    if (!alike) {
      std::printf("placement %zu: %d contacts, gap %.17g; the kernel has %d, %.17g\n", i, found[i].count, found[i].gap,
                  out.count, out.gap);
      for (int k = 0; k < out.count; ++k)
        std::printf("  %d %.17g %.17g\n", expected[k].feature, expected[k].depth, expected[k].n_AB_W[0]);
      for (int k = 0; k < found[i].count; ++k)
        std::printf("  %d %.17g %.17g\n", at[k].feature, at[k].depth, at[k].n_AB_W[0]);
      return -1;
    }
    at += found[i].count;
  }
  return at - points.data();
}

struct Pair {
  const char* name;
  Kernel kernel;
  PairLoop loop;
  std::vector<Draw> draws;
};

const Pair pairs[] = {
    {"capsule socket",
     capsule_socket,
     capsule_socket_loop,
     {in_hole, in_hole, in_hole, on_borders, at_socket, square_at_socket, odd_at_socket}},
    {"capsule plane", capsule_plane, capsule_plane_loop, {any_rods, any_rods, square_rods, odd_rods}},
    {"capsule capsule", capsule_capsule, capsule_capsule_loop, {any_rods, any_rods, square_rods, odd_rods}},
    {"capsule triangle",
     capsule_triangle,
     capsule_triangle_loop,
     {any_on_triangle, any_on_triangle, square_on_triangle, odd_on_triangle}},
    {"capsule box",
     capsule_box,
     capsule_box_loop,
     {any_on_box, any_on_box, square_on_box, diagonal_on_box, odd_on_box}},
    {"balls capsule", sphere_capsule, sphere_capsule_pairs, {ball_on<ShapeKind::capsule>}},
    {"balls box", sphere_box, sphere_box_pairs, {ball_on<ShapeKind::box>}},
    {"balls triangle", sphere_triangle, sphere_triangle_pairs, {ball_on<ShapeKind::triangle>}},
};

bool pair_alike(const Pair& pair, long wanted) {
  long contacts = 0, placements = 0;
  while (placements < wanted) {
    std::vector<Case> cases(1 + engine() % 150);  // of all numbers of lanes
    for (Case& c : cases) pair.draws[engine() % pair.draws.size()](c);
    const long found = compare(pair.kernel, pair.loop, cases);
    if (found < 0) return false;
    contacts += found;
    placements += static_cast<long>(cases.size());
  }
  std::printf("%s: %ld placements, %ld contacts, %d lanes\n", pair.name, placements, contacts, math::lane_count());
  return true;
}

// ---- laws ----------------------------------------------------------------------------------------

// A number of the given size, sometimes zero or odd.
double number(double size) {
  const std::uint64_t kind = engine() % 64;
  return kind == 0 ? odd() : kind < 3 ? 0.0 : uniform(-size, size);
}

using law::Bristle, law::FrictionForce, law::FrictionRow, law::NormalForce, law::NormalRow;

constexpr std::size_t most = 150;
struct Points {
  double depth[most], rate[most], force[most], v_x[most], v_y[most], bristles[3 * most];
  double normal[3][most] = {}, friction[4][most] = {};

  Points() {
    for (std::size_t i = 0; i < most; ++i) {
      depth[i] = number(1e-3), rate[i] = number(0.1), force[i] = std::abs(number(10.0));
      const double fast = any_of({1e-3, 0.1});
      v_x[i] = number(fast), v_y[i] = number(fast);
      bristles[3 * i] = number(1e-4), bristles[3 * i + 1] = number(1e-4), bristles[3 * i + 2] = any_of({0.0, 1.0});
      friction[2][i] = number(1.0), friction[3][i] = number(1.0);
    }
  }
};

bool normal_alike(const NormalRow& row, long wanted) {
  constexpr law::CurvePoint raw[] = {{1e-4, 1.0}, {5e-4, 8.0}};
  static law::CurvePoint points[] = {raw[0], raw[1]};
  law::complete_curve(points, 2);
  const law::Curve curve{points, 2};
  for (long done = 0; done < wanted; done += most) {
    Points p;
    const double parameters[] = {uniform(1.0, 1e5), any_of({1.0, 1.5, 2.0, 1.7}), uniform(0.0, 10.0), 0.0};
    const std::size_t count = 1 + engine() % most;
    row.force.many({p.depth, p.rate, p.normal[0], p.normal[1], p.normal[2], count}, parameters, curve);
    for (std::size_t i = 0; i < count; ++i) {
      NormalForce one{0.0, 0.0, 0.0};
      if (p.depth[i] > 0.0) one = row.force({p.depth[i], p.rate[i], curve}, parameters);
      const double many[] = {p.normal[0][i], p.normal[1][i], p.normal[2][i]};
      if (!equal(many, &one.force, 3)) return std::printf("%s: point %zu\n", row.name, i), false;
    }
  }
  return std::printf("%s: %ld points\n", row.name, wanted), true;
}

bool friction_alike(const FrictionRow& row, long wanted) {
  for (long done = 0; done < wanted; done += most) {
    Points p, before;
    std::memcpy(&before, &p, sizeof p);
    const std::size_t count = 1 + engine() % most;
    const double h = any_of({1e-3, 1e-3, 0.0}), mu = uniform(0.0, 1.0);
    const double parameters[] = {mu, uniform(0.0, mu), uniform(1e3, 1e5), uniform(0.0, 1e3), 1.0, 0.5, 0.2};
    row.force.many(
        {p.depth, p.force, p.v_x, p.v_y, p.bristles, p.friction[0], p.friction[1], p.friction[2], p.friction[3], count},
        h, parameters);
    const Mat3 axes = Mat3::Identity();
    for (std::size_t i = 0; i < count; ++i) {
      const double* const z = before.bristles + 3 * i;
      Bristle bristle{Vec3(z[0], z[1], 0.0), z[2] != 0.0};
      FrictionForce one{Vec3::Zero(), 0.0, 0.0};
      const bool touches = p.depth[i] > 0.0;
      if (touches)
        one =
            row.force({Vec3(p.v_x[i], p.v_y[i], 0.0), Vec3::UnitZ(), p.force[i], &axes, &axes}, h, parameters, bristle);
      else
        bristle = {Vec3::Zero(), false};
      const double many[] = {p.bristles[3 * i], p.bristles[3 * i + 1], p.bristles[3 * i + 2], p.friction[0][i],
                             p.friction[1][i],  p.friction[2][i],      p.friction[3][i]};
      const double alone[] = {bristle.z_W[0],
                              bristle.z_W[1],
                              bristle.slipping ? 1.0 : 0.0,
                              one.f_t_W[0],
                              one.f_t_W[1],
                              before.friction[2][i] + one.stored,
                              before.friction[3][i] + one.heat};
      for (int k = 0; k < 7; ++k)
        if (!equal(many + k, alone + k, 1))
          return std::printf("%s: point %zu, number %d: %.17g, alone %.17g\n", row.name, i, k, many[k], alone[k]),
                 false;
    }
  }
  return std::printf("%s: %ld points\n", row.name, wanted), true;
}

}  // namespace

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 100000;
  bool alike = true;
  for (const Pair& pair : pairs) alike = pair_alike(pair, wanted) && alike;
  alike = balls_alike(wanted) && alike;
  for (int i = 0; i < law::normal_law_count; ++i) alike = normal_alike(law::normal_laws[i], wanted) && alike;
  for (int i = 0; i < law::friction_law_count; ++i) alike = friction_alike(law::friction_laws[i], wanted) && alike;
  return alike ? 0 : 1;
}

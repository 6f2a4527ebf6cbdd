// THE PAIR TABLE: which kernel answers for which two kinds of shape, and how many contacts it can make.
#include "pairs.hpp"

#include <algorithm>

#include "ball_loop.hpp"
#include "geometry/convex/convex.hpp"
#include "geometry/manifold/columns.hpp"
#include "geometry/mesh/mesh.hpp"
#include "geometry/overlap/cylinder.hpp"
#include "geometry/overlap/faces.hpp"
#include "geometry/overlap/mesh_solid.hpp"
#include "geometry/overlap/round_mesh.hpp"
#include "geometry/socket/socket.hpp"
#include "geometry/socket/solids.hpp"
#include "geometry/sweep/box.hpp"
#include "geometry/sweep/cylinder.hpp"
#include "geometry/sweep/ellipsoid.hpp"
#include "geometry/sweep/polyhedron.hpp"
#include "geometry/sweep/round.hpp"
#include "geometry/sweep/triangle.hpp"
#include "plane.hpp"
#include "rod_loop.hpp"

namespace contactlib::geometry {

const char* const shape_names[] = {"point", "sphere",   "segment",    "capsule", "triangle", "ellipsoid",
                                   "box",   "cylinder", "polyhedron", "socket",  "mesh",     "plane"};
static_assert(sizeof shape_names / sizeof *shape_names == shape_kinds);

namespace {

constexpr PairRow none{nullptr, 0, false, nullptr};

// Rows by the number of contacts; `follow`: warm-started from the normal of the last contact.
constexpr PairRow one(Kernel kernel, KernelLoop loop = nullptr, PairLoop pairs = nullptr) noexcept {
  return {kernel, 1, false, loop, pairs};
}
constexpr PairRow two(Kernel kernel, PairLoop pairs = nullptr) noexcept { return {kernel, 2, false, nullptr, pairs}; }
constexpr PairRow few(Kernel kernel, PairLoop pairs = nullptr) noexcept {
  return {kernel, Manifold::max_points, false, nullptr, pairs};
}
constexpr PairRow any(Kernel kernel) noexcept { return {kernel, many, false, nullptr}; }
constexpr PairRow follow(Kernel kernel, int most, PairLoop pairs = nullptr) noexcept {
  return {kernel, most, true, nullptr, pairs};
}

// A surface contact, one record per pair.
constexpr PairRow surface(SurfaceKernel kernel, Kernel rounded) noexcept {
  return {rounded, 1, false, nullptr, nullptr, kernel};
}

// A ball or a capsule on a rounded box or polyhedron meets its core with a radius that is larger by the rounding. The
// surfaces of both are then the rounding nearer to A than those that the kernel has met.
template <Kernel on_core>
void on_rounded(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const double r = swept_radius(B);
  if (!(r > 0.0)) return on_core(A, B, X, out);
  Shape thicker = A;
  thicker.size[0] += r;
  on_core(thicker, B, X, out);
  for (ManifoldPoint* point = out.points; point < out.points + out.count; ++point) point->p_AC_W -= r * point->n_AB_W;
}

template <KernelLoop on_core>
void on_rounded_loop(const Shape& A, const Shape& B, const Placement* X, std::size_t count,
                     const ContactColumns& out) noexcept {
  const double r = swept_radius(B);
  if (!(r > 0.0)) return on_core(A, B, X, count, out);
  Shape thicker = A;
  thicker.size[0] += r;
  on_core(thicker, B, X, count, out);
  ContactColumns each = out;
  for (std::size_t k = 0; k < count; ++k) Vec3::Map(each.p_AC_W.next()) -= r * Vec3::Map(each.n_AB_W.next());
}

template <Kernel on_core, PairLoop loop>
void on_rounded_pairs(const Shape* const* A, const Shape* const* B, const Placement* X, std::size_t count,
                      ManifoldPoint* points, PairContacts* found) noexcept {
  if (std::none_of(B, B + count, [](const Shape* b) noexcept { return swept_radius(*b) > 0.0; }))
    return loop(A, B, X, count, points, found);
  one_by_one<on_rounded<on_core>>(A, B, X, count, points, found);
}

// A point is a sphere of radius 0, a segment is a capsule of radius 0.
constexpr PairRow ball_ball = one(sphere_sphere, sphere_sphere_loop),
                  ball_rod = one(sphere_capsule, sphere_capsule_loop, sphere_capsule_pairs),
                  ball_tri = one(sphere_triangle, sphere_triangle_loop, sphere_triangle_pairs),
                  ball_ell = one(sphere_ellipsoid),
                  ball_box = one(on_rounded<sphere_box>, on_rounded_loop<sphere_box_loop>,
                                 on_rounded_pairs<sphere_box, sphere_box_pairs>),
                  ball_cyl = one(sphere_cylinder), ball_hull = one(on_rounded<sphere_polyhedron>),
                  ball_hole = one(sphere_socket, sphere_socket_loop), spot_mesh = any(nearest_ball_mesh),
                  ball_mesh = any(sphere_mesh), ball_flat = one(sphere_plane, sphere_plane_loop);
constexpr PairRow rod_rod = few(capsule_capsule, capsule_capsule_loop),
                  rod_tri = few(capsule_triangle, capsule_triangle_loop), stick_tri = surface(capsule_polytope, capsule_triangle), stick_cyl = surface(capsule_cylinder, capsule_cylinder), rod_ell = one(capsule_ellipsoid),
                  rod_box = few(on_rounded<capsule_box>, on_rounded_pairs<capsule_box, capsule_box_loop>),
                  stick_box = surface(capsule_polytope, on_rounded<capsule_box>),
                  rod_cyl = few(capsule_cylinder), rod_hull = few(on_rounded<capsule_polyhedron>),
                  stick_hull = surface(capsule_polytope, on_rounded<capsule_polyhedron>),
                  rod_hole = few(capsule_socket, capsule_socket_loop), rod_mesh = surface(capsule_mesh, sweep_mesh),
                  line_mesh = any(sweep_mesh), rod_flat = two(capsule_plane, capsule_plane_loop);
constexpr PairRow facets = surface(polytope_polytope, convex_convex), drum = surface(cylinder_polytope, convex_convex);
constexpr PairRow convex = follow(convex_convex, Manifold::max_points, convex_convex_loop),
                  solid_ell = follow(convex_convex, 1), sheet_mesh = any(triangle_mesh), hull_mesh = surface(solid_mesh, convex_mesh),
                  grid_mesh = surface(solid_mesh, mesh_mesh), poly_hole = any(polytope_socket);

// clang-format off
constexpr PairRow table[shape_kinds][shape_kinds] = {
  //                 point sphere     segment   capsule   triangle  ellipsoid  box       cylinder  polyhedron socket     mesh                  plane
  /* point      */ {none, ball_ball, none,     ball_rod, none,     ball_ell,  ball_box, ball_cyl, ball_hull, ball_hole, spot_mesh,            ball_flat},
  /* sphere     */ {none, ball_ball, ball_rod, ball_rod, ball_tri, ball_ell,  ball_box, ball_cyl, ball_hull, ball_hole, ball_mesh,            ball_flat},
  /* segment    */ {none, none,      none,     rod_rod,  rod_tri,  rod_ell,   rod_box,  rod_cyl,  rod_hull,  rod_hole,  line_mesh,            rod_flat},
  /* capsule    */ {none, none,      none,     rod_rod,  stick_tri,  rod_ell,   stick_box,  stick_cyl,  stick_hull,  rod_hole,  rod_mesh,             surface(capsule_plane, capsule_plane)},
  /* triangle   */ {none, none,      none,     none,     convex,   solid_ell, facets,   surface(triangle_cylinder, convex_convex),   facets,    poly_hole, sheet_mesh,            surface(polytope_plane, triangle_plane)},
  /* ellipsoid  */ {none, none,      none,     none,     none,     solid_ell, solid_ell,solid_ell,solid_ell, any(ellipsoid_socket), surface(ellipsoid_mesh, curved_mesh), one(ellipsoid_plane)},
  /* box        */ {none, none,      none,     none,     none,     none,      facets,   drum,     facets,    poly_hole, hull_mesh,            surface(polytope_plane, box_plane)},
  /* cylinder   */ {none, none,      none,     none,     none,     none,      none,     surface(cylinder_cylinder, convex_convex),   drum,      any(cylinder_socket), surface(cylinder_mesh, cylinder_mesh),   surface(cylinder_plane, cylinder_plane)},
  /* polyhedron */ {none, none,      none,     none,     none,     none,      none,     none,     facets,    poly_hole, hull_mesh,            surface(polytope_plane, polyhedron_plane)},
  /* socket     */ {none, none,      none,     none,     none,     none,      none,     none,     none,      any(socket_socket), any(socket_mesh),     few(socket_plane)},
  /* mesh       */ {none, none,      none,     none,     none,     none,      none,     none,     none,      none,      grid_mesh,            surface(polytope_plane, mesh_plane)},
  /* plane      */ {none, none,      none,     none,     none,     none,      none,     none,     none,      none,      none,                 none},
};
// clang-format on

// A row is empty, or its number of contacts fits into a manifold and its first shape is the simpler one.
constexpr bool sound() noexcept {
  for (int a = 0; a < shape_kinds; ++a)
    for (int b = 0; b < shape_kinds; ++b) {
      const int count = table[a][b].max_contacts;
      const bool fits = count == many || (count > 0 && count <= Manifold::max_points);
      if (count != 0 && (!fits || b < a)) return false;
    }
  return true;
}
static_assert(sound());

}  // namespace

const PairRow& pair_row(int row) noexcept { return table[row / shape_kinds][row % shape_kinds]; }

const PairRow& nearest_row(int row) noexcept {
  if (row == pair_row_index(ShapeKind::capsule, ShapeKind::mesh)) return line_mesh;
  if (row == pair_row_index(ShapeKind::sphere, ShapeKind::mesh)) return spot_mesh;
  return pair_row(row);
}

}  // namespace contactlib::geometry

// THE PAIR TABLE: which kernel answers for which two kinds of shape, and how many contacts it can make.
#include "pairs.hpp"

#include <algorithm>

#include "ball_loop.hpp"
#include "geometry/convex/convex.hpp"
#include "geometry/manifold/columns.hpp"
#include "geometry/mesh/mesh.hpp"
#include "geometry/overlap/faces.hpp"
#include "geometry/overlap/round/cylinder.hpp"
#include "geometry/overlap/round/round_mesh.hpp"
#include "geometry/overlap/round/rounded.hpp"
#include "geometry/overlap/round/sphere_mesh.hpp"
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

// A surface contact, one record per pair. `rounded`: of a rounded box or polyhedron, which has points.
constexpr PairRow surface(SurfaceKernel kernel, Kernel rounded = nullptr) noexcept {
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
                  ball_cyl = one(sphere_cylinder), ball_poly = one(on_rounded<sphere_polyhedron>),
                  ball_sock = one(sphere_socket, sphere_socket_loop), point_mesh = any(nearest_ball_mesh),
                  ball_mesh = any(sphere_mesh), ball_pla = one(sphere_plane, sphere_plane_loop);
constexpr PairRow rod_rod = few(capsule_capsule, capsule_capsule_loop), rod_ell = one(capsule_ellipsoid),
                  rod_sock = few(capsule_socket, capsule_socket_loop),
                  seg_tri = few(capsule_triangle, capsule_triangle_loop),
                  seg_box = few(on_rounded<capsule_box>, on_rounded_pairs<capsule_box, capsule_box_loop>),
                  seg_cyl = few(capsule_cylinder), seg_poly = few(on_rounded<capsule_polyhedron>),
                  seg_mesh = any(sweep_mesh), seg_pla = two(capsule_plane, capsule_plane_loop);
constexpr PairRow cap_cyl = surface(capsule_cylinder), cap_poly = surface(capsule_polytope),
                  cap_mesh = surface(capsule_mesh), cap_pla = surface(capsule_plane);
constexpr PairRow ell_ell = follow(convex_convex, 1), ell_sock = any(ellipsoid_socket),
                  ell_mesh = surface(ellipsoid_mesh), ell_pla = one(ellipsoid_plane);
constexpr PairRow tri_tri = follow(convex_convex, Manifold::max_points, convex_convex_loop),
                  tri_cyl = surface(triangle_cylinder), tri_mesh = surface(solid_mesh),
                  tri_pla = surface(polytope_plane);
constexpr PairRow box_box = surface(rounded_polytope), box_cyl = surface(cylinder_polytope, convex_convex),
                  box_sock = any(polytope_socket), box_mesh = surface(rounded_mesh), box_pla = surface(rounded_plane);
constexpr PairRow cyl_cyl = surface(cylinder_cylinder), cyl_sock = any(cylinder_socket),
                  cyl_mesh = surface(cylinder_mesh), cyl_pla = surface(cylinder_plane);
constexpr PairRow sock_sock = any(socket_socket), sock_mesh = any(socket_mesh), sock_pla = few(socket_plane),
                  grid_grid = surface(solid_mesh), mesh_pla = surface(mesh_plane);

// A triangle and a polyhedron have the rows of the box where their kernel is the same.
// clang-format off
constexpr PairRow table[shape_kinds][shape_kinds] = {
  //                 point sphere     segment   capsule   triangle  ellipsoid box      cylinder  polyhedron socket     mesh        plane
  /* point      */ {none, ball_ball, none,     ball_rod, none,     ball_ell, ball_box, ball_cyl, ball_poly, ball_sock, point_mesh, ball_pla},
  /* sphere     */ {none, ball_ball, ball_rod, ball_rod, ball_tri, ball_ell, ball_box, ball_cyl, ball_poly, ball_sock, ball_mesh,  ball_pla},
  /* segment    */ {none, none,      none,     rod_rod,  seg_tri,  rod_ell,  seg_box,  seg_cyl,  seg_poly,  rod_sock,  seg_mesh,   seg_pla},
  /* capsule    */ {none, none,      none,     rod_rod,  cap_poly, rod_ell,  cap_poly, cap_cyl,  cap_poly,  rod_sock,  cap_mesh,   cap_pla},
  /* triangle   */ {none, none,      none,     none,     tri_tri,  ell_ell,  box_box,  tri_cyl,  box_box,   box_sock,  tri_mesh,   tri_pla},
  /* ellipsoid  */ {none, none,      none,     none,     none,     ell_ell,  ell_ell,  ell_ell,  ell_ell,   ell_sock,  ell_mesh,   ell_pla},
  /* box        */ {none, none,      none,     none,     none,     none,     box_box,  box_cyl,  box_box,   box_sock,  box_mesh,   box_pla},
  /* cylinder   */ {none, none,      none,     none,     none,     none,     none,     cyl_cyl,  box_cyl,   cyl_sock,  cyl_mesh,   cyl_pla},
  /* polyhedron */ {none, none,      none,     none,     none,     none,     none,     none,     box_box,   box_sock,  box_mesh,   box_pla},
  /* socket     */ {none, none,      none,     none,     none,     none,     none,     none,     none,      sock_sock, sock_mesh,  sock_pla},
  /* mesh       */ {none, none,      none,     none,     none,     none,     none,     none,     none,      none,      grid_grid, mesh_pla},
  /* plane      */ {none, none,      none,     none,     none,     none,     none,     none,     none,      none,      none,       none},
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
  if (row == pair_row_index(ShapeKind::sphere, ShapeKind::mesh)) return point_mesh;
  const auto capsule = static_cast<int>(ShapeKind::capsule), segment = static_cast<int>(ShapeKind::segment);
  const bool of_faces = row / shape_kinds == capsule && pair_row(row).surface != nullptr;
  return pair_row(of_faces ? row + (segment - capsule) * shape_kinds : row);
}

}  // namespace contactlib::geometry

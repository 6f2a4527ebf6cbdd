// The membrane: a massless fabric on a frame of suspension points, into which a convex body is pressed. Its shape is
// the convex hull of the suspension points and of the body's corners below their plane, without the frame's own face,
// so that everything follows from the fabric's area A (in 2-D its length) as a function of the two bodies' poses:
//   a = T(A - A0) + D(A'),   f_i = -a dA/dx_i   on each of its points x_i: corners and suspension points
// (Grip et al., DETC2015-47840, in gradient form.) docs/membrane.md describes where there is fabric, and what is below.
#pragma once

#include <array>
#include <vector>

#include "base/layout.hpp"
#include "base/status.hpp"
#include "base/vectors.hpp"
#include "law/curve.hpp"

namespace contactlib::element {

using law::CurvePoint;

// Distribution of the normal force at a corner to the fabric's triangles around it, for friction.
//   bisector         half of an edge's force on each of its two sides; never negative while the fabric is in tension
//   pseudo_inverse   the paper's: least squares over all corners; may be negative, which is counted
//   complementarity  a solution without negative forces, of six triangles at most
enum class Spread : std::int32_t { bisector, pseudo_inverse, complementarity };

// Tunable. In 2-D the area is a length: N/m, N s/m, m.
struct MembraneParameters {
  double stiffness;  // N/m3, k of T = k (A - A0)
  double damping;  // N s/m3, c of D = c A'
  double rest_area;  // m2, A0
  double friction;  // mu, of the caught body on the fabric
  double slip_speed;  // m/s, > 0: Coulomb's force is reached as v/sqrt(v^2 + slip_speed^2)
};

// Tensions over area and over its rate instead of k and c: odd functions, linear pieces from (0, 0); empty: k and c.
struct MembraneProfile {
  std::vector<CurvePoint> elastic;  // N/m over A - A0, m2
  std::vector<CurvePoint> extending;  // N/m over A' > 0, m2/s
  std::vector<CurvePoint> retracting;  // N/m over -A' > 0, m2/s
};

// The caught body's own hull, made once. Half-edge 3 t + i runs from corner i of triangle t to the next one.
struct MembraneHull {
  std::vector<Vec3> p_BV;  // m, corners in the body's axes
  std::vector<std::array<std::int32_t, 3>> triangles;  // counter-clockwise as seen from outside; none in 2-D

  // Filled in by complete_membrane.
  Vec3 middle = Vec3::Zero();  // m, the mean of the corners
  std::int32_t extreme[6] = {};  // corners furthest along the axes and against them: where a search begins
  std::vector<Vec3> n;  // unit outward normals of the triangles
  std::vector<double> area;  // m2
  std::vector<std::int32_t> twin;  // the half-edge that runs back
  std::vector<double> fold;  // m, of a half-edge: l tan(delta / 2) / 2, delta the angle between normals
  std::vector<std::int32_t> first_out, out;  // half-edges that leave corner v: out[first_out[v] .. first_out[v + 1])
};

struct MembraneDesign {
  std::int32_t dimension = 3;
  std::vector<Vec3> p_CS;  // m, suspension points in the carrier's axes; counter-clockwise as seen from the body
  Vec3 up_C = Vec3::Zero();  // unit, out of the frame to the body's side; in 3-D it follows from the points
  MembraneHull hull;
  MembraneProfile profile;
  Spread spread = Spread::bisector;
  bool push = false;  // tension may be negative, as the paper has it

  // Filled in by complete_membrane.
  Vec3 p_CM = Vec3::Zero();  // m, the frame's middle: the mean of its points
  std::vector<Vec3> out_C;  // unit, from the middle to each point: reeling in moves the point against it
  std::vector<double> reach;  // m, how far that is
  double outline = 0.0;  // m2 (2-D: m), of the flat membrane as it was designed
  double size = 0.0;  // m, of the frame: twice the largest reach
};

// Reasons to refuse a design. `index` is the suspension point, or the corner or triangle of the hull.
enum class MembraneFault : std::int32_t {
  none,
  dimension,  // not 2 or 3
  too_few_points,  // fewer than 3 suspension points; in 2-D not 2
  not_finite,  // a suspension point or a corner
  coincident,  // a suspension point equals the next one, within 1e-9 of the frame's size
  not_plane,  // a suspension point is off the plane of the others by more than 1e-9 of the frame's size
  not_convex,  // a suspension point is inside the line of its neighbours, or all are on one line
  up,  // 2-D: up_C is not finite, zero, or along the line of the points
  hull,  // the hull is not closed or not convex, or has no corner
  profile,  // a table that complete_curve refuses
};
struct MembraneCheck {
  MembraneFault fault = MembraneFault::none;
  std::int32_t index = -1;
  explicit operator bool() const noexcept { return fault == MembraneFault::none; }
};

// Checks a design and fills in the derived fields. May throw std::bad_alloc: it is called while a model is read.
MembraneCheck complete_membrane(MembraneDesign& design);

// The placement of the bodies. Only differences enter, so a distant world origin costs no digits.
struct MembraneMotion {
  Mat3 R_WC, R_WB;  // carrier, caught body
  Vec3 p_CB_W;  // m, from the carrier's origin to the caught body's
  Vec3 v_CB_W;  // m/s, v_WB - v_WC
  Vec3 w_WC, w_WB;  // rad/s
  const double* reel = nullptr;  // m, how far each suspension point is drawn in towards the middle; null: none is
  const double* reel_rate = nullptr;  // m/s
};

struct MembraneResult {
  Vec3 f_B_W, t_B_W;  // N, N m on the caught body at its origin
  Vec3 f_C_W, t_C_W;  // on the carrier at its origin
  Vec3 f_normal_W;  // N, of f_B_W what friction has no part in
  Vec3 f_friction_W;  // N, the rest
  double area;  // m2 (2-D: m)
  double area_rate;  // m2/s
  double tension;  // N/m (2-D: N)
  double stored;  // J
  double heat_damping;  // W, >= 0
  double heat_friction;  // W, >= 0
  double winch_power;  // W, the power of reeling in:  d(stored)/dt + heat = winch_power - power on the two bodies
  double edge_tension;  // N, the most along any line from a suspension point to a corner; 0 unless it pulls
  double depth;  // m, of the lowest corner below the frame's plane
  std::int32_t touching;  // corners on the fabric
  std::int32_t outside;  // corners below the plane that have no fabric under them: the body reaches over the rim
  std::int32_t illegal;  // negative normal forces that pseudo_inverse returned; they have no friction
  std::int32_t unused;  // 0, fills the record
};

// A triangle of the fabric: points 0 .. n - 1 are suspension points, from n on they are corners of the body.
struct FabricTriangle {
  std::int32_t point[3];  // counter-clockwise as seen from below
  std::int32_t next[3];  // the triangle at the edge from point i to the next one; -1 at the rim
  Vec3 n_B;  // unit, down
  double fold[3];  // m, of the edge from point i to the next one: l tan(delta / 2) / 2
  double cotangent[3];  // of the angle across from that edge; of bordering triangles
};

// A normal force of one triangle on one corner.
struct CornerForce {
  std::int32_t corner;
  Vec3 n_B;  // unit, down: the direction of the body's force on the fabric
  double force;  // N
};

// All memory of an evaluation; no result of one evaluation is read by the next.
struct MembraneScratch {
  Vec3 up_B = Vec3::Zero();  // unit, out of the frame
  std::vector<Vec3> p_B;  // m, all points in B's axes: the suspension points, then the corners
  std::vector<Vec3> v_BS_B, reel_v_B;  // m/s, of the suspension points as B sees them, and by reeling alone
  std::vector<Vec3> gradient_B;  // m, dA/dx of the suspension points
  std::vector<Vec3> seen_points;  // m, 2-D: suspension points and corners along and over the frame
  double level = 0.0;  // m, of the frame's plane along up_B
  std::vector<FabricTriangle> fabric;
  std::vector<CornerForce> corner_forces;
  std::size_t triangles = 0, bordering = 0,
              corner_force_count = 0;  // bordering: the first triangles, with a suspension point
  std::vector<std::int32_t> border;  // of a bordering triangle: its half-edge of the hull, or -1
  std::vector<std::int32_t> fan;  // of a half-edge of the hull: the bordering triangle that has it, or -1
  std::vector<std::int32_t> number;  // of a triangle of the hull: its number in the fabric, or -1
  std::vector<std::int32_t> inside;  // triangles of the hull in the fabric, in order
  std::vector<std::int32_t> free, seen, fresh, begins;  // while corners are put in one by one
  std::vector<std::int32_t> below;  // corners that have fabric under them

  void make(const MembraneDesign& design);  // may throw std::bad_alloc
};

// The wrenches of one state. Index of bad_argument: the suspension point whose reel moves it to the middle or inside
// the line of its neighbours, or -1 for a parameter; of not_finite: -1.
Status membrane_wrench(const MembraneDesign& design, const MembraneParameters& parameters, const MembraneMotion& motion,
                       MembraneScratch& scratch, MembraneResult& out) noexcept;

}  // namespace contactlib::element

namespace contactlib {

CONTACTLIB_LAYOUT(element::MembraneResult, CONTACTLIB_FIELD(f_B_W), CONTACTLIB_FIELD(t_B_W), CONTACTLIB_FIELD(f_C_W),
                  CONTACTLIB_FIELD(t_C_W), CONTACTLIB_FIELD(f_normal_W), CONTACTLIB_FIELD(f_friction_W),
                  CONTACTLIB_FIELD(area), CONTACTLIB_FIELD(area_rate), CONTACTLIB_FIELD(tension),
                  CONTACTLIB_FIELD(stored), CONTACTLIB_FIELD(heat_damping), CONTACTLIB_FIELD(heat_friction),
                  CONTACTLIB_FIELD(winch_power), CONTACTLIB_FIELD(edge_tension), CONTACTLIB_FIELD(depth),
                  CONTACTLIB_FIELD(touching), CONTACTLIB_FIELD(outside), CONTACTLIB_FIELD(illegal),
                  CONTACTLIB_FIELD(unused))

}  // namespace contactlib

// THE LAW TABLES: normal force, adhesion, friction, rolling resistance and contact models. Each family has a source of
// its own with its functions and its table; a row is a law. The rows also give Python and the FMU the parameters with
// their units and ranges.
//
// What the function of a row returns: the force on B of a whole contact, which the caller scales by the contact's load
// share; `stored`, the energy that the contact can return; and `heat`, the dissipated power. The power of the bodies
// into the contact is d(stored)/dt + heat. The function allocates nothing, knows no other contact, and keeps its state
// in the memory that it is given.
#pragma once

#include <cmath>
#include <limits>

#include "base/status.hpp"
#include "base/vectors.hpp"
#include "curve.hpp"
#include "math/lanes.hpp"

namespace contactlib::law {

inline constexpr int max_normal_parameters = 4;
inline constexpr int max_friction_parameters = 8;
inline constexpr int max_adhesion_parameters = 2;
inline constexpr int max_rolling_parameters = 4;
inline constexpr int max_model_parameters = 10;
inline constexpr int law_parameters = max_normal_parameters + max_friction_parameters + max_adhesion_parameters +
                                      max_rolling_parameters + max_model_parameters;

struct LawParameters {
  double normal[max_normal_parameters];
  double friction[max_friction_parameters];
  double adhesion[max_adhesion_parameters];
  double rolling[max_rolling_parameters];
  double model[max_model_parameters];
};

// Indices in LawParameters of numbers with a common condition, see parameters.hpp; -1: the law has none.
struct LawRules {
  std::int32_t mu_static = -1, mu_kinetic = -1;  // the second must not exceed the first
  std::int32_t direction = -1;                   // the first of three numbers, not all zero
};

// Input of normal laws and adhesion. For a law that needs a surface: S(x) = int e^2 dA, the integral of the squared extent e
// over the surfaces inside each other (geometry/overlap/depth.hpp), at the depth x, and its slope. Both are 0 of a point.
struct NormalInput {
  double depth;       // m, > 0
  double depth_rate;  // m/s
  Curve curve;        // for a law that needs one
  double extent2 = 0.0, extent2_slope = 0.0;  // m4, m3: S(x) and S'(x)
};

// Of a flat face of this area.
inline NormalInput of_face(double area, double depth, double depth_rate, const Curve& curve) noexcept {
  return {depth, depth_rate, curve, area * depth * depth, 2.0 * area * depth};
}

struct NormalForce {
  double force;   // N, >= 0; only adhesion pulls
  double stored;  // J
  double heat;    // W, >= 0
};

struct AdhesionForce {
  double force;   // N, >= 0, against the normal force
  double stored;  // J, <= 0: separation needs energy
};

// Input of friction, in world axes. `normal_force` is that of the normal law alone, without adhesion.
struct FrictionInput {
  Vec3 v_t_W;           // m/s, velocity of B's point relative to A's in the contact plane
  Vec3 n_W;             // unit normal
  double normal_force;  // N
  const Mat3* R_WG;     // attitude of the body with the grain
  const Mat3* R_GS;     // attitude of its shape in that body
};

// State of friction in one contact. The caller keeps z_W tangential.
struct Bristle {
  Vec3 z_W;       // m, deflection of B's attachment point relative to A's
  bool slipping;
};

struct FrictionForce {
  Vec3 f_t_W;     // N, on B
  double stored;  // J
  double heat;    // W, >= 0
};

// Input of rolling resistance. Its state is the deflection of a torsion spring (rad, world axes): rolling deflects it
// in the contact plane, spinning along the normal.
struct RollingInput {
  Vec3 w_AB_W;          // rad/s, of B relative to A
  Vec3 n_W;             // unit normal
  double normal_force;  // N, of the normal law
  double depth;         // m
};

struct RollingTorque {
  Vec3 t_W;       // N m, on B
  double stored;  // J
  double heat;    // W, >= 0
};

// Input of a contact model: a foot on a wall, in world axes. The foot has the first of the law's materials (or is the
// first body of a pair with a law of its own), the wall has the other. Each has an attachment point on its surface, set
// when the contact began. Depth and rate are those of the shapes, or of the attachment points while the shapes are
// apart.
struct AttachmentState {
  Vec3 q_W;     // m, from the wall's attachment point to the foot's
  Vec3 v_W;     // m/s, velocity of the foot relative to the wall at the point of the force
  Vec3 m_W;     // unit normal, out of the wall
  Vec3 e_W;     // unit, the law's direction in the contact plane
  double depth, depth_rate;  // m, m/s
  bool touches;  // the shapes overlap
  bool is_attached;  // true: attached; false: detached, and the contact lasts until the shapes separate
  double stored;  // J, after the last step
  double h;       // s, time since the last step; 0 evaluates only
};

struct AttachmentForce {
  Vec3 f_W;       // N, on the foot
  double stored;  // J
  double heat;    // W, >= 0
  Vec3 slip_W;    // m, displacement of the wall's attachment point towards the foot's
  bool ends;      // the contact detaches now; from here on it only supports, while the shapes overlap
};

// Normal laws of a block of points; force, stored and heat are 0 where the depth is not positive.
struct NormalBlock {
  const double *depth, *depth_rate;
  double *force, *stored, *heat;
  std::size_t count;
};

// A normal law for one contact, and a loop over many contacts.
struct NormalLaw {
  NormalForce (*one)(const NormalInput& pressing, const double* parameters) noexcept;
  void (*many)(const NormalBlock& block, const double* parameters, const Curve& curve) noexcept;

  NormalForce operator()(const NormalInput& pressing, const double* parameters) const noexcept {
    return one(pressing, parameters);
  }
};

// Friction of a block of points on a plane, in axes whose z is the normal: depths, normal forces, sliding velocities
// along x and y, and the bristles with three numbers each: deflection along x and y, and 1 while slipping. The loop
// writes the forces on the points and adds to `stored` and `heat`. Where the depth is not positive, it writes no force
// and clears the bristle.
struct FrictionBlock {
  const double *depth, *normal_force, *v_x, *v_y;
  double* bristles;
  double *f_x, *f_y, *stored, *heat;
  std::size_t count;
};

// Vectors of many contacts, by columns.
struct VectorColumns {
  double *x, *y, *z;

  template <class Lanes>
  math::Lanes3<Lanes> at(std::size_t i) const noexcept {
    return {math::load<Lanes>(x + i), math::load<Lanes>(y + i), math::load<Lanes>(z + i)};
  }
  template <class Lanes>
  void put(std::size_t i, const math::Lanes3<Lanes>& a) const noexcept {
    math::store(x + i, a.x), math::store(y + i, a.y), math::store(z + i, a.z);
  }
};

// Friction of contacts in world axes, each with its own normal: sliding velocities, normal forces, and the bristles,
// `slipping` 1 while they slip. The loop writes all numbers from z_W on.
struct FrictionColumns {
  VectorColumns v_t_W;
  const double* normal_force;
  VectorColumns z_W;
  double* slipping;
  VectorColumns f_t_W;
  double *stored, *heat;
  std::size_t count;
};

// A friction law over a surface, whose points bend the bristles of one pair of solids together: the law's numbers at the
// mean sliding speed and for the load of all points (step/contact/surface_friction.hpp).
struct SurfaceSlider {
  double stiffness = 0.0;  // N/m, of all bristles together; 0: the law has no memory
  double damping = 0.0;    // N s/m
  double hold = 0.0, slip = 0.0;  // N, largest force while it holds, and while it slips
  bool creeps = false;     // LuGre: the bristles yield at any speed, towards `slip`
  double viscous = 0.0;    // N s/m
  double slip_velocity = 0.0;  // m/s, of a law without memory: below it the force falls to zero
};

// Squares of the coefficients of a law with a grain, along its direction (unit, axes of the shape) and across.
struct Grain {
  double along2 = 1.0, across2 = 1.0;
  Vec3 direction = Vec3::Zero();
};

// A friction law for one contact, and loops over many contacts: on a plane, and in space; null if the law needs more
// than FrictionColumns.
// h: s, time since the state was written; 0 evaluates without a step.
struct FrictionLaw {
  FrictionForce (*one)(const FrictionInput& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
  void (*many)(const FrictionBlock& block, double h, const double* parameters) noexcept;
  void (*in_space)(const FrictionColumns& contacts, double h, const double* parameters) noexcept;
  SurfaceSlider (*on_surface)(double speed, double normal_force, const double* parameters) noexcept;
  bool needs_speed;  // of a surface
  Grain (*grain)(const double* parameters) noexcept = nullptr;

  FrictionForce operator()(const FrictionInput& sliding, double h, const double* parameters,
                           Bristle& bristle) const noexcept {
    return one(sliding, h, parameters, bristle);
  }
};
using AdhesionLaw = AdhesionForce (*)(const NormalInput& pressing, const double* parameters) noexcept;
using RollingLaw = RollingTorque (*)(const RollingInput& turning, double h, const double* parameters,
                                     Vec3& s_W) noexcept;

// A contact model replaces all other parts of a law by a stateful contact. It is evaluated in each step from first
// contact on, also while the shapes are apart, until it ends the contact.
struct ContactModel {
  AttachmentForce (*update)(const AttachmentState& attachment_state, const double* parameters) noexcept;
  bool between_attachment_points;  // the force acts half-way between them, not at the contact point
};

// The suffixes [1], [2], [3] of three names make one vector.
struct Parameter {
  const char* name;    // unique over all rows that a law may combine; the variable is <law>.<name>
  const char* unit;
  double minimum;
  bool above_minimum;  // true: the minimum itself is not allowed
  const char* meaning;
  double standard = std::numeric_limits<double>::quiet_NaN();  // default; nan: the parameter is required
};

inline bool allowed(const Parameter& parameter, double value) noexcept {
  return std::isfinite(value) && (parameter.above_minimum ? value > parameter.minimum : value >= parameter.minimum);
}

inline constexpr double unbounded = -std::numeric_limits<double>::infinity();

// A parameter of a law. `index` is its enumerator; a row lists its parameters in the order of the enum.
struct LawParameter : Parameter {
  int index = -1;

  constexpr LawParameter() noexcept : Parameter{} {}
  constexpr LawParameter(int index, const char* name, const char* unit, double minimum, bool above_minimum,
                         const char* meaning, double standard = std::numeric_limits<double>::quiet_NaN()) noexcept
      : Parameter{name, unit, minimum, above_minimum, meaning, standard}, index(index) {}
};

template <class Force, int capacity>
struct LawRow {
  const char* name;
  Force force;
  int count;
  LawParameter parameters[capacity];
};

// Whether every row has all its parameters, and no more, in the order of its enum.
template <class Row, std::size_t rows>
constexpr bool matches_enums(const Row (&table)[rows]) noexcept {
  for (const Row& row : table) {
    constexpr int capacity = sizeof row.parameters / sizeof row.parameters[0];
    if (row.name == nullptr || row.count < 0 || row.count > capacity) return false;
    for (int i = 0; i < capacity; ++i)
      if (row.parameters[i].index != (i < row.count ? i : -1)) return false;
  }
  return true;
}

using NormalRow = LawRow<NormalLaw, max_normal_parameters>;
using FrictionRow = LawRow<FrictionLaw, max_friction_parameters>;
using AdhesionRow = LawRow<AdhesionLaw, max_adhesion_parameters>;
using RollingRow = LawRow<RollingLaw, max_rolling_parameters>;
using ModelRow = LawRow<ContactModel, max_model_parameters>;

extern const NormalRow normal_laws[];
extern const int normal_law_count;
extern const FrictionRow friction_laws[];
extern const int friction_law_count;
extern const AdhesionRow adhesion_laws[];
extern const int adhesion_law_count;
extern const RollingRow rolling_laws[];
extern const int rolling_law_count;

extern const ModelRow contact_models[];
extern const int contact_model_count;

// The row without effect in the tables of adhesion, rolling and contact models; it is never called.
inline constexpr int no_law = 0;

// Instead of a row of the contact models: a model of the caller, see user_laws.hpp.
inline constexpr int user_law_model = -1;

// Whether a row of the normal laws needs a curve.
bool needs_curve(int row) noexcept;
// Whether a normal law is one of surface contacts alone, of the sharpness 2.
bool needs_surface(int row) noexcept;

}  // namespace contactlib::law

// THE LAW TABLES: how two materials push, cling, rub and roll. one row a law; the rows also tell python and the fmu
// which parameters there are, in which unit and range.
//
// the contract of a row: it gives the force on B of a whole contact, which the caller scales by the contact's share;
// the energy `stored`, which it could give back; and the `heat`, the power that it does not. what the bodies put in
// is d(stored)/dt + heat. it allocates nothing, knows no other contact, and keeps its past in the memory it is given.
#pragma once

#include <cmath>
#include <limits>

#include "curve.hpp"
#include "geometry/manifold/contact.hpp"

namespace contactlib {

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

// places in LawParameters of numbers that must go together, see parameters.hpp; -1: the law has none.
struct LawRules {
  std::int32_t mu_static = -1, mu_kinetic = -1;  // the second must not exceed the first
  std::int32_t direction = -1;                   // the first of three numbers, not all zero
};

// what the normal law and adhesion see.
struct Pressing {
  double depth;       // m, > 0
  double depth_rate;  // m/s
  Curve curve;        // of a law that needs one
};

struct NormalForce {
  double force;   // N, >= 0: only adhesion pulls
  double stored;  // J
  double heat;    // W, >= 0
};

struct AdhesionForce {
  double force;   // N, >= 0, against the normal force
  double stored;  // J, <= 0: bodies that cling must be given energy to part
};

// what friction sees: everything in world axes. `normal_force` is that of the normal law alone, adhesion not taken off.
struct Sliding {
  Vec3 v_t_W;           // m/s, velocity of B's point relative to A's in the contact plane
  Vec3 n_W;             // unit normal
  double normal_force;  // N
  const Mat3* R_WG;     // the body with the grain in the world
  const Mat3* R_GS;     // its shape in the body
};

// friction's memory of one contact. z_W is kept tangential by the caller.
struct Bristle {
  Vec3 z_W;       // m, deflection of B's anchor relative to A's
  bool slipping;
};

struct FrictionForce {
  Vec3 f_t_W;     // N, on B
  double stored;  // J
  double heat;    // W, >= 0
};

// what rolling resistance sees. its memory is the deflection of a torsion spring (rad, world axes): in the contact
// plane from rolling, along the normal from spinning.
struct Turning {
  Vec3 w_AB_W;          // rad/s, of B relative to A
  Vec3 n_W;             // unit normal
  double normal_force;  // N, of the normal law
};

struct RollingTorque {
  Vec3 t_W;       // N m, on B
  double stored;  // J
  double heat;    // W, >= 0
};

// what a contact model sees: a foot on a wall, in world axes. the foot is made of the first of the law's materials (or
// is the first body of a pair with a law of its own), the wall of the other. each has an anchor, set on its surface
// when the contact was established. depth and rate are those of the shapes; where they are apart, those of the anchors.
struct AttachmentState {
  Vec3 q_W;     // m, the foot's anchor as seen from the wall's
  Vec3 v_W;     // m/s, of the foot against the wall, where the force acts
  Vec3 m_W;     // unit normal, out of the wall
  Vec3 e_W;     // unit, the law's direction in the contact plane
  double depth, depth_rate;  // m, m/s
  bool touches;  // the shapes overlap
  bool held;     // false: the contact has ended, and lasts until the shapes part
  double stored;  // J, after the last step
  double h;       // s, since then; 0 evaluates only
};

struct AttachmentForce {
  Vec3 f_W;       // N, on the foot
  double stored;  // J
  double heat;    // W, >= 0
  Vec3 slip_W;    // m, how far the wall's anchor follows the foot's
  bool ends;      // the contact ends now: what it still gives is support, for as long as the shapes overlap
};

// what a block of points is pressed with, number by number; force, stored and heat are 0 where the depth is not above
// 0.
struct PressedBlock {
  const double *depth, *depth_rate;
  double *force, *stored, *heat;
  std::size_t count;
};

// a normal law for one contact, and in a loop of its own for many.
struct NormalLaw {
  NormalForce (*one)(const Pressing& pressing, const double* parameters) noexcept;
  void (*many)(const PressedBlock& block, const double* parameters, const Curve& curve) noexcept;

  NormalForce operator()(const Pressing& pressing, const double* parameters) const noexcept {
    return one(pressing, parameters);
  }
};

// what a block of points rubs on a plane with, in axes of which z is the normal: depths and normal forces, sliding
// velocities along x and y, and the bristles, three numbers each: z along x and y, and 1 where it slips. forces on the
// points; `stored` and `heat` are added to. where the depth is not above 0 there is no force, and no memory any more.
struct RubbedBlock {
  const double *depth, *normal_force, *v_x, *v_y;
  double* bristles;
  double *f_x, *f_y, *stored, *heat;
  std::size_t count;
};

// a friction law for one contact, and in a loop of its own for many.
// h: s, time since the memory was written; 0 evaluates without advancing.
struct FrictionLaw {
  FrictionForce (*one)(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
  void (*many)(const RubbedBlock& block, double h, const double* parameters) noexcept;

  FrictionForce operator()(const Sliding& sliding, double h, const double* parameters,
                           Bristle& bristle) const noexcept {
    return one(sliding, h, parameters, bristle);
  }
};
using AdhesionLaw = AdhesionForce (*)(const Pressing& pressing, const double* parameters) noexcept;
using RollingLaw = RollingTorque (*)(const Turning& turning, double h, const double* parameters, Vec3& s_W) noexcept;

// a contact model stands in the place of all the others: one with a life cycle. it is asked in each step from the one
// on in which two shapes begin to touch, also while they are apart, until it ends the contact.
struct ContactModel {
  AttachmentForce (*update)(const AttachmentState& attachment_state, const double* parameters) noexcept;
  bool between_attachment_points;  // its force acts half-way between them, not where the shapes touch
};

// [1], [2], [3] at the end of three names make one vector of them.
struct Parameter {
  const char* name;    // unique in a law whatever its rows are, for it becomes <law>.<name>
  const char* unit;
  double minimum;
  bool above_minimum;  // the minimum itself is not allowed
  const char* meaning;
  double standard = std::numeric_limits<double>::quiet_NaN();  // where none is given; nan: it must be
};

inline bool allowed(const Parameter& parameter, double value) noexcept {
  return std::isfinite(value) && (parameter.above_minimum ? value > parameter.minimum : value >= parameter.minimum);
}

template <class Force, int capacity>
struct LawRow {
  const char* name;
  Force force;
  int count;
  Parameter parameters[capacity];
};
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

// the row of adhesion, of rolling and of contact models that does nothing, which is not worth a call.
inline constexpr int no_law = 0;

// instead of a row of the contact models: one that the caller brings, see user_laws.hpp.
inline constexpr int user_law_model = -1;

// whether a row of the normal laws is made of points.
bool needs_curve(int row) noexcept;

}  // namespace contactlib

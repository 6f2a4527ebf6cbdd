// THE LAW TABLES: how two materials push and rub. one row a law; the rows also tell python and the fmu
// which parameters there are, in which unit and range.
#pragma once

#include "../contact.hpp"

namespace contactlib {

inline constexpr int max_normal_parameters = 4;
inline constexpr int max_friction_parameters = 6;

struct LawParameters {
  double normal[max_normal_parameters];
  double friction[max_friction_parameters];
};

struct NormalForce {
  double force;   // N, >= 0: a contact never pulls
  double stored;  // J, elastic energy at this depth
};

// what friction sees: everything in world axes, tangential to n_AB_W.
struct Sliding {
  Vec3 v_t_W;           // m/s, velocity of B relative to A in the contact plane
  double normal_force;  // N
  double h;             // s, time since the memory was written; 0 evaluates without advancing
};

// the memory of one contact. z_W is kept tangential by the caller.
struct Bristle {
  Vec3 z_W;           // m, deflection of B's anchor relative to A's
  bool slipping;
};

struct FrictionForce {
  Vec3 f_t_W;     // N, on B
  double stored;  // J
};

using NormalLaw = NormalForce (*)(double depth, double depth_rate, const double* parameters) noexcept;
using FrictionLaw = FrictionForce (*)(const Sliding& sliding, const double* parameters, Bristle& bristle) noexcept;

struct Parameter {
  const char* name;
  const char* unit;
  double minimum;
  bool above_minimum;  // the minimum itself is not allowed
  const char* meaning;
};

template <class Force, int capacity>
struct LawRow {
  const char* name;
  Force force;
  int count;
  Parameter parameters[capacity];
};
using NormalRow = LawRow<NormalLaw, max_normal_parameters>;
using FrictionRow = LawRow<FrictionLaw, max_friction_parameters>;

extern const NormalRow normal_laws[];
extern const int normal_law_count;
extern const FrictionRow friction_laws[];
extern const int friction_law_count;

}  // namespace contactlib

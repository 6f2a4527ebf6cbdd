// Contacts with their forces, as a user reads them.
#pragma once

#include <cstdint>

#include "base/layout.hpp"
#include "base/vectors.hpp"

namespace contactlib::state {

// Phases of a contact. ended: its model detached, and the shapes have not separated yet.
enum class Phase : std::int32_t { begins, lasts, ends, ended };
inline constexpr int phase_count = 4;
static_assert(static_cast<int>(Phase::ended) + 1 == phase_count);

// One contact with its force, as a user reads it. World axes; `A`, `B` are bodies.
struct Contact {
  std::int32_t pair;      // of bodies
  std::int32_t feature;
  std::int32_t shape_a, shape_b;
  std::int32_t body_a, body_b;
  std::int32_t slipping;  // 0 sticks (or has no memory), 1 slips
  std::int32_t law;
  Phase phase;
  std::int32_t apart;  // 1: the shapes are separated, and a contact model keeps the contact
  std::int32_t surface;  // 1: of two surfaces, as one point; 0: of a point
  std::int32_t reserved;
  Vec3 p_AC_W;            // m, from body A's origin
  Vec3 p_BC_W;            // m, from body B's origin
  Vec3 n_AB_W;            // unit
  double depth;           // m, < 0 where they are apart
  double depth_rate;      // m/s
  Vec3 v_AB_W;            // m/s, velocity of B's point relative to A's point
  Vec3 f_B_W;             // N, force on B; A feels the opposite at the same point
  Vec3 t_B_W;             // N m, couple on B (rolling resistance); A feels the opposite
  double normal_force;    // N, < 0: adhesion
  double load_share;           // of the pair's force at this place
  double stored_energy;   // J, in the normal spring, adhesion, the bristle and the rolling spring
  double heat;             // W, what the contact dissipates now
  Vec3 z_W;               // m, bristle deflection after the step
  Vec3 turn_W;            // rad, of a surface: the bristles at x are bent by z_W + turn_W x (x - C)
  double stretch;         // m, of a surface: the mean bristle deflection
  Vec3 s_W;               // rad, deflection of the rolling spring after the step
  double age;             // s, since it was established
  double area;            // m2, of the surfaces inside each other; 0: of a point
  double reference_area;  // m2, of the flat face that would have this law at this depth; 0: of a point
};

}  // namespace contactlib::state

namespace contactlib {

CONTACTLIB_LAYOUT(state::Contact, CONTACTLIB_FIELD(pair), CONTACTLIB_FIELD(feature), CONTACTLIB_FIELD(shape_a),
                  CONTACTLIB_FIELD(shape_b), CONTACTLIB_FIELD(body_a), CONTACTLIB_FIELD(body_b),
                  CONTACTLIB_FIELD(slipping), CONTACTLIB_FIELD(law), CONTACTLIB_FIELD(phase), CONTACTLIB_FIELD(apart),
                  CONTACTLIB_FIELD(surface), CONTACTLIB_FIELD(reserved), CONTACTLIB_FIELD(p_AC_W),
                  CONTACTLIB_FIELD(p_BC_W), CONTACTLIB_FIELD(n_AB_W), CONTACTLIB_FIELD(depth),
                  CONTACTLIB_FIELD(depth_rate), CONTACTLIB_FIELD(v_AB_W), CONTACTLIB_FIELD(f_B_W),
                  CONTACTLIB_FIELD(t_B_W), CONTACTLIB_FIELD(normal_force), CONTACTLIB_FIELD(load_share),
                  CONTACTLIB_FIELD(stored_energy), CONTACTLIB_FIELD(heat), CONTACTLIB_FIELD(z_W),
                  CONTACTLIB_FIELD(turn_W), CONTACTLIB_FIELD(stretch), CONTACTLIB_FIELD(s_W), CONTACTLIB_FIELD(age),
                  CONTACTLIB_FIELD(area), CONTACTLIB_FIELD(reference_area))

}  // namespace contactlib

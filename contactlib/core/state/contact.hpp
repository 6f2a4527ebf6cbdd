// contacts with their forces, as a user reads them.
#pragma once

#include <cstdint>

#include "base/vectors.hpp"

namespace contactlib::state {

// where a contact is in its life. ended: its model let go, and the shapes have not separated yet.
enum class Phase : std::int32_t { begins, lasts, ends, ended };

// one contact with its force: what a user reads. world axes; `A`, `B` are bodies.
struct Contact {
  std::int32_t pair;      // of bodies
  std::int32_t feature;
  std::int32_t shape_a, shape_b;
  std::int32_t body_a, body_b;
  std::int32_t slipping;  // 0 sticks (or has no memory), 1 slips
  std::int32_t law;
  Phase phase;
  std::int32_t apart;     // 1: the shapes do not touch, a contact model holds on
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
  Vec3 s_W;               // rad, deflection of the rolling spring after the step
  double age;             // s, since it was established
};

}  // namespace contactlib::state

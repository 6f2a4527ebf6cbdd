// Mass properties of an interface body as tunable numbers, and whether a rigid body can have them.
#pragma once

#include "model.hpp"

namespace contactlib::model {

struct MassProperties {
  double mass;       // kg
  Vec3 p_BBcm;       // m, centre of mass in the body
  Vec3 moments;      // kg m2, elements xx, yy, zz of I_BBcm
  Vec3 products;     // kg m2, its elements xy, xz, yz
};
inline constexpr int mass_properties_width = 10;
static_assert(sizeof(MassProperties) == mass_properties_width * sizeof(double));

bool operator==(const MassProperties& a, const MassProperties& b) noexcept;

MassProperties mass_properties_of(const Body& body) noexcept;
void set_mass_properties(Body& body, const MassProperties& properties) noexcept;

// A rigid body has three positive principal moments, none of which exceeds the sum of the other two.
enum class InertiaFault : std::int32_t { none, not_definite, exceeds_sum };
InertiaFault inertia_fault(const MassProperties& properties) noexcept;

}  // namespace contactlib::model

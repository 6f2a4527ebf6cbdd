#pragma once

#include "laws.hpp"

namespace contactlib::law {

// Parameters of the friction law `bristle`.
struct BristleParameters {
  double mu_static, mu_kinetic, stiffness, damping;
};

// The law at the first points of a block, in lanes. Returns their number: a multiple of the lanes.
std::size_t bristle_loop(const FrictionBlock& block, double h, const BristleParameters& parameters) noexcept;

// The law at the first contacts in space, in lanes. Returns their number, as above.
std::size_t bristle_loop(const FrictionColumns& contacts, double h, const BristleParameters& parameters) noexcept;

}  // namespace contactlib::law

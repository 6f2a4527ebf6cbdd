#pragma once

#include "laws.hpp"

namespace contactlib {

NormalForce kelvin_voigt(const Pressing& pressing, const double* parameters) noexcept;
NormalForce hunt_crossley(const Pressing& pressing, const double* parameters) noexcept;
NormalForce hertz(const Pressing& pressing, const double* parameters) noexcept;
NormalForce curve(const Pressing& pressing, const double* parameters) noexcept;

}  // namespace contactlib

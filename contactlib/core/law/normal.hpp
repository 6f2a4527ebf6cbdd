#pragma once

#include "laws.hpp"

namespace contactlib {

NormalForce kelvin_voigt(double depth, double depth_rate, const double* parameters) noexcept;
NormalForce hunt_crossley(double depth, double depth_rate, const double* parameters) noexcept;

}  // namespace contactlib

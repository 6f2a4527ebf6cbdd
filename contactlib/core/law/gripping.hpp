#pragma once

#include "laws.hpp"

namespace contactlib::law {

GripForce no_grip(const Gripping& gripping, const double* parameters) noexcept;
GripForce spring(const Gripping& gripping, const double* parameters) noexcept;
GripForce gecko(const Gripping& gripping, const double* parameters) noexcept;
GripForce claw(const Gripping& gripping, const double* parameters) noexcept;

}  // namespace contactlib::law

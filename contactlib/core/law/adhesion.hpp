#pragma once

#include "laws.hpp"

namespace contactlib::law {

AdhesionForce no_adhesion(const Pressing& pressing, const double* parameters) noexcept;
AdhesionForce pull_off(const Pressing& pressing, const double* parameters) noexcept;

}  // namespace contactlib::law

#pragma once

#include "laws.hpp"

namespace contactlib {

FrictionForce no_friction(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
FrictionForce coulomb(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
FrictionForce bristle(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
FrictionForce lugre(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;
FrictionForce anisotropic(const Sliding& sliding, double h, const double* parameters, Bristle& bristle) noexcept;

}  // namespace contactlib

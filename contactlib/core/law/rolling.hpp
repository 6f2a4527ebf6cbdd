#pragma once

#include "laws.hpp"

namespace contactlib::law {

RollingTorque no_rolling(const Turning& turning, double h, const double* parameters, Vec3& s_W) noexcept;
RollingTorque rolling(const Turning& turning, double h, const double* parameters, Vec3& s_W) noexcept;

}  // namespace contactlib::law

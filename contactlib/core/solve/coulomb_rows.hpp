// Common parts of the solver with friction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace contactlib::solve {

constexpr std::int32_t no_contact = -1, tangent = -2;  // owners of rows
constexpr double max_compliance = 1e12;               // by the stiffness of the contact: no force across

inline double clamp(double x, double lo, double hi) noexcept { return std::min(std::max(x, lo), hi); }

// std::hypot differs in the last bits between platforms.
inline double length_of(double x, double y) noexcept { return std::sqrt(x * x + y * y); }

}  // namespace contactlib::solve

// Checks of the numbers in a saved state.
#pragma once

#include <cmath>
#include <cstddef>

#include "math/elementary.hpp"

namespace contactlib::math {

inline constexpr double last_integer = 2147483647.0;

// An integer from 0 to `last`.
inline bool integer_up_to(double x, double last) noexcept { return x >= 0.0 && x <= last && x == floor(x); }

inline bool flag(double x) noexcept { return x == 0.0 || x == 1.0; }

// An elapsed time: finite and not negative.
inline bool clock(double x) noexcept { return x >= 0.0 && std::isfinite(x); }

inline bool finite(const double* x, std::size_t count) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += 0.0 * x[i];  // nan once one of them is not finite
  return sum == 0.0;
}

// The tolerance of a given quaternion: see check_given in inputs.cpp.
template <class Vector>
bool unit(const Vector& x) noexcept {
  return std::abs(x.norm() - 1.0) <= 1e-3;
}

}  // namespace contactlib::math

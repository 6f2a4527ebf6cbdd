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
  double sums[4] = {};  // nan once one of them is not finite; four, for an addition waits for the one before it
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += 0.0 * x[i + k];
  for (; i < count; ++i) sums[0] += 0.0 * x[i];
  return sums[0] + sums[1] + sums[2] + sums[3] == 0.0;
}

// The tolerance of a given quaternion: see check_given in inputs.cpp.
template <class Vector>
bool unit(const Vector& x) noexcept {
  return std::abs(x.norm() - 1.0) <= 1e-3;
}

}  // namespace contactlib::math

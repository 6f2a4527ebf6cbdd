#include "lanes.hpp"

#include <algorithm>
#include <cstdlib>

namespace contactlib::math {

namespace {

#ifdef CONTACTLIB_FOUR_LANES
int available() noexcept {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return 2;
  const bool eight =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return eight ? 8 : 4;
}

int chosen() noexcept {
  const char* const limit = std::getenv("CONTACTLIB_LANES");
  const int count = available(), most = limit ? std::atoi(limit) : count;
  return most == 2 || most == 4 ? std::min(most, count) : count;
}
#else
int chosen() noexcept { return 2; }
#endif

const int count = chosen();

}  // namespace

const double ones[8] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

int lane_count() noexcept { return count; }

}  // namespace contactlib::math

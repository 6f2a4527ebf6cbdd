// Lanes: numbers side by side (SIMD), with which a loop over many objects of one kind computes without branches. Two on
// every machine; four or eight where the processor has them. Each lane gets the same bits as alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/vectors.hpp"

// Functions with these attributes are compiled for processors with AVX2 or AVX-512, and called only by `in_lanes`.
// Without optimisation nothing would be inlined into them, and caller and callee would pass lanes in different
// registers.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define CONTACTLIB_FOUR_LANES __attribute__((target("avx2"), flatten))
#define CONTACTLIB_EIGHT_LANES __attribute__((target("avx512f,avx512vl,avx512dq"), flatten))
#endif

// Four and eight lanes are passed between functions only within such a function, into which all others are inlined.
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace contactlib::math {

// The number of lanes that loops use: 8 with AVX-512, 4 with AVX2, else 2. It is chosen once, when the library is
// loaded. The environment variable CONTACTLIB_LANES=2 or 4 limits it.
int lane_count() noexcept;

template <int n>
struct LanesOf {
  typedef double type __attribute__((vector_size(n * sizeof(double))));
};
using TwoLanes = LanesOf<2>::type;
using FourLanes = LanesOf<4>::type;
using EightLanes = LanesOf<8>::type;

template <class Lanes>
inline constexpr std::size_t lanes = sizeof(Lanes) / sizeof(double);

template <class Lanes>
inline Lanes load(const double* at) noexcept {
  Lanes out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

template <class Lanes>
inline void store(double* at, const Lanes& a) noexcept {
  std::memcpy(at, &a, sizeof a);
}

template <class Lanes>
inline Lanes root(const Lanes& a) noexcept {
  Lanes out;
  for (std::size_t i = 0; i < lanes<Lanes>; ++i) out[i] = std::sqrt(a[i]);
  return out;
}

inline double root(double a) noexcept { return std::sqrt(a); }

// Choices are made between two results of one comparison: compilers split masks that are computed from masks.
template <class Lanes>
inline Lanes clamped(const Lanes& a, double low, double high) noexcept {
  const Lanes lowest = low - Lanes{}, highest = high - Lanes{}, up = a > lowest ? a : lowest;
  return up < highest ? up : highest;
}

template <class Lanes>
inline Lanes greater(const Lanes& a, const Lanes& b) noexcept {
  return a > b ? a : b;
}

template <class Lanes>
inline Lanes lesser(const Lanes& a, const Lanes& b) noexcept {
  return a < b ? a : b;
}

template <class Lanes>
inline Lanes magnitude(const Lanes& a) noexcept {
  return a < Lanes{} ? -a : a;
}

// The size of a with the sign of s, which may be a zero.
template <class Lanes>
inline Lanes with_sign(const Lanes& a, const Lanes& s) noexcept {
  using Bits = decltype(a < s);
  const Lanes only_sign = -0.0 - Lanes{};
  return (Lanes)(((Bits)a & ~(Bits)only_sign) | ((Bits)s & (Bits)only_sign));
}

// Conditions are numbers, 1 or 0: their product is "and", their greatest "or". The 1 is a number that the compiler does
// not know: otherwise gcc makes masks of masks again, which it computes lane by lane.
extern const double ones[8];

template <class Lanes>
inline Lanes less(const Lanes& a, const Lanes& b) noexcept {
  return a < b ? load<Lanes>(ones) : Lanes{};
}

template <class Lanes>
inline Lanes at_most(const Lanes& a, const Lanes& b) noexcept {
  return a <= b ? load<Lanes>(ones) : Lanes{};
}

template <class Lanes>
inline Lanes is_not(const Lanes& a) noexcept {
  return 1.0 - a;
}

template <class Lanes>
inline bool any(const Lanes& condition) noexcept {
  unsigned long long bits[lanes<Lanes>], found = 0;
  std::memcpy(bits, &condition, sizeof bits);
  for (const unsigned long long lane : bits) found |= lane;
  return found != 0;
}

template <class Lanes>
struct Lanes3 {
  Lanes x, y, z;
};

template <class Lanes>
inline Lanes3<Lanes> in_all_lanes(const Vec3& v) noexcept {
  return {v[0] - Lanes{}, v[1] - Lanes{}, v[2] - Lanes{}};
}

template <class Lanes>
inline Lanes3<Lanes> operator*(const Lanes& s, const Lanes3<Lanes>& a) noexcept {
  return {s * a.x, s * a.y, s * a.z};
}

template <class Lanes>
inline Lanes3<Lanes> operator+(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class Lanes>
inline Lanes3<Lanes> operator-(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

// Not zero less a, which has another sign where a is zero.
template <class Lanes>
inline Lanes3<Lanes> negative(const Lanes3<Lanes>& a) noexcept {
  return {-a.x, -a.y, -a.z};
}

template <class Lanes>
inline Lanes dot(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Lanes>
inline Lanes3<Lanes> cross(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The sum in Eigen's order, for loops that give the bits of code with vectors.
template <class Lanes>
inline Lanes eigen_dot(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return a.x * b.x + (a.y * b.y + a.z * b.z);
}

// Columns of a matrix.
template <class Lanes>
struct Lanes33 {
  Lanes3<Lanes> x, y, z;

  Lanes3<Lanes> operator*(const Lanes3<Lanes>& a) const noexcept {
    return {x.x * a.x + (y.x * a.y + z.x * a.z), x.y * a.x + (y.y * a.y + z.y * a.z),
            x.z * a.x + (y.z * a.y + z.z * a.z)};
  }
  Lanes3<Lanes> transposed_times(const Lanes3<Lanes>& a) const noexcept {
    return {eigen_dot(x, a), eigen_dot(y, a), eigen_dot(z, a)};
  }
};

#ifdef CONTACTLIB_FOUR_LANES
template <class Loop, class... Arguments>
CONTACTLIB_FOUR_LANES void in_four_lanes(const Arguments&... arguments) noexcept {
  Loop::template run<FourLanes>(arguments...);
}

template <class Loop, class... Arguments>
CONTACTLIB_EIGHT_LANES void in_eight_lanes(const Arguments&... arguments) noexcept {
  Loop::template run<EightLanes>(arguments...);
}
#endif

// Runs Loop::run<Lanes>(arguments...) over `count` objects, in no more lanes than there are objects.
template <class Loop, class... Arguments>
inline void in_lanes(std::size_t count, const Arguments&... arguments) noexcept {
#ifdef CONTACTLIB_FOUR_LANES
  const int most = lane_count();
  if (most >= 8 && count >= 8) return in_eight_lanes<Loop>(arguments...);
  if (most >= 4 && count >= 4) return in_four_lanes<Loop>(arguments...);
#endif
  (void)count;
  Loop::template run<TwoLanes>(arguments...);
}

}  // namespace contactlib::math

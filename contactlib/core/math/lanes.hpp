// Lanes: numbers side by side (SIMD), with which a loop over many objects of one kind computes without branches. Two on
// every machine; four where `wide` finds them. Each lane gets the same bits as alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/vectors.hpp"

// Functions with this attribute are compiled for processors with AVX2, and called only where `wide()` is true. Without
// optimisation nothing would be inlined into them, and caller and callee would pass four lanes in different registers.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define CONTACTLIB_WIDE __attribute__((target("avx2"), flatten))
#endif

// Four lanes are passed between functions only within such a function, into which all others are inlined.
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace contactlib::math {

#ifdef CONTACTLIB_WIDE
inline bool wide() noexcept { return __builtin_cpu_supports("avx2"); }
#endif

template <int n>
struct LanesOf {
  typedef double type __attribute__((vector_size(n * sizeof(double))));
};
using TwoLanes = LanesOf<2>::type;
using FourLanes = LanesOf<4>::type;

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

template <class Lanes>
inline Lanes dot(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace contactlib::math

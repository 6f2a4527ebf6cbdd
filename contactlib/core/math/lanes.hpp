// lanes: numbers side by side, with which a loop over many things of one kind computes without branches. two of them on
// every machine; four where `wide` finds them. each lane gets the bits that it would get alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "geometry/manifold/contact.hpp"

// functions with this attribute are compiled for processors with AVX2, and called only where `wide()` is true. without
// optimisation nothing would be taken into them, and caller and callee would pass four lanes in different places.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define CONTACTLIB_WIDE __attribute__((target("avx2"), flatten))
#endif

// four lanes go from function to function only within such a function, which takes in all others.
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace contactlib {

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

// choices are made between two results of one comparison: compilers take masks that are made of masks apart.
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
inline Lanes dot(const Lanes3<Lanes>& a, const Lanes3<Lanes>& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace contactlib

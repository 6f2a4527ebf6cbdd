// Columns of small dense matrices, four rows at once: every number is the same sum in the same order on every
// processor. Columns end in whole lanes.
#pragma once

#include <cstdint>

#include "math/lanes.hpp"

namespace contactlib::solve {

using math::FourLanes;
inline constexpr int four = math::lanes<FourLanes>;

inline constexpr int in_fours(int n) noexcept { return (n + four - 1) / four * four; }

#ifdef CONTACTLIB_FOUR_LANES
template <class Work>
CONTACTLIB_FOUR_LANES auto with_avx2(const Work& work) noexcept {
  return work();
}
#endif

// Calls `work`, compiled for AVX2 where the processor has it: all functions of this source that it calls are inlined.
// The bits are the same.
template <class Work>
inline auto four_at_once(const Work& work) noexcept {
#ifdef CONTACTLIB_FOUR_LANES
  if (math::lane_count() >= four) return with_avx2(work);
#endif
  return work();
}

//   out += factor column
inline void add_column(const double* column, double factor, int n, double* out) noexcept {
  for (int i = 0; i < n; i += four)
    math::store<FourLanes>(out + i, math::load<FourLanes>(out + i) + factor * math::load<FourLanes>(column + i));
}

//   column *= factor
inline void scale_column(double factor, int n, double* column) noexcept {
  for (int i = 0; i < n; i += four) math::store<FourLanes>(column + i, factor * math::load<FourLanes>(column + i));
}

// Columns of a matrix, `stride` apart, with a factor each.
struct Terms {
  const double* columns;
  int stride, count;
  const std::int32_t* which;  // column
  const double* factor;
};

// Adds all terms to rows from `from` on, `width` lanes of rows at a time in registers. Returns the first row without.
template <int width>
inline int add_strips(const Terms& terms, int from, int n, double* out) noexcept {
  for (; from + (width - 1) * four < n; from += width * four) {
    FourLanes sum[width];
    for (int e = 0; e < width; ++e) sum[e] = math::load<FourLanes>(out + from + e * four);
    for (int k = 0; k < terms.count; ++k) {
      const double *const column = terms.columns + terms.which[k] * terms.stride + from, factor = terms.factor[k];
      for (int e = 0; e < width; ++e) sum[e] += factor * math::load<FourLanes>(column + e * four);
    }
    for (int e = 0; e < width; ++e) math::store(out + from + e * four, sum[e]);
  }
  return from;
}

// The same bits as `add_column` of each term in their order, which is faster in two lanes.
inline void add_columns(const Terms& terms, int n, double* out) noexcept {
  if (math::lane_count() < four) {
    for (int k = 0; k < terms.count; ++k)
      add_column(terms.columns + terms.which[k] * terms.stride, terms.factor[k], n, out);
    return;
  }
  const int fours = add_strips<4>(terms, 0, n, out);
  add_strips<1>(terms, add_strips<2>(terms, fours, n, out), n, out);
}

// Subtracts four columns of L from each of `count` columns of K, rows `from` to n, all of them `stride` apart.
template <int count>
inline void subtract_four(const double* L, const double (&factor)[count][four], int from, int n, int stride,
                          double* K) noexcept {
  const double *a = L, *b = a + stride, *c = b + stride, *d = c + stride;
  for (int i = from; i < n; i += four) {
    const FourLanes ai = math::load<FourLanes>(a + i), bi = math::load<FourLanes>(b + i);
    const FourLanes ci = math::load<FourLanes>(c + i), di = math::load<FourLanes>(d + i);
    for (int e = 0; e < count; ++e) {
      const double* const f = factor[e];
      double* const x = K + e * stride + i;
      math::store<FourLanes>(x, math::load<FourLanes>(x) - ((f[0] * ai + f[1] * bi) + (f[2] * ci + f[3] * di)));
    }
  }
}

}  // namespace contactlib::solve

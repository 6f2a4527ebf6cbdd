// Rows of numbers to columns, by shuffles of four rows at a time.
#pragma once

#include <utility>

#include "math/lanes.hpp"

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CONTACTLIB_SHUFFLES
#endif
#endif

namespace contactlib::math {

// Four numbers of each of four rows, to four columns.
inline void transpose_four(const double* const (&rows)[4], double* const (&columns)[4]) noexcept {
#ifdef CONTACTLIB_SHUFFLES
  const FourLanes a = load<FourLanes>(rows[0]), b = load<FourLanes>(rows[1]);
  const FourLanes c = load<FourLanes>(rows[2]), d = load<FourLanes>(rows[3]);
  const FourLanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                  ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const FourLanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                  cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(columns[0], FourLanes(__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5)));
  store(columns[1], FourLanes(__builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5)));
  store(columns[2], FourLanes(__builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7)));
  store(columns[3], FourLanes(__builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)));
#else
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) columns[j][i] = rows[i][j];
#endif
}

// The first four numbers of four rows, into row-long columns at `columns`, `columns` + step, ..
inline void four_columns(const double* const (&rows)[4], double* columns, std::size_t step) noexcept {
  transpose_four(rows, {columns, columns + step, columns + 2 * step, columns + 3 * step});
}

// `count` numbers, a multiple of four, of four rows.
template <int count>
inline void columns_of_four(const double* const (&rows)[4], double* columns, std::size_t step) noexcept {
  for (int j = 0; j < count; j += 4)
    four_columns({rows[0] + j, rows[1] + j, rows[2] + j, rows[3] + j}, columns + j * step, step);
}

// And back.
template <int count>
inline void rows_of_four(const double* columns, std::size_t step, double* const (&rows)[4]) noexcept {
  for (int j = 0; j < count; j += 4) {
    const double* const at = columns + j * step;
    transpose_four({at, at + step, at + 2 * step, at + 3 * step}, {rows[0] + j, rows[1] + j, rows[2] + j, rows[3] + j});
  }
}

// x.x + (y.y + z.z), Eigen's order, of three numbers at each of four rows and of four numbers b each, whose last does
// not count.
template <class Lanes>
inline FourLanes dots_of_four(const double* const (&rows)[4], const FourLanes (&b)[4]) noexcept {
#ifdef CONTACTLIB_SHUFFLES
  if constexpr (lanes<Lanes> >= 4) {
    const FourLanes k = load<FourLanes>(rows[0]) * b[0], l = load<FourLanes>(rows[1]) * b[1];
    const FourLanes m = load<FourLanes>(rows[2]) * b[2], n = load<FourLanes>(rows[3]) * b[3];
    const FourLanes kl = __builtin_shufflevector(k, l, 0, 4, 2, 6), mn = __builtin_shufflevector(m, n, 0, 4, 2, 6);
    const FourLanes x = __builtin_shufflevector(kl, mn, 0, 1, 4, 5), z = __builtin_shufflevector(kl, mn, 2, 3, 6, 7);
    const FourLanes y = __builtin_shufflevector(FourLanes(__builtin_shufflevector(k, l, 1, 5, 3, 7)),
                                                FourLanes(__builtin_shufflevector(m, n, 1, 5, 3, 7)), 0, 1, 4, 5);
    return x + (y + z);
  }
#endif
  FourLanes out;
  for (int i = 0; i < 4; ++i) out[i] = rows[i][0] * b[i][0] + (rows[i][1] * b[i][1] + rows[i][2] * b[i][2]);
  return out;
}

// The first three numbers to a row.
inline void to_row(const FourLanes& a, double* row) noexcept {
#ifdef CONTACTLIB_SHUFFLES
  store(row, TwoLanes(__builtin_shufflevector(a, a, 0, 1)));
#else
  row[0] = a[0], row[1] = a[1];
#endif
  row[2] = a[2];
}

// Rows of three numbers, as many as there are lanes, to three columns and back. Number k of all is number k % 3 of row
// k / 3.
#ifdef CONTACTLIB_SHUFFLES
template <std::size_t column, class Lanes, std::size_t... i>
inline Lanes column_of(const Lanes& a, const Lanes& b, const Lanes& c, std::index_sequence<i...>) noexcept {
  constexpr std::size_t n = lanes<Lanes>;
  const Lanes ab = __builtin_shufflevector(a, b, (3 * i + column < 2 * n ? 3 * i + column : 0)...);
  return __builtin_shufflevector(ab, c, (3 * i + column < 2 * n ? i : 3 * i + column - n)...);
}

template <std::size_t first, class Lanes, std::size_t... i>
inline Lanes numbers_of(const Lanes& x, const Lanes& y, const Lanes& z, std::index_sequence<i...>) noexcept {
  constexpr std::size_t n = lanes<Lanes>;
  const Lanes xy = __builtin_shufflevector(x, y, ((first + i) / 3 + ((first + i) % 3 == 1 ? n : 0))...);
  return __builtin_shufflevector(xy, z, ((first + i) % 3 < 2 ? i : n + (first + i) / 3)...);
}
#endif

template <class Lanes>
inline Lanes3<Lanes> from_rows(const double* rows) noexcept {
  constexpr std::size_t n = lanes<Lanes>;
#ifdef CONTACTLIB_SHUFFLES
  const Lanes a = load<Lanes>(rows), b = load<Lanes>(rows + n), c = load<Lanes>(rows + 2 * n);
  constexpr std::make_index_sequence<n> all;
  return {column_of<0>(a, b, c, all), column_of<1>(a, b, c, all), column_of<2>(a, b, c, all)};
#else
  Lanes3<Lanes> out;
  for (std::size_t i = 0; i < n; ++i) out.x[i] = rows[3 * i], out.y[i] = rows[3 * i + 1], out.z[i] = rows[3 * i + 2];
  return out;
#endif
}

template <class Lanes>
inline void to_rows(const Lanes3<Lanes>& a, double* rows) noexcept {
  constexpr std::size_t n = lanes<Lanes>;
#ifdef CONTACTLIB_SHUFFLES
  constexpr std::make_index_sequence<n> all;
  store(rows, numbers_of<0>(a.x, a.y, a.z, all));
  store(rows + n, numbers_of<n>(a.x, a.y, a.z, all));
  store(rows + 2 * n, numbers_of<2 * n>(a.x, a.y, a.z, all));
#else
  for (std::size_t i = 0; i < n; ++i) rows[3 * i] = a.x[i], rows[3 * i + 1] = a.y[i], rows[3 * i + 2] = a.z[i];
#endif
}

}  // namespace contactlib::math

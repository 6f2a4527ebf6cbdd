#include "piece_moments.hpp"

#include "math/lanes.hpp"
#include "surface_pieces.hpp"

namespace contactlib::geometry {

using math::in_lanes, math::lanes, math::load, math::store;

namespace {

// With barycentric coordinates l, and h_q(..) the sum of all products of q of the values:
//   int e^q l_i dA     = 2 area q!/(q+3)! h_q(a, b, c, a_i)
//   int e^q l_i l_j dA = 2 area q!/(q+4)! (1 + [i = j]) h_q(a, b, c, a_i, a_j)
//   h_q(.., x) = h_q(..) + x h_(q-1)(.., x):  sums of terms that are not negative
template <int known>
struct Integrals {
  template <class Lanes>
  static void run(PieceTriangles* t, int any) noexcept {
    const int q = known > 0 ? known : any;
    const double first = 2.0 / ((q + 1.0) * (q + 2.0) * (q + 3.0)), second = first / (q + 4.0);
    for (std::size_t i = 0; i < t->count; i += lanes<Lanes>) {
      const Lanes a = load<Lanes>(t->a + i), b = load<Lanes>(t->b + i), c = load<Lanes>(t->c + i);
      const Lanes bu = load<Lanes>(t->bu + i), bv = load<Lanes>(t->bv + i), cu = load<Lanes>(t->cu + i),
                  cv = load<Lanes>(t->cv + i);
      const Lanes twice = bu * cv - bv * cu, size = twice > Lanes{} ? twice : Lanes{};
      Lanes h[most_sharpness];
      h[0] = 1.0 - Lanes{};
      for (int n = 1; n <= q; ++n) h[n] = a * h[n - 1];
      for (int n = 1; n <= q; ++n) h[n] += b * h[n - 1];
      for (int n = 1; n <= q; ++n) h[n] += c * h[n - 1];
      Lanes wa = h[0], wb = h[0], wc = h[0], wbb = h[0], wcc = h[0], wbc = h[0];
      for (int n = 1; n <= q; ++n) {
        wa = h[n] + a * wa, wb = h[n] + b * wb, wc = h[n] + c * wc;
        wbb = wb + b * wbb, wcc = wc + c * wcc, wbc = wb + c * wbc;
      }
      const Lanes by = first * size, b_part = by * wb, c_part = by * wc;
      const Lanes by2 = second * size, bb = 2.0 * by2 * wbb, cc = 2.0 * by2 * wcc, bc = by2 * wbc;
      store(t->integral[PieceTriangles::area] + i, size);
      store(t->integral[PieceTriangles::power] + i, Lanes(a * (by * wa) + b * b_part + c * c_part));
      store(t->integral[PieceTriangles::weight] + i, Lanes(by * wa + b_part + c_part));
      store(t->integral[PieceTriangles::u] + i, Lanes(b_part * bu + c_part * cu));
      store(t->integral[PieceTriangles::v] + i, Lanes(b_part * bv + c_part * cv));
      store(t->integral[PieceTriangles::uu] + i, Lanes(bb * bu * bu + cc * cu * cu + 2.0 * (bc * bu * cu)));
      store(t->integral[PieceTriangles::vv] + i, Lanes(bb * bv * bv + cc * cv * cv + 2.0 * (bc * bv * cv)));
      store(t->integral[PieceTriangles::uv] + i, Lanes(bb * bu * bv + cc * cu * cv + bc * (bu * cv + cu * bv)));
    }
  }
};

}  // namespace

void PieceTriangles::integrate(int p) noexcept {
  for (std::size_t i = count; i % 8 != 0; ++i)
    for (double* column : {a, b, c, bu, bv, cu, cv}) column[i] = 0.0;
  switch (p) {
    case 2: return in_lanes<Integrals<1>>(count, this, 1);
    case 4: return in_lanes<Integrals<3>>(count, this, 3);
    default: return in_lanes<Integrals<0>>(count, this, p - 1);
  }
}

}  // namespace contactlib::geometry

// Two sockets: corners of each one's box in the other, and crossings of each one's edges and rim with the other's. See
// docs/manifolds.md, "Socket against solids".
#include "pair.hpp"
#include "solids.hpp"

namespace contactlib::geometry {

namespace {

// Numbers of the features: a corner of A or of B, an edge or the rim of A, the whole.
enum : std::int64_t { corners_of_A = 0, corners_of_B = 8, edges = 16, rim = edges + 12 * crossings_per_edge };

class SocketInSocket {
 public:
  SocketInSocket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept
      : pair_(A, Vec3(A.size).norm(), B, X, out),
        A_{SocketSolid(A), pair_.B.tol, pair_.B.noise},
        B_to_A_(pair_.A_to_B.inverse()) {}

  void build_contacts() noexcept {
    const BoxSolid box = A_.solid.box();
    const Vec3 middle = pair_.A_to_B(box.centre_B), reach = pair_.A_to_B.R.cwiseAbs() * box.half;
    const Vec3 low = middle - reach, high = middle + reach;
    if (pair_.misses(low, high)) return;
    outside_ = !pair_.B.clear_of_box(low, high);
    const auto above_A = [this](const Vec3& x) noexcept { return A_.above(B_to_A_(x)); };
    for (int k = 0; k < 8; ++k) evaluate_corners(k);
    for (int e = 0; e < 12; ++e)
      pair_.cross(seen_from(pair_.A_to_B, A_.edge(e)), above_A, outside_, edges + e * crossings_per_edge);
    const CircleEdge mouth{pair_.A_to_B.p, pair_.A_to_B.R.col(2), A_.solid.R, -1.0};
    pair_.cross(mouth, above_A, outside_, rim);
    if (!pair_.found()) evaluate_through();
  }

 private:
  void evaluate_corners(int k) noexcept {
    const Mat3& R = pair_.A_to_B.R;
    Exit exit;
    int which = 0;
    const Vec3 x = pair_.A_to_B(A_.corner(k));
    if (pair_.B.find_exit(
            x, [&](const Vec3& n) noexcept { return SocketTarget::corner_faces(k, R.transpose() * n); }, exit, which))
      pair_.add(x + 0.5 * exit.depth * exit.g, -exit.g, exit.depth, corners_of_A + k);
    if (!outside_) return;
    const Vec3 y = pair_.B.corner(k);
    if (A_.find_exit(
            B_to_A_(y), [&](const Vec3& n) noexcept { return SocketTarget::corner_faces(k, R * n); }, exit, which)) {
      const Vec3 n = R * exit.g;
      pair_.add(y + 0.5 * exit.depth * n, n, exit.depth, corners_of_B + k);
    }
  }

  // No other contact: the deepest point of an edge of one body inside the other.
  void evaluate_through() noexcept {
    double deepest = pair_.B.noise, s = 0.0;
    Vec3 C = Vec3::Zero(), n = Vec3::Zero();
    Nearest nearest{};
    const auto evaluate = [&](const Line& line, const SocketTarget& target) noexcept {
      const Sweep sweep{line.p, line.at(line.length), line.t, line.length, 0.0, line.t, pair_.X.R_WB};
      if (!deepest_in_socket(sweep, target.solid, s, nearest) || !(-nearest.phi > deepest + 100.0 * pair_.B.noise))
        return false;
      deepest = -nearest.phi;
      return true;
    };
    for (int e = 0; e < 12; ++e) {
      const Line a = seen_from(pair_.A_to_B, A_.edge(e).line), b = pair_.B.edge(e).line;
      if (evaluate(a, pair_.B)) n = -nearest.g_B, C = a.at(s) - 0.5 * deepest * n;
      if (evaluate(seen_from(B_to_A_, b), A_)) n = pair_.A_to_B.R * nearest.g_B, C = b.at(s) + 0.5 * deepest * n;
    }
    if (deepest > pair_.B.noise) pair_.add(C, n, deepest, rim + crossings_per_edge);
  }

  SocketPair pair_;
  const SocketTarget A_;
  const Axes B_to_A_;
  bool outside_ = true;
};

}  // namespace

void socket_socket(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  SocketInSocket(A, B, X, out).build_contacts();
}

}  // namespace contactlib::geometry

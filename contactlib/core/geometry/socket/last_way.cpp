#include "last_way.hpp"

#include "geometry/convex/held_corners.hpp"
#include "geometry/convex/translation.hpp"

namespace contactlib::geometry {

void add_way_off_box(const Shape& A, const SocketPair& pair, std::int64_t number) noexcept {
  const BoxSolid box = pair.B.solid.box();
  const BoxAround around(box.half);
  const Placement placed{pair.A_to_B.R, Mat3::Identity(), box.centre_B - pair.A_to_B.p, Vec3::Zero()};
  const Mat3 R_AB = placed.R_WA.transpose();
  const MinkowskiDifference D({A}, around.source(), R_AB, R_AB * placed.p_AB_W);
  Minimum minimum;
  if (!least_overlap(D, Vec3::Zero(), minimum) || !(minimum.overlap > pair.B.noise)) return;
  const Translation least = translation(D, placed, minimum);
  pair.add(pair.A_to_B.p + 0.5 * (least.p_AP_W + least.p_AQ_W), least.n_AB_W, least.depth, number);
}

}  // namespace contactlib::geometry

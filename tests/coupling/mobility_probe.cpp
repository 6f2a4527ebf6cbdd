// The mobility of one body. Reads its mass (1 number) and inertia (9) in the scene, its attitude (9), D (21) and a wrench
// (6), then changes of wrenches and rates of momentum (6 numbers each) to the end. Prints mobility and apparent mass with this D
// (27 numbers of three blocks, twice), the rate of momentum of the wrench (6) and the wrench of the rate (6); and the mobility
// that the changes teach (27), and whether it is known and acts. Matrices are given by rows.
#include <cstdio>
#include <vector>

#include "step/response/mobility.hpp"

using namespace contactlib;
using namespace contactlib::step;

namespace {

template <class Matrix>
Matrix read() {
  Matrix x;
  for (int i = 0; i < x.rows(); ++i)
    for (int j = 0; j < x.cols(); ++j)
      if (std::scanf("%lf", &x(i, j)) != 1) x(i, j) = 0.0;
  return x;
}

Wrench read_wrench() {
  const Vec3 force = read<Vec3>();
  return {force, read<Vec3>()};
}

template <class Matrix>
void print(const Matrix& x) {
  for (int i = 0; i < x.rows(); ++i)
    for (int j = 0; j < x.cols(); ++j) std::printf("%.17g ", x(i, j));
}

void print(const Blocks& x) { print(x.force), print(x.mixed), print(x.torque); }
void print(const Wrench& x) { print(x.force), print(x.torque); }

}  // namespace

int main() {
  Body body;
  if (std::scanf("%lf", &body.mass) != 1) return 1;
  body.I_BBcm = read<Mat3>();
  body.I_BBcm_inverse = body.I_BBcm.inverse();
  const Mat3 R = read<Mat3>();
  Response known{}, taught{};
  known.force.value = known.torque.value = taught.force.value = taught.torque.value = 1.0;
  for (double& x : known.matrix.D)
    if (std::scanf("%lf", &x) != 1) return 1;
  const Wrench wrench = read_wrench();
  print(mobility_of(body, known, R)), print(apparent_mass_of(body, known, R));
  const Wrench rate = times_mobility(body, known, R, wrench);
  print(rate), print(divided_by_mobility(body, known, R, rate));
  double first;
  while (std::scanf("%lf", &first) == 1) {
    Wrench u = {{first, 0.0, 0.0}, Vec3::Zero()};
    std::scanf("%lf %lf", &u.force[1], &u.force[2]);
    u.torque = read<Vec3>();
    update_mobility(body, R, read_wrench(), u, 0.0, taught, taught);
  }
  print(mobility_of(body, taught, R));
  std::printf("%g %g\n", taught.matrix.known, taught.matrix.acts);
  return 0;
}
